import { availableParallelism } from 'node:os'
import { openSqlite } from '../database/sqlite.ts'
import type { SearchRequest, SearchResult } from '../operations/search.ts'
import type { SharedCounters } from '../threads/shared-counters.ts'
import { startThread, YOUNG_MB } from '../threads/thread.ts'
import { createIndexBarrier } from './index-barrier.ts'
import { findNear } from './near.ts'
import { startSearchPool } from './search-pool.ts'
import type { SearchThreadData } from './search-thread.ts'

/** Threads that search at most: on one core a second one would only take memory. */
const SEARCH_THREADS = Math.min(2, availableParallelism())
/** Searches under way before further ones are refused as OVERLOADED. */
const SEARCHES_MAX = 1_000
/** Memory for the index in this thread, which looks up pairs of words only. */
const CACHE_KIB = 1_024
/** How long a search waits for the index, in milliseconds. */
const INDEX_PATIENCE = 5_000

/** The searches of a process. */
export type Searches = {
  /** Finds entries once the index has reached a position in the store. Rejects with NOT_READY or OVERLOADED if that takes too long. */
  search(request: SearchRequest, position: number | bigint): Promise<SearchResult>
  /** The numbers of entries that have pairs of words in common with a draft, without those that the index has not reached. */
  near(pairs: readonly number[], limit: number): number[]
  pending(): number
  close(): Promise<void>
}

/** Starts the threads that search an index file; `onDeath` is called when one of them ends. */
export async function openSearches(
  counters: SharedCounters,
  data: SearchThreadData,
  onDeath: (error: Error) => void,
): Promise<Searches> {
  const start = () =>
    startThread(new URL('./search-thread.ts', import.meta.url), data, {
      pendingMax: SEARCHES_MAX,
      batched: false,
      together: 1,
      youngMb: YOUNG_MB,
      onDeath,
    })
  const pool = await startSearchPool(start, SEARCH_THREADS)
  const index = openSqlite(data.index, 'read', { cacheKib: CACHE_KIB })
  // Nothing here waits for another connection.
  index.exec('PRAGMA busy_timeout = 0')
  const barrier = createIndexBarrier(counters, { most: SEARCHES_MAX, patience: INDEX_PATIENCE })
  const pending = (): number => barrier.pending() + pool.pending()
  return {
    async search(request, position) {
      await barrier.until(BigInt(position))
      return pool.ask(request)
    },
    near: (pairs, limit) => findNear(index, pairs, limit),
    pending,
    async close() {
      index.close()
      await pool.close()
    },
  }
}
