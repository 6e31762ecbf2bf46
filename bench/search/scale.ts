import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from '../../src/engine/database.ts'
import { openSqlite } from '../../src/engine/sqlite.ts'
import { indexFile } from '../../src/stores/embedded/directory.ts'
import { type HttpConnection, openHttp, requestText } from '../load/http.ts'
import { cpuSeconds } from '../processes.ts'
import { startService } from '../targets/palimpsest.ts'
import type { Bound } from './bounds.ts'
import { generatedEntry, generatedQueries, hostileQueries } from './generated.ts'
import { quantile } from './metrics.ts'
import type { Options } from './options.ts'
import { aligned } from './tables.ts'

const LAUNCHER = join(import.meta.dirname, '../../bin/palimpsest.js')
const COUNT = 300
/** Maximum time to measure one kind of query, in milliseconds. */
const PATIENCE = 60_000
/** Number of hostile queries of one kind. */
const TURNS = 5
const SHOWN = 50_000
const PAUSE = 100
/** Number of pauses between two progress reports. */
const SHOWN_WAITS = 100
const BOUNDS = { find: 60, brief: 80, recent: 25, hostile: 250 }

/** A path of the service: its address, the maximum length of its questions, and its bound. */
type Path = { name: string; address(q: string): string; characters: number; most: number; accept?: string }

const addressOf =
  (path: string, fixed: Record<string, string> = {}) =>
  (q: string): string =>
    `${path}?${new URLSearchParams({ q, limit: '20', ...fixed })}`

const FIND: Path = { name: 'find', address: addressOf('/api/find'), characters: 2_000, most: BOUNDS.find }
/** The address of a brief in the form that an agent requests. */
const briefAddress = (q: string): string => `/api/find?${new URLSearchParams({ q, tokens: '2000' })}`
const BRIEF: Path = { name: 'find with tokens', address: briefAddress, characters: 2_000, most: BOUNDS.brief }
const MARKDOWN: Path = { ...BRIEF, name: 'find with tokens as Markdown', accept: 'text/markdown' }
const RELEVANCE: Path = {
  name: 'search by relevance',
  address: addressOf('/api/search', { sort: 'relevance' }),
  characters: 200,
  most: BOUNDS.find,
}
const RECENT: Path = {
  name: 'search by recency',
  address: addressOf('/api/search', { sort: 'recent' }),
  characters: 200,
  most: BOUNDS.recent,
}

