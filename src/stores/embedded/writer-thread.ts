import { parentPort, workerData } from 'node:worker_threads'
import { only, StoreFault, sql } from '../../engine/database.ts'
import { GroupCommit, type Work } from '../../engine/group-commit.ts'
import { boundLog, checkpointWal, isDamage, rewriteFile, sqliteSession } from '../../engine/sqlite.ts'
import {
  BEGUN,
  blockUntilIndexed,
  COMMITTED,
  createCpuYield,
  ENDED,
  INDEXED,
  NICE,
  publish,
  type Reply,
  replyOfError,
  reportReady,
  requestIndexed,
  setNice,
  WRITES,
} from '../../engine/thread.ts'
import { createWorks, RESIDUES } from '../../memory/commands.ts'
import { NEWEST_RECORD, readHead } from '../../memory/head-rows.ts'
import { openStoreForWriting } from './create.ts'
import { watchServedFiles } from './directory.ts'
import type { ThreadData, WriterRequest } from './store.ts'

/** The only thread that writes. It runs write operations in their order and commits them in groups. */
const { directory, counters } = workerData as ThreadData
const port = parentPort
if (port === null) throw new Error('The writer runs as a worker thread only.')

/**
 * If the index lags by more records than LAG_MAX, each group of writes waits for it, so that searches wait only briefly. A group waits at
 * most LAG_TIMEOUT_MS, because a rebuild of the index can take long.
 */
const LAG_MAX = 10_000n
const LAG_TIMEOUT_MS = 50

/** The bound of the write-ahead log follows the size of the file after so many writes. */
const WRITES_PER_BOUND = 1_000
/** A disk is slow if its commits take longer than this, in milliseconds, averaged with this weight of the latest one. */
const SLOW_COMMIT_MS = 100
const LATEST = 1 / 8

setNice(NICE.writer)
const connection = await openStoreForWriting(directory, line => process.stderr.write(`${line}\n`))
const files = watchServedFiles(directory, connection)
const workOf = createWorks()
const yieldCpu = createCpuYield(counters)

let writes = 0
let commitMs = 0
let isDiskSlow = false
const session = sqliteSession(connection, {
  onGroup() {
    const least = Atomics.load(counters, COMMITTED) - LAG_MAX
    if (Atomics.load(counters, INDEXED) < least) {
      requestIndexed(counters, least)
      blockUntilIndexed(counters, least, LAG_TIMEOUT_MS)
    }
    const wasSlow = isDiskSlow
    isDiskSlow = commitMs > SLOW_COMMIT_MS
    if (writes < WRITES_PER_BOUND && isDiskSlow === wasSlow) return
    boundLog(connection.raw, isDiskSlow)
    writes = 0
  },
  commit(works) {
    const began = performance.now()
    Atomics.add(counters, BEGUN, 1n)
    try {
      connection.run(sql`COMMIT`)
      commitMs += (performance.now() - began - commitMs) * LATEST
      files.assertSame()
      Atomics.add(counters, WRITES, BigInt(works))
      const { record } = only(connection.one<{ record: number }>(NEWEST_RECORD))
      publish(counters, COMMITTED, BigInt(record))
      writes += works
    } finally {
      Atomics.store(counters, ENDED, Atomics.load(counters, BEGUN))
    }
  },
})
const commits = new GroupCommit(session)
publish(counters, COMMITTED, BigInt((await readHead(connection)).record))

/** The replies of this turn. The next group begins in the next turn, and nothing is sent before its commit. */
let replies: Reply[] = []
const sendReplies = (): void => {
  port.postMessage(replies)
  replies = []
}

/** Adds the remedy for a damaged page, because a restart would read the damaged page again. */
const withRemedy = ({ cause, outcomeUnknown }: StoreFault): StoreFault =>
  new StoreFault(
    'broken',
    new Error(
      `${(cause as Error).message}; stop the service, see with "palimpsest check" what can be read, and restore the newest backup into an empty directory with "palimpsest restore".`,
    ),
    { outcomeUnknown },
  )

/** Runs a command, and replies once it is durable. */
const perform = async (command: WriterRequest): Promise<void> => {
  const { id, name, input } = command
  let reply: Reply
  try {
    yieldCpu?.()
    const work = await workOf(command)
    const yielding: Work = (tx, floor) => {
      yieldCpu?.()
      return work(tx, floor)
    }
    const result = await commits.write(yieldCpu === undefined ? work : yielding)
    // Deleted data must not remain in the write-ahead log, and erased data in no page of the file.
    const residue = RESIDUES[name]?.(input, result)
    if (residue === 'rewrite') await rewriteFile(connection)
    if (residue === 'truncate') checkpointWal(connection)
    if (residue !== undefined) boundLog(connection.raw, isDiskSlow)
    reply = { id, result }
  } catch (error) {
    reply = replyOfError(id, isDamage(error) ? withRemedy(error as StoreFault) : error)
  }
  if (replies.length === 0) process.nextTick(sendReplies)
  replies.push(reply)
}

port.on('message', (message: WriterRequest[] | 'close') => {
  if (message === 'close') {
    commits.idle().then(() => {
      files.stop()
      connection.close()
      port.close()
    })
    return
  }
  for (const command of message) void perform(command)
})
reportReady(port)
