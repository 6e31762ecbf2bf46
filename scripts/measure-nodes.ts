import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Client } from 'pg'
import { type Cluster, createDatabase, findBinaries, startCluster, withClient } from '../test/support/cluster.ts'
import { type Loaded, startLoader } from './measuring/loader.ts'
import { type Node, startNode } from './measuring/nodes.ts'

/**
 * Measures durable creates of 2 kB entries, the search index followed to the end, and reads of one entry, on a PostgreSQL of its own
 * with the durability of a real one: one node, three nodes, and one node that commits each request by itself, in alternating rounds.
 * Prints each figure's median with the lowest and highest, and bytes per entry. `--seconds`, `--rounds`, `--connections`.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
  },
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)
const connections = Number(values.connections)
const NO_END = 1_000_000_000

type Variant = { name: string; nodes: number; settings: Record<string, string> }
const VARIANTS: Variant[] = [
  { name: 'one node', nodes: 1, settings: {} },
  { name: 'three nodes', nodes: 3, settings: {} },
  { name: 'one node, each create its own commit', nodes: 1, settings: { WRITE_GROUP_MAX: '1' } },
]
type Figures = { create: Loaded; indexed: number; read: Loaded; bytes: Record<string, number> }

const say = (text: string): boolean => process.stdout.write(`${text}\n`)
const binaries = findBinaries()
if (binaries === undefined) throw new Error('There is no PostgreSQL here; install the package postgresql.')
const directory = mkdtempSync(join(tmpdir(), 'palimpsest-measure-'))
const cluster = await startCluster(binaries)
const measured = new Map<Variant, Figures[]>(VARIANTS.map(variant => [variant, []]))
try {
  for (let round = 0; round < rounds; round++) {
    for (const variant of VARIANTS) {
      const figures = await measure(cluster, variant, round)
      measured.get(variant)?.push(figures)
      say(
        `round ${round + 1}, ${variant.name}: ${rate(figures.create)} creates/s (p99 ${figures.create.p99.toFixed(1)} ms), ` +
          `${Math.round(figures.indexed)}/s with the index followed to its end, ${rate(figures.read)} reads/s (p99 ${figures.read.p99.toFixed(1)} ms)`,
      )
    }
  }
  report()
} finally {
  await cluster.close()
  rmSync(directory, { recursive: true, force: true })
}

function rate({ perSecond }: Loaded): number {
  return Math.round(perSecond)
}

async function measure({ url }: Cluster, variant: Variant, round: number): Promise<Figures> {
  const database = await createDatabase(url('postgres'))
  const nodes: Node[] = []
  const loader = startLoader()
  try {
    for (let n = 0; n < variant.nodes; n++) {
      const dataDir = join(directory, `${round}-${VARIANTS.indexOf(variant)}-${n}`)
      nodes.push(await startNode({ DATABASE_URL: database.url, DATA_DIR: dataDir, ...variant.settings }))
    }
    const order = { urls: nodes.map(node => node.url), connections, seconds, count: NO_END, seed: round }
    const began = performance.now()
    const create = await loader.run({ ...order, kind: 'create' })
    await withClient(database.url, followed)
    const indexed = create.count / ((performance.now() - began) / 1_000)
    const read = await loader.run({ ...order, kind: 'read' })
    return {
      create,
      indexed,
      read,
      bytes: await withClient(database.url, client => bytesPerEntry(client, create.count)),
    }
  } finally {
    loader.close()
    for (const node of nodes) await node.stop()
    await database.drop()
  }
}

/** Waits until the search index has everything. */
async function followed(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT 1 FROM head h JOIN search_progress p ON p.record >= h.record')
    if (rows.length > 0) return
    await setTimeout(50)
  }
}

/** Bytes of each larger table with its indexes, for each entry. */
async function bytesPerEntry(client: Client, entries: number): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_total_relation_size(oid) > $1 ORDER BY 2 DESC`,
    [20 * entries],
  )
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Math.round(Number(bytes) / entries)]))
}

function report(): void {
  const of = (list: number[]): string => {
    const sorted = list.map(Math.round).sort((a, b) => a - b)
    return `${sorted[sorted.length >> 1]} (${sorted[0]}–${sorted.at(-1)})`
  }
  say(`\nmedian (lowest–highest) of ${rounds} rounds of ${seconds} s, ${connections} connections, per second`)
  say('| | creates | creates, index followed to its end | reads of one entry |\n|---|---|---|---|')
  for (const [{ name }, figures] of measured) {
    say(
      `| ${name} | ${of(figures.map(({ create }) => create.perSecond))} | ${of(figures.map(({ indexed }) => indexed))} | ${of(figures.map(({ read }) => read.perSecond))} |`,
    )
  }
  say(`bytes per entry, by table: ${JSON.stringify([...measured.values()][0]?.at(-1)?.bytes)}`)
}
