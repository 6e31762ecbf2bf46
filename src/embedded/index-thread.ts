import { parentPort, workerData } from 'node:worker_threads'
import { StoreFault } from '../database/database.ts'
import { openSqlite } from '../database/sqlite.ts'
import { openIndex } from '../search/index-file.ts'
import { IndexFollower } from '../search/index-follower.ts'
import { readHead } from '../store/head.ts'
import { changedEntries, currentEntry } from '../store/indexed-entry.ts'
import { createCpuYield } from '../threads/cpu-yield.ts'
import { NICE, setNice } from '../threads/priority.ts'
import { awaitCommit, committed } from '../threads/shared-counters.ts'
import { indexFile, storeFile } from './files.ts'
import type { ThreadData } from './protocol.ts'

/** The thread that updates the search index from the store of this directory. */
const { directory, counters } = workerData as ThreadData
const STORE_CACHE_KIB = 256

setNice(NICE.index)
/** Each new row is read once, while the operating system has it in memory, so that a small cache is enough. */
const store = openSqlite(storeFile(directory), 'read', { cacheKib: STORE_CACHE_KIB })
const { store_id: storeId, record } = await readHead(store)
let fault: StoreFault | undefined
const index = openIndex(indexFile(directory), { storeId, record, storeEpoch: 0 }, found => {
  fault = found
})
parentPort?.postMessage('ready')

/** Marks errors as faults of the store, because a fault of the index would replace the index. */
function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof StoreFault) || error.kind !== 'broken') throw error
    throw new Error('The search index cannot follow: the store cannot be read.', { cause: error })
  }
}

const follower = new IndexFollower({
  counters,
  file: indexFile(directory),
  index,
  fault,
  source: {
    state: () => ({ storeId, record: Number(committed(counters)), storeEpoch: 0 }),
    changed: (change, number, limit) => reading(() => store.all(changedEntries(change, number, limit))),
    entry: number => reading(() => store.one(currentEntry(number))),
    awaitNewer: (state, patience) => awaitCommit(counters, BigInt(state.record), patience),
  },
  onEntry: createCpuYield(counters),
  onNotice: notice => parentPort?.postMessage(notice),
})
await follower.run()
store.close()
