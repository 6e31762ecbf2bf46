import { parentPort, workerData } from 'node:worker_threads'
import { isUnavailable, type Reader, type Sql, StoreFault, sql } from '../../engine/database.ts'
import {
  awaitBeyond,
  COMMITTED,
  isDamaged,
  NICE,
  positionOf,
  publish,
  reportReady,
  type SharedCounters,
  STOPPING,
  setNice,
  WANTED,
} from '../../engine/thread.ts'
import { openIndex, type StoreState } from '../../find/index/file.ts'
import { IndexFollower } from '../../find/index/follower.ts'
import { ERASED_REVISIONS } from '../../memory/entries/rows.ts'
import { storeEpochOf } from '../../memory/head-rows.ts'
import { OperatorError } from '../../operator-error.ts'
import { createLogAnswers, serveLogQuestions } from '../../tlog/answers.ts'
import { readerThrough, Session } from './session.ts'

/**
 * The thread of a node that follows the database: updates the search index `file` of this node, and computes the public log. `headFile` is
 * the path of this node's last checkpoint.
 */
export type FollowerData = { url: string; file: string; headFile: string; counters: SharedCounters }
const { url, file, headFile, counters } = workerData as FollowerData
/** Interval in milliseconds at which the database is polled for writes of other nodes while no search waits. */
const POLL_INTERVAL_MS = 200

setNice(NICE.follower)
const session = new Session({ url, name: 'follower', statementTimeout: 30_000, idleTimeout: 5_000 })
let fault: StoreFault | undefined
const index = openIndex(file, undefined, found => {
  fault = found
})
/** Reads through the session, which reconnects after a loss. */
const reader = async (): Promise<Reader> => readerThrough(await session.get())

/** Error codes of a missing table or column, which a step of the schema will create. */
const UNDEFINED = new Set(['42P01', '42703'])

/**
 * Reads from the database. A database without the schema, or one that refuses this node, counts as unavailable. The writer reports the
 * reason.
 */
async function reading<R>(statement: Sql): Promise<R[]> {
  try {
    return await (await reader()).all<R>(statement)
  } catch (error) {
    const passing = error instanceof OperatorError || UNDEFINED.has((error as { code?: string }).code ?? '')
    if (passing || isUnavailable(error)) throw new StoreFault('unavailable', error as Error)
    throw new Error('The search index cannot follow: the database cannot be read.', { cause: error })
  }
}

/** The store of the database, its newest record and its epoch. A database that another node is setting up counts as unavailable. */
async function state(): Promise<StoreState & { erased: number }> {
  const [head] = await reading<StoreState & { sequence: number; erased: number }>(
    sql`SELECT store_id AS "storeId", record, sequence, (${ERASED_REVISIONS}) AS erased FROM head`,
  )
  if (head === undefined) throw new StoreFault('unavailable', new Error('the store has no head row yet'))
  const { storeId, record, sequence, erased } = head
  const reached = { record, storeEpoch: storeEpochOf(sequence) }
  publish(counters, COMMITTED, positionOf(reached))
  return { storeId, ...reached, erased }
}

/** Whether the follower has something else to do than to wait. */
const isInterrupted = (): boolean => Atomics.load(counters, STOPPING) === 1n || isDamaged(counters)

// The first message says that the thread is ready. A notice may follow at once.
reportReady(parentPort)
const follower = new IndexFollower({
  counters,
  file,
  index,
  fault,
  source: {
    state,
    read: reading,
    async awaitNewer(seen, patience) {
      const deadline = performance.now() + patience
      while (!isInterrupted() && performance.now() < deadline) {
        const left = Math.min(POLL_INTERVAL_MS, deadline - performance.now())
        await awaitBeyond(counters, WANTED, positionOf(seen), left)
        const now = await state()
        if (now.record > seen.record || now.storeEpoch !== seen.storeEpoch) return true
      }
      return isInterrupted()
    },
  },
  onNotice: notice => parentPort?.postMessage(notice),
})
const closed = serveLogQuestions(parentPort, createLogAnswers({ reader, headFile, alone: false }))
await Promise.all([follower.run(), closed])
await session.close()
