import { parentPort, workerData } from 'node:worker_threads'
import { type Sql, StoreFault } from '../../engine/database.ts'
import { openSqlite } from '../../engine/sqlite.ts'
import { awaitBeyond, COMMITTED, createCpuYield, NICE, reportReady, setNice } from '../../engine/thread.ts'
import { openIndex } from '../../find/index/file.ts'
import { IndexFollower } from '../../find/index/follower.ts'
import { ERASED_REVISIONS } from '../../memory/entries/rows.ts'
import { readHead } from '../../memory/head-rows.ts'
import { createLogAnswers, serveLogQuestions } from '../../tlog/answers.ts'
import { logHeadFile } from '../../tlog/key-files.ts'
import { indexFile, storeFile } from './directory.ts'
import type { ThreadData } from './store.ts'

/** The thread that follows the store of this directory: updates its search index, and computes its public log. */
const { directory, counters } = workerData as ThreadData
const STORE_CACHE_KIB = 256

setNice(NICE.follower)
/** Each new row is read once, while the operating system has it in memory, so that a small cache is enough. */
const store = openSqlite(storeFile(directory), 'read', { cacheKib: STORE_CACHE_KIB })
const { store_id: storeId, record } = await readHead(store)
let fault: StoreFault | undefined
const index = openIndex(indexFile(directory), { storeId, record, storeEpoch: 0 }, found => {
  fault = found
})
const yieldCpu = createCpuYield(counters)

/** Reads rows of the store. Marks errors as faults of the store, because a fault of the index would replace the index. */
function reading<R>(statement: Sql): R[] {
  try {
    return store.all<R>(statement)
  } catch (error) {
    if (!(error instanceof StoreFault) || error.kind !== 'broken') throw error
    throw new Error('The search index cannot follow: the store cannot be read.', { cause: error })
  }
}

/** The newest record, and how many revisions were erased up to it. An erasure takes a record too, so only a new record changes the count. */
let seen = { storeId, record: -1, storeEpoch: 0, erased: 0 }
function state(): typeof seen {
  const reached = Number(Atomics.load(counters, COMMITTED))
  if (reached !== seen.record)
    seen = {
      ...seen,
      record: reached,
      erased: reading<{ revisions: number }>(ERASED_REVISIONS)[0]?.revisions ?? 0,
    }
  return seen
}

// The first message says that the thread is ready. A notice may follow at once.
reportReady(parentPort)
const follower = new IndexFollower({
  counters,
  file: indexFile(directory),
  index,
  fault,
  source: {
    state,
    read: reading,
    awaitNewer: (state, patience) => awaitBeyond(counters, COMMITTED, BigInt(state.record), patience),
  },
  onEntry: yieldCpu,
  onNotice: notice => parentPort?.postMessage(notice),
})
const answer = createLogAnswers({ reader: async () => store, headFile: logHeadFile(directory), alone: true, yieldCpu })
const closed = serveLogQuestions(parentPort, answer)
// The index ends at STOPPING, the answers at the message `close`. Until then they take turns.
await Promise.all([follower.run(), closed])
store.close()
