import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Cluster, createDatabase, findBinaries, startCluster } from '../test/support/cluster.ts'
import { PARITIES, serialOf, wordOf } from './measuring/corpus.ts'
import { startLoader } from './measuring/loader.ts'
import { type Node, startNode } from './measuring/nodes.ts'
import { type Answer, openRawClient, type RawClient } from './measuring/raw-client.ts'

/**
 * Fills a store with so many entries of 2 kB through HTTP and times searches over them: each kind of word in each order, every search
 * for another word. Prints found, median, p99 and slowest in milliseconds. `--engine postgres|embedded`, `--entries`, `--runs`;
 * `--url` takes a service that runs already, and `--filled` says that it was filled in this way before.
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'postgres' },
    entries: { type: 'string', default: '100000' },
    runs: { type: 'string', default: '200' },
    url: { type: 'string' },
    filled: { type: 'boolean', default: false },
  },
})
const entries = Number(values.entries)
const runs = Number(values.runs)
const CONNECTIONS = 64
const AT_ONCE = 8
const NO_END = 1_000_000
const SORTS = ['recent', 'relevance', 'evolution']

/** What is searched for the nth time. Of a text of about 400 words, the word of rank r stands in 1 - exp(-400 / 10 r) of the entries. */
const KINDS: Record<string, (n: number) => string> = {
  'rare (in one entry)': n => serialOf((n * 7_919) % entries),
  'middling (in about 1 %)': n => wordOf(4_000 + n),
  'common (in about 30 %)': n => wordOf(100 + n),
  'in every entry': n => wordOf(1 + (n % 5)),
  'prefix of three letters': n => wordOf(300 + n).slice(0, 3),
  'two middling words': n => `${wordOf(4_000 + n)} ${wordOf(4_500 + n)}`,
  'two common words that never meet': () => PARITIES.join(' '),
  'phrase of common words': n => `"${wordOf(1 + (n % 3))} ${wordOf(2 + (n % 7))}"`,
}

const say = (text: string): boolean => process.stdout.write(`${text}\n`)
const directory = mkdtempSync(join(tmpdir(), 'palimpsest-measure-'))
if (values.url === undefined) await withNode(measure)
else await measure(values.url)

async function measure(url: string): Promise<void> {
  if (!values.filled) await fill(url)
  await time(url)
}

async function withNode(work: (url: string) => Promise<void>): Promise<void> {
  let cluster: Cluster | undefined
  let node: Node | undefined
  try {
    const settings: Record<string, string> = { DATA_DIR: join(directory, 'data') }
    if (values.engine === 'postgres') {
      cluster = await startCluster(String(findBinaries()))
      settings.DATABASE_URL = (await createDatabase(cluster.url('postgres'))).url
    }
    node = await startNode(settings)
    await work(node.url)
  } finally {
    await node?.stop()
    await cluster?.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function fill(url: string): Promise<void> {
  const loader = startLoader()
  const shown = Math.max(10_000, entries / 20)
  const began = performance.now()
  const { perSecond } = await loader.run(
    { kind: 'create', urls: [url], connections: CONNECTIONS, seconds: NO_END, count: entries, seed: 1 },
    count => {
      if (count % shown === 0)
        say(`${count} of ${entries} entries after ${Math.round((performance.now() - began) / 1_000)} s`)
    },
  )
  loader.close()
  say(`${entries} entries, ${Math.round(perSecond)}/s; waiting for the index`)
  const client = openRawClient(url)
  // A search is answered once the index has what was committed; until then it is refused.
  while ((await search(client, serialOf(entries - 1), 'recent')).status !== 200);
  client.close()
  say(`the index has all of it after ${Math.round((performance.now() - began) / 1_000)} s`)
}

function search(client: RawClient, q: string, sort: string): Promise<Answer> {
  return client.send('GET', `/api/search?${new URLSearchParams({ q, sort, limit: '20' })}`)
}

async function time(url: string): Promise<void> {
  const clients = Array.from({ length: AT_ONCE }, () => openRawClient(url))
  say('\n| words | order | found on the page | median ms | p99 ms | slowest ms |\n|---|---|---|---|---|---|')
  for (const [kind, wordsOf] of Object.entries(KINDS)) {
    for (const sort of SORTS) {
      const times: number[] = []
      let found = 0
      for (let n = 0; n < runs; n++) {
        const began = performance.now()
        const { status, body } = await search(clients[n % AT_ONCE] as RawClient, wordsOf(n), sort)
        if (status !== 200) throw new Error(`"${wordsOf(n)}" by ${sort} was answered ${status}: ${body}`)
        times.push(performance.now() - began)
        found += (JSON.parse(body) as { items: unknown[] }).items.length
      }
      times.sort((a, b) => a - b)
      const at = (share: number): string => (times[Math.min(runs - 1, Math.floor(runs * share))] ?? 0).toFixed(1)
      say(`| ${kind} | ${sort} | ${(found / runs).toFixed(1)} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`)
    }
  }
  for (const client of clients) client.close()
}
