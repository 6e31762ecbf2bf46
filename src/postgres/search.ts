import { openSearches } from '../search/searches.ts'
import type { IndexNotice } from '../threads/protocol.ts'
import { createSharedCounters, publishClosing, publishStop, readCounts } from '../threads/shared-counters.ts'
import { startThread, type Thread, YOUNG_MB } from '../threads/thread.ts'
import type { IndexThreadData } from './index-thread.ts'

export type NodeSearchOptions = {
  url: string
  /** The path of the file of this node's search index. */
  indexFile: string
  /** Called when the index file cannot be written, and when it can again. */
  onIndex: (notice: IndexNotice) => void
  /** Called when a thread ends that should not. */
  onDeath: (error: Error) => void
}

export type NodeSearch = ReturnType<typeof openNodeSearch>

/** The search of a node: an index in a file of its own that follows the database, and the threads that read it. */
export function openNodeSearch({ url, indexFile, onIndex, onDeath }: NodeSearchOptions) {
  const counters = createSharedCounters()
  let follower: Thread | undefined
  const start = async () => {
    const data: IndexThreadData = { url, file: indexFile, counters }
    follower = await startThread(new URL('./index-thread.ts', import.meta.url), data, {
      ...{ pendingMax: 0, batched: false, together: 1, youngMb: YOUNG_MB },
      onDeath,
      onNotice: onIndex,
    })
    return openSearches(counters, { index: indexFile, store: undefined }, onDeath)
  }
  const started = start()
  started.catch(onDeath)
  return {
    search: async (...asked: Parameters<Awaited<typeof started>['search']>) => (await started).search(...asked),
    near: async (...asked: Parameters<Awaited<typeof started>['near']>) => (await started).near(...asked),
    pending: async () => (await started).pending(),
    indexLag: () => readCounts(counters).indexLag,
    async close(): Promise<void> {
      publishClosing(counters)
      const searches = await started.catch(() => undefined)
      await searches?.close()
      publishStop(counters)
      await follower?.close()
    },
  }
}
