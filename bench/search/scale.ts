import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { openHttp, requestText } from '../load/http.ts'
import { quantile } from '../numbers.ts'
import { cpuSeconds } from '../processes.ts'
import { filled, type Store } from '../target.ts'
import { HERE, startService, untilIndexed } from '../targets/palimpsest.ts'
import type { Bound } from './bounds.ts'
import { generatedEntry, generatedQueries, hostileQueries } from './generated.ts'
import { aligned } from './tables.ts'

const COUNT = 300
/** Maximum time to measure one kind of query, in milliseconds. */
const PATIENCE = 60_000
/** Number of hostile queries of one kind. */
const TURNS = 5
const SHOWN = 50_000
/** Maximum processor time of a query, in milliseconds. */
const COST_MOST = 250

/** A path of the service: its address without the question, the maximum length of a question, and the bound of its p99 in milliseconds. */
type Path = { name: string; address: string; characters: number; most: number }
const PATHS: readonly Path[] = [
  { name: 'find', address: '/api/find?limit=20', characters: 2_000, most: 60 },
  { name: 'find with tokens', address: '/api/find?tokens=2000', characters: 2_000, most: 80 },
  { name: 'search by relevance', address: '/api/search?limit=20&sort=relevance', characters: 200, most: 60 },
  { name: 'search by recency', address: '/api/search?limit=20&sort=recent', characters: 200, most: 25 },
]

/** A data directory with generated entries. */
const STORE: Store = {
  name: 'generated',
  async fill(directory, { entries, say }) {
    const dataDir = join(directory, 'data')
    mkdirSync(dataDir)
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
    const load = [join(HERE, 'bin/palimpsest.js'), 'load', '--from', '-']
    const child = spawn(process.execPath, load, { env, stdio: ['pipe', 'ignore', 'inherit'] })
    child.stdin.on('error', () => {})
    for (let number = 0; number < entries && child.exitCode === null; number++) {
      const line = JSON.stringify({ type: 'entry', ...generatedEntry(number) })
      if (!child.stdin.write(`${line}\n`)) await once(child.stdin, 'drain')
      if (number % SHOWN === SHOWN - 1) say(`${number + 1} of ${entries} entries written to the load`)
    }
    child.stdin.end()
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`The load ended with ${code}.`)
  },
}

/** `cost` is the mean processor time of the service per query. All times are in milliseconds. */
type Timed = { path: Path; kind: string; count: number; p50: number; p99: number; cost: number; statuses: Set<number> }

class Timer {
  readonly #pid: number
  readonly #http

  constructor(url: string, pid: number) {
    this.#http = openHttp(url)
    this.#pid = pid
  }

  async time(path: Path, kind: string, queries: string[]): Promise<Timed> {
    const times: number[] = []
    const statuses = new Set<number>()
    const before = cpuSeconds(this.#pid)
    const end = performance.now() + PATIENCE
    for (const q of queries) {
      const began = performance.now()
      const { status } = await this.#http.send(requestText('GET', `${path.address}&${new URLSearchParams({ q })}`))
      statuses.add(status)
      times.push(performance.now() - began)
      if (performance.now() > end) break
    }
    const cost = (1_000 * (cpuSeconds(this.#pid) - before)) / times.length
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map(part => quantile(times, part))
    return { path, kind, count: times.length, p50, p99, cost, statuses }
  }

  close(): void {
    this.#http.close()
  }
}

/** The hostile queries of each kind for a path. */
function hostileOf({ characters }: Path): [kind: string, queries: string[]][] {
  const turns = Array.from({ length: TURNS }, (_, turn) => hostileQueries(31 * turn, characters))
  return Object.keys(turns[0] ?? {}).map(kind => [kind, turns.map(turn => turn[kind] ?? '')])
}

function boundsOf(entries: number, usual: Timed[], hostile: Timed[]): Bound[] {
  // Other programs increase every time, so a missed bound on a busy machine is not significant.
  const load = `${loadavg()[0]?.toFixed(1)} programs ran on ${availableParallelism()} cores`
  const bound = (name: string, value: number, most: number): Bound => ({
    name: `${name} at ${entries.toLocaleString('en-US')} entries`,
    measured: `${value.toFixed(1)} ms`,
    target: `≤ ${most} ms`,
    held: value <= most,
    note: load,
  })
  return [
    ...PATHS.map(path => {
      const slowest = Math.max(...usual.filter(one => one.path === path).map(({ p99 }) => p99))
      return bound(`slowest p99 of ${path.name}`, slowest, path.most)
    }),
    bound('processor time of the costliest query', Math.max(...hostile.map(({ cost }) => cost)), COST_MOST),
  ]
}

function tableOf(timed: Timed[]): string {
  const rows = timed.map(({ path, kind, count, p50, p99, cost, statuses }) => [
    ...[path.name, kind, String(count)],
    ...[p50, p99, cost].map(time => time.toFixed(1)),
    [...statuses].join(', '),
  ])
  return aligned([['path', 'queries', 'n', 'p50 ms', 'p99 ms', 'processor ms', 'status'], ...rows])
}

/** Measures the time of searches in a store of `entries` generated entries. Resolves with the tables and the bounds. */
export async function measureScale(entries: number, work: string): Promise<{ tables: string[]; bounds: Bound[] }> {
  const say = (text: string): void => void process.stderr.write(`${text}\n`)
  const dataDir = join(await filled({ work, scratch: '', entries, words: [], say }, STORE), 'data')
  const { url, server } = await startService({ DATA_DIR: dataDir }, undefined)
  const timer = new Timer(url, server.pid)
  try {
    await untilIndexed(url)
    // Sends questions about other entries first, so that the code is compiled as in a service that has run for some time.
    const { question: others = [] } = generatedQueries(entries / 2, COUNT)
    for (const path of PATHS) await timer.time(path, 'question', others)
    const usual: Timed[] = []
    const hostile: Timed[] = []
    for (const path of PATHS) {
      say(path.name)
      for (const [kind, queries] of Object.entries(generatedQueries(entries, COUNT))) {
        usual.push(await timer.time(path, kind, queries))
      }
      for (const [kind, queries] of hostileOf(path)) hostile.push(await timer.time(path, kind, queries))
    }
    const refused = usual.find(({ statuses }) => [...statuses].some(status => status !== 200))
    if (refused !== undefined) throw new Error(`${refused.path.name} answered ${[...refused.statuses].join(', ')}.`)
    return { tables: [tableOf(usual), tableOf(hostile)], bounds: boundsOf(entries, usual, hostile) }
  } finally {
    timer.close()
    await server.stop()
  }
}
