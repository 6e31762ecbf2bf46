import { availableParallelism } from 'node:os'
import { Problem } from '../contract/problem.ts'
import type { SearchRequest, SearchResult } from '../operations/operation.ts'
import type { Signals } from '../threads/signals.ts'
import { startThread, YOUNG_MB } from '../threads/thread.ts'
import { createIndexWaits } from './index-waits.ts'
import type { SearchThreadData } from './search-thread.ts'
import { startSearchers } from './searchers.ts'

/** Threads that search at most: on one core a second one would only take memory. */
const SEARCH_THREADS = Math.min(2, availableParallelism())
/** Searches under way before further ones are refused as OVERLOADED. */
const SEARCHES_MAX = 1_000
/** How long a search waits for the index, in milliseconds. */
const INDEX_PATIENCE = 5_000

/** The searches of a process. */
export type Searches = {
  /** Finds entries once the index has reached a position in the store. Rejects with NOT_READY or OVERLOADED if that takes too long. */
  search(request: SearchRequest, position: number | bigint): Promise<SearchResult>
  pending(): number
  close(): Promise<void>
}

/** Starts the threads that search an index file; `onDeath` is called when one of them ends. */
export async function openSearches(
  signals: Signals,
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
  const searchers = await startSearchers(start, SEARCH_THREADS)
  const waits = createIndexWaits(signals, { most: SEARCHES_MAX, patience: INDEX_PATIENCE })
  const pending = (): number => waits.pending() + searchers.pending()
  return {
    async search(request, position) {
      if (request.spare === true && pending() > 0) throw new Problem('OVERLOADED', { retryAfter: 1 })
      if (request.spare !== true) await waits.until(BigInt(position))
      return searchers.ask(request)
    },
    pending,
    close: searchers.close,
  }
}
