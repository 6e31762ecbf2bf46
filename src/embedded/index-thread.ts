import { parentPort, workerData } from 'node:worker_threads'
import { StoreFault } from '../database/database.ts'
import { openSqlite } from '../database/sqlite.ts'
import { openIndex } from '../search/index-file.ts'
import { keepIndex } from '../search/keep-index.ts'
import { readHead } from '../store/head.ts'
import { changedEntries, currentEntry } from '../store/indexed-entry.ts'
import { createGivingWay } from '../threads/giving-way.ts'
import { beNice, NICE } from '../threads/priority.ts'
import { awaitCommit, committed } from '../threads/signals.ts'
import { indexFile, storeFile } from './files.ts'
import type { ThreadData } from './protocol.ts'

/** The thread that keeps the search index up to the store of this directory. */
const { directory, signals } = workerData as ThreadData
const STORE_CACHE_KIB = 256

beNice(NICE.index)
/** What is new is read once, and the system still has it: little of it need be cached here. */
const store = openSqlite(storeFile(directory), 'read', { cacheKib: STORE_CACHE_KIB })
const { store_id: storeId, record } = await readHead(store)
const index = await openIndex(indexFile(directory), { storeId, record, history: 0 })
parentPort?.postMessage('ready')

/** Reads from the store. A fault there is reported as one of the store, and not of the index, which would be deleted. */
function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof StoreFault) || error.kind !== 'broken') throw error
    throw new Error('The search index cannot follow: the store cannot be read.', { cause: error })
  }
}

await keepIndex({
  signals,
  file: indexFile(directory),
  index,
  source: {
    state: () => ({ storeId, record: Number(committed(signals)), history: 0 }),
    changed: (change, number, limit) => reading(() => store.all(changedEntries(change, number, limit))),
    entry: number => reading(() => store.one(currentEntry(number))),
    awaitNewer: (state, patience) => awaitCommit(signals, BigInt(state.record), patience),
  },
  onEntry: createGivingWay(signals),
  onNotice: notice => parentPort?.postMessage(notice),
})
index.close()
store.close()
