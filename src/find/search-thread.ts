import { parentPort, workerData } from 'node:worker_threads'
import { openSqlite } from '../engine/sqlite.ts'
import { replyOfError, reportReady, type SharedCounters } from '../engine/thread.ts'
import { pagesOfEntry } from '../memory/entries/view-rows.ts'
import type { SearchRequest } from '../memory/searching.ts'
import { IndexReader } from './index/file.ts'
import { prefetch, searchIndex } from './query/query.ts'

/** A search as data. */
export type Query = { id: number; request: SearchRequest }
/** The index file that a search thread reads, and the store file that found entries are prefetched from, if there is one. */
export type SearchThreadData = { index: string; store: string | undefined; counters: SharedCounters }

/** A thread that answers searches from the index. */
const { index: file, store: storeFile, counters } = workerData as SearchThreadData
const port = parentPort
if (port === null) throw new Error('A searcher runs as a worker thread only.')

const reader = new IndexReader(counters, () => openSqlite(file, 'read'))
/** Prefetched pages are cached by the operating system, so this connection needs no large cache. */
const store = storeFile === undefined ? undefined : openSqlite(storeFile, 'read', { cacheKib: 64 })

/** Answers a query. Returns the found entries. */
function answer({ id, request }: Query): readonly number[] {
  try {
    const result = reader.read(searchIndex, request)
    port?.postMessage([{ id, result }])
    return result.entries
  } catch (error) {
    port?.postMessage([replyOfError(id, error)])
    return []
  }
}

port.on('message', (message: Query | 'close') => {
  if (message === 'close') {
    reader.close()
    store?.close()
    port.close()
    return
  }
  const found = answer(message)
  if (store !== undefined) prefetch(found, entry => store.one(pagesOfEntry(entry)))
})
reportReady(port)
