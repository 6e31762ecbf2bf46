import { availableParallelism } from 'node:os'
import { openSqlite } from '../database/sqlite.ts'
import type { SearchRequest, SearchResult } from '../operations/search.ts'
import { indexFileOf, type SharedCounters } from '../threads/shared-counters.ts'
import { startThread, YOUNG_MB } from '../threads/thread.ts'
import { IndexBarrier } from './index-barrier.ts'
import { IndexReader } from './index-reader.ts'
import { findNear } from './near.ts'
import { SearchPool } from './search-pool.ts'
import type { SearchThreadData } from './search-thread.ts'

/** Maximum number of search threads. On one core, a second one would only use memory. */
const SEARCH_THREADS = Math.min(2, availableParallelism())
/** Maximum number of searches in progress. Further ones are refused as OVERLOADED. */
const SEARCHES_MAX = 1_000
/** Cache of the index connection in this thread, which only looks up pairs of words. */
const CACHE_KIB = 1_024
/** How long a search waits for the index, in milliseconds. */
const INDEX_PATIENCE = 5_000

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
      const file = indexFileOf(this.#counters)
      await this.#barrier.until(BigInt(position))
      const result = await this.#pool.ask(request)
      if (indexFileOf(this.#counters) === file) return result
    }
  }

  /** The numbers of entries that have pairs of words in common with a draft. Entries that are not indexed yet are missing. */
  near(pairs: readonly number[], limit: number): number[] {
    return this.#index.read(index => findNear(index, pairs, limit))
  }

  pending(): number {
    return this.#barrier.pending() + this.#pool.pending()
  }

  async close(): Promise<void> {
    this.#index.close()
    await this.#pool.close()
  }
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
