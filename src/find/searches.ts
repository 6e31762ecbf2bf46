import { availableParallelism } from 'node:os'
import { Problem } from '../contract/problem.ts'
import { sql } from '../engine/database.ts'
import { openSqlite, type SqliteConnection } from '../engine/sqlite.ts'
import {
  CLOSING,
  EVENTS,
  INDEX_FILE,
  INDEXED,
  requestIndexed,
  type SharedCounters,
  startThread,
  type Thread,
  YOUNG_MB,
} from '../engine/thread.ts'
import type { Match, SearchRequest, SearchResult } from '../memory/searching.ts'
import { IndexReader } from './index/file.ts'
import type { SearchReply } from './query/query.ts'
import { pairsOf } from './rules/terms.ts'
import type { SearchThreadData } from './search-thread.ts'

/** Maximum number of search threads. On one core, a second one would only use memory. */
const SEARCH_THREADS = Math.min(2, availableParallelism())
/** Maximum number of searches in progress. Further ones are refused as OVERLOADED. */
const SEARCHES_MAX = 1_000
/** Cache of the index connection in this thread, which only looks up pairs of words. */
const CACHE_KIB = 1_024
/** How long a search waits for the index, in milliseconds. */
const INDEX_PATIENCE = 5_000

/** Number of the newest entries that are read for each pair. Of many entries about the same subject, some are enough. */
const READ_MAX = 16

/** The searches of a process. */
export class Searches {
  readonly #pool: SearchPool
  readonly #index: IndexReader
  readonly #barrier: IndexBarrier
  readonly #counters: SharedCounters

  /** `index` has a separate connection to the index file. It is closed together with the searches. */
  constructor(pool: SearchPool, index: IndexReader, counters: SharedCounters) {
    this.#pool = pool
    this.#index = index
    this.#counters = counters
    this.#barrier = new IndexBarrier(counters, { most: SEARCHES_MAX, patience: INDEX_PATIENCE })
  }