/** A data directory with `entries` generated entries. It is loaded only once if `--work` retains it. */
async function filledStore(entries: number, { work, say }: Options): Promise<{ dataDir: string; remove(): void }> {
  const folder = work === undefined ? mkdtempSync(join(tmpdir(), 'palimpsest-scale-')) : join(work, `scale-${entries}`)
  const dataDir = join(folder, 'data')
  const done = join(folder, 'done')
  const remove = (): void => {
    if (work === undefined) rmSync(folder, { recursive: true, force: true })
  }
  if (existsSync(done)) return { dataDir, remove }
  rmSync(dataDir, { recursive: true, force: true })
  mkdirSync(dataDir, { recursive: true })
  const began = performance.now()
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  const child = spawn(process.execPath, [LAUNCHER, 'load', '--from', '-'], {
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.on('error', () => {})
  for (let number = 0; number < entries && child.exitCode === null; number++) {
    const line = JSON.stringify({ type: 'entry', ...generatedEntry(number) })
    if (!child.stdin.write(`${line}\n`)) await once(child.stdin, 'drain')
    if (number % SHOWN === SHOWN - 1) say(`${number + 1} of ${entries} entries written to the load`)
  }
  child.stdin.end()
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) {
    remove()
    throw new Error(`The load ended with ${code}.`)
  }
  say(`${entries} entries loaded in ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  writeFileSync(done, '')
  return { dataDir, remove }
}

async function statusOf(http: HttpConnection, address: string, accept = 'application/json'): Promise<number> {
  return (await http.send(requestText('GET', address, `accept: ${accept}\r\n`))).status
}

/** Waits until a search is answered. Throws unless the index then has all entries, because searches of a smaller index would be faster. */
async function untilIndexed(http: HttpConnection, dataDir: string, { scale, say }: Options): Promise<void> {
  const began = performance.now()
  const passed = (): string => `${((performance.now() - began) / 1_000).toFixed(1)} s`
  for (let n = 1; (await statusOf(http, RECENT.address('entity'))) !== 200; n++) {
    await setTimeout(PAUSE)
    if (n % SHOWN_WAITS === 0) say(`waiting for the index: ${passed()}`)
  }
  const index = openSqlite(indexFile(dataDir), 'read')
  const { found } = index.one<{ found: number }>(sql`SELECT count(*) AS found FROM doc`) ?? { found: 0 }
  index.close()
  if (found !== scale) throw new Error(`The index has ${found} of ${scale} entries.`)
  say(`the index has all entries after ${passed()}`)
}

/** `cost` is the mean processor time of the service per query, in milliseconds. */
type Timed = { path: Path; kind: string; count: number; p50: number; p99: number; cost: number }

async function time(http: HttpConnection, pid: number, path: Path, kind: string, queries: string[]): Promise<Timed> {
  const times: number[] = []
  const before = cpuSeconds(pid)
  const end = performance.now() + PATIENCE
  for (const query of queries) {
    const began = performance.now()
    const status = await statusOf(http, path.address(query), path.accept)
    if (status !== 200) throw new Error(`${path.name} answered ${status} to ${JSON.stringify(query)}.`)
    times.push(performance.now() - began)
    if (performance.now() > end) break
  }
  const cost = (1_000 * (cpuSeconds(pid) - before)) / times.length
  return { path, kind, count: times.length, p50: quantile(times, 0.5), p99: quantile(times, 0.99), cost }
}

/** Processor time of the process for one query of each hostile kind, in milliseconds, and the status of the answer. */
async function costs(http: HttpConnection, pid: number, path: Path): Promise<string[][]> {
  const rows: string[][] = []
  for (const kind of Object.keys(hostileQueries(0, path.characters))) {
    const before = cpuSeconds(pid)
    const statuses = new Set<number>()
    const began = performance.now()
    for (let turn = 0; turn < TURNS; turn++) {
      statuses.add(
        await statusOf(http, path.address(hostileQueries(turn * 31, path.characters)[kind] as string), path.accept),
      )
    }
    const cost = (1_000 * (cpuSeconds(pid) - before)) / TURNS
    const passed = (performance.now() - began) / TURNS
    rows.push([path.name, kind, cost.toFixed(0), passed.toFixed(0), [...statuses].join(', ')])
  }
  return rows
}

function boundsOf(entries: number, timed: Timed[], costly: string[][]): Bound[] {
  // Other programs increase every time, so a missed bound on a busy machine is not significant.
  const load = `${loadavg()[0]?.toFixed(1)} programs ran on ${availableParallelism()} cores`
  const bound = (name: string, value: number, most: number, unit: string): Bound => ({
    name: `${name} at ${entries.toLocaleString('en-US')} entries`,
    measured: `${value.toFixed(1)} ${unit}`,
    target: `≤ ${most} ${unit}`,
    held: value <= most,
    note: load,
  })
  const paths = [...new Set(timed.map(({ path }) => path))]
  return [
    ...paths.map(path => {
      const slowest = Math.max(...timed.filter(one => one.path === path).map(({ p99 }) => p99))
      return bound(`slowest p99 of ${path.name}`, slowest, path.most, 'ms')
    }),
    bound(
      'processor time of the costliest query',
      Math.max(...costly.map(row => Number(row[2]))),
      BOUNDS.hostile,
      'ms',
    ),
  ]
}

/** Measures the time of searches in a store of `entries` generated entries. Resolves with the tables and the bounds. */
export async function measureScale(entries: number, options: Options): Promise<{ tables: string[]; bounds: Bound[] }> {
  const { dataDir, remove } = await filledStore(entries, options)
  const { url, server, readyAfter } = await startService({ DATA_DIR: dataDir }, undefined)
  try {
    options.say(`ready after ${(readyAfter / 1_000).toFixed(1)} s`)
    const http = openHttp(url)
    await untilIndexed(http, dataDir, options)
    const paths = [FIND, BRIEF, MARKDOWN, RELEVANCE, RECENT]
    const timed: Timed[] = []
    // Sends questions about other entries first, so that the code is compiled as in a service that has run for some time.
    const { question: others = [] } = generatedQueries(entries / 2, COUNT)
    for (const path of paths) await time(http, server.pid, path, 'question', others)
    for (const path of paths) {
      for (const [kind, queries] of Object.entries(generatedQueries(entries, COUNT))) {
        const one = await time(http, server.pid, path, kind, queries)
        options.say(`${path.name}: ${kind}, p50 ${one.p50.toFixed(1)} ms, p99 ${one.p99.toFixed(1)} ms`)
        timed.push(one)
      }
    }
    const costly: string[][] = []
    for (const path of paths) costly.push(...(await costs(http, server.pid, path)))
    http.close()
    const rows = timed.map(one => [
      one.path.name,
      one.kind,
      String(one.count),
      one.p50.toFixed(1),
      one.p99.toFixed(1),
      one.cost.toFixed(1),
    ])
    return {
      tables: [
        aligned([['path', 'queries', 'n', 'p50 ms', 'p99 ms', 'processor ms'], ...rows]),
        aligned([['path', 'hostile query', 'processor ms', 'passed ms', 'status'], ...costly]),
      ],
      bounds: boundsOf(entries, timed, costly),
    }
  } finally {
    await server.stop()
    remove()
  }
}
