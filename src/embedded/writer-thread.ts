import { parentPort, workerData } from 'node:worker_threads'
import { StoreFault } from '../database/database.ts'
import { GroupCommit } from '../database/group-commit.ts'
import { sql } from '../database/sql.ts'
import { emptyLog, isDamage } from '../database/sqlite.ts'
import { createSqliteSession } from '../database/sqlite-session.ts'
import { createWorks } from '../operations/command.ts'
import { createGivingWay } from '../threads/giving-way.ts'
import { beNice, NICE } from '../threads/priority.ts'
import { type Reply, replyOfError } from '../threads/protocol.ts'
import { awaitIndexed, committed, countWrites, tellBegun, tellCommitted, tellEnded } from '../threads/signals.ts'
import { openStoreForWriting } from './create.ts'
import type { Asked, ThreadData } from './protocol.ts'
import { watchServedFiles } from './served-files.ts'

/** The one thread that writes: it runs write operations in the order they come and commits them in groups. */
const { directory, signals } = workerData as ThreadData
const port = parentPort
if (port === null) throw new Error('The writer runs as a worker thread only.')

/**
 * Records that the search index may be behind before groups of writes wait for it, so that searches need not wait long;
 * and how long each waits at most, in milliseconds: the index may have everything to do anew.
 */
const LAG_MAX = 10_000n
const LAG_PATIENCE = 50

beNice(NICE.writer)
const connection = await openStoreForWriting(directory, line => process.stderr.write(`${line}\n`))
const files = watchServedFiles(directory, connection)
const workOf = createWorks()
const giveWay = createGivingWay(signals)

const publish = (): void => {
  const head = connection.one<{ record: number }>(sql`SELECT record FROM head`)
  tellCommitted(signals, head?.record ?? 0)
}
const session = createSqliteSession(connection, {
  onGroup: () => awaitIndexed(signals, committed(signals) - LAG_MAX, LAG_PATIENCE),
  onCommitting: () => tellBegun(signals),
  onCommit(works) {
    files.assertSame()
    publish()
    countWrites(signals, works)
  },
  onEnd: () => tellEnded(signals),
})
const commits = new GroupCommit(session)
publish()

let replies: Reply[] = []
const reply = (one: Reply): void => {
  if (replies.length === 0) {
    // The next group begins with the next turn, and nothing is sent before its commit.
    process.nextTick(() => {
      port.postMessage(replies)
      replies = []
    })
  }
  replies.push(one)
}

/** What to do about a damaged page: the next start meets it again. */
const withRemedy = ({ cause }: StoreFault): StoreFault =>
  new StoreFault(
    'broken',
    new Error(
      `${(cause as Error).message}; stop the service, see with "palimpsest check" what can be read, and restore the newest backup into an empty directory with "palimpsest restore".`,
    ),
  )

const perform = async (command: Asked): Promise<unknown> => {
  const work = workOf(command)
  const result = await commits.write((tx, floor) => {
    giveWay()
    return work(tx, floor)
  })
  // What a sweep deleted, or a mirror erased, must not outlive it in the log.
  if ((command.name === 'sweep' && result === false) || (command.name === 'keepMirrored' && result === true)) {
    emptyLog(connection)
  }
  return result
}

port.on('message', (message: Asked[] | 'close') => {
  if (message === 'close') {
    commits.idle().then(() => {
      files.stop()
      connection.close()
      port.close()
    })
    return
  }
  for (const command of message) {
    perform(command).then(
      result => reply({ id: command.id, result }),
      error => reply(replyOfError(command.id, isDamage(error) ? withRemedy(error) : error)),
    )
  }
})
port.postMessage('ready')