  /**
   * Finds entries once the index has reached a position in the store. Rejects with NOT_READY or OVERLOADED if that takes too long. If the
   * index file was replaced in between, the new one may not have reached the position, so the search runs again.
   */
  async search(request: SearchRequest, position: number | bigint): Promise<SearchResult> {
    for (;;) {
      const file = Atomics.load(this.#counters, INDEX_FILE)
      if (Atomics.load(this.#counters, INDEXED) < position) await this.#barrier.until(BigInt(position))
      const result = await this.#pool.ask(request)
      if (Atomics.load(this.#counters, INDEX_FILE) === file) return result
    }
  }

  /** The numbers of entries that are near a draft. Entries that are not indexed yet are missing. */
  readonly near = (terms: ReadonlySet<string>, limit: number): number[] =>
    this.#index.read(entriesNear, pairsOf(terms), limit)

  pending(): number {
    return this.#barrier.pending() + this.#pool.pending()
  }

  async close(): Promise<void> {
    this.#index.close()
    await this.#pool.close()
  }
}

/**
 * The numbers of entries that have pairs of words in common with a draft. Entries with more of the pairs come first; of equal ones, the
 * newest.
 */
function entriesNear(index: SqliteConnection, pairs: readonly string[], limit: number): number[] {
  const common = new Map<number, number>()
  for (const pair of new Set(pairs)) {
    const rows = index.all<{ number: number }>(
      sql`SELECT rowid AS number FROM ranked WHERE ranked MATCH ${`"${pair}"`} ORDER BY rowid DESC LIMIT ${READ_MAX}`,
    )
    for (const { number } of rows) common.set(number, (common.get(number) ?? 0) + 1)
  }
  const most = [...common].sort(([a, as], [b, bs]) => bs - as || b - a).slice(0, limit)
  const entries: number[] = []
  for (const [number] of most) {
    const doc = index.one<{ entry: number }>(sql`SELECT entry FROM doc WHERE number = ${number}`)
    if (doc !== undefined) entries.push(doc.entry)
  }
  return entries
}

/** Opens an index file. The first search starts a thread; `onDeath` is called when one of the threads ends. */
export async function openSearches(data: SearchThreadData, onDeath: (error: Error) => void): Promise<Searches> {
  const start = () =>
    startThread(new URL('./search-thread.ts', import.meta.url), data, {
      pendingMax: SEARCHES_MAX,
      batched: false,
      together: 1,
      youngMb: YOUNG_MB,
      onDeath,
    })
  const index = new IndexReader(data.counters, () => {
    const connection = openSqlite(data.index, 'read', { cacheKib: CACHE_KIB })
    // This thread must never wait for another connection.
    connection.exec('PRAGMA busy_timeout = 0')
    return connection
  })
  return new Searches(new SearchPool(start, SEARCH_THREADS), index, data.counters)
}

type Waiting = { record: bigint; deadline: number; resolve: () => void; reject: (problem: Problem) => void }

/** Searches that wait for the index without blocking a thread. At most `most` wait at once, each for at most `patience` milliseconds. */
export class IndexBarrier {
  readonly #counters: SharedCounters
  readonly #most: number
  readonly #patience: number
  /** In order of record and of deadline: a later search waits for the same or a later record, and has a later deadline. */
  readonly #waiting: Waiting[] = []
  #isWatching = false

  constructor(counters: SharedCounters, { most, patience }: { most: number; patience: number }) {
    this.#counters = counters
    this.#most = most
    this.#patience = patience
  }

  /**
   * Resolves once the index has reached a record, which must not be smaller than that of an earlier call. Rejects with NOT_READY after
   * `patience` milliseconds or when the store closes, and with OVERLOADED if too many searches wait.
   */
  async until(record: bigint): Promise<void> {
    if (Atomics.load(this.#counters, INDEXED) >= record) return
    if (this.#waiting.length >= this.#most) throw new Problem('OVERLOADED', { retryAfter: 1 })
    requestIndexed(this.#counters, record)
    const answer = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ record, deadline: performance.now() + this.#patience, resolve, reject })
    })
    if (!this.#isWatching) this.#watch()
    return answer
  }

  pending(): number {
    return this.#waiting.length
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    for (;;) {
      const events = Atomics.load(this.#counters, EVENTS)
      this.#settle()
      const [first] = this.#waiting
      if (first === undefined) break
      await Atomics.waitAsync(this.#counters, EVENTS, events, first.deadline - performance.now()).value
    }
    this.#isWatching = false
  }

  /** Settles the searches whose record is reached or whose deadline has passed. */
  #settle(): void {
    const reached = Atomics.load(this.#counters, INDEXED)
    const over = Atomics.load(this.#counters, CLOSING) === 1n ? Number.POSITIVE_INFINITY : performance.now()
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (first.record <= reached) first.resolve()
      else if (first.deadline <= over)
        first.reject(new Problem('NOT_READY', { retryAfter: 5, reason: 'the search index lags' }))
      else return
      this.#waiting.shift()
    }
  }
}

/** A thread that searches. */
export type SearchThread = Pick<Thread, 'ask' | 'pending' | 'close'>

/** The threads that search. The first search starts one, and a search that finds all of them busy starts another, up to a maximum. */
export class SearchPool {
  readonly #threads: SearchThread[] = []
  readonly #start: () => Promise<SearchThread>
  readonly #most: number
  #first: Promise<SearchThread> | undefined
  /** Threads that were started or are being started. */
  #started = 0
  #starting: Promise<unknown> = Promise.resolve()
  /** Searches that wait for the first thread. */
  #waiting = 0

  /** `start` must itself report a thread that does not start. */
  constructor(start: () => Promise<SearchThread>, most: number) {
    this.#start = start
    this.#most = most
  }

  async ask(request: SearchRequest): Promise<SearchResult> {
    const [one = await this.#firstThread(), ...others] = this.#threads
    const idlest = others.reduce((best, thread) => (thread.pending() < best.pending() ? thread : best), one)
    if (idlest.pending() > 0 && this.#started === this.#threads.length && this.#started < this.#most) {
      // If no further thread starts, the others continue to search.
      this.#startOne().catch(() => {})
    }
    const { entries, scores, whole, ...rest } = (await idlest.ask({ request })) as SearchReply
    const matches: Match[] = []
    for (const [at, entry] of entries.entries()) {
      matches.push({ entry, score: scores[at] as number, whole: whole[at] as boolean })
    }
    return { ...rest, matches }
  }

  pending(): number {
    return this.#threads.reduce((sum, thread) => sum + thread.pending(), this.#waiting)
  }

  async close(): Promise<void> {
    this.#started = this.#most
    await this.#starting
    for (const thread of this.#threads) await thread.close()
  }

  async #firstThread(): Promise<SearchThread> {
    if (this.#first === undefined && this.#started === this.#most) throw new Error('The search threads are closed.')
    this.#first ??= this.#startOne()
    this.#waiting++
    try {
      return await this.#first
    } finally {
      this.#waiting--
    }
  }

  #startOne(): Promise<SearchThread> {
    this.#started++
    const thread = this.#start().then(started => {
      this.#threads.push(started)
      return started
    })
    this.#starting = thread.catch(() => {})
    return thread
  }
}
