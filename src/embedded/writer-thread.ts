import { randomBytes } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { v7 as uuid } from 'uuid'
import type { Transaction } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { sql } from '../database/sql.ts'
import { assertDurable, openSqlite } from '../database/sqlite.ts'
import { createWriteQueue } from '../database/write-queue.ts'
import { UPKEEP, WRITES } from '../operations/index.ts'
import type { Context } from '../operations/operation.ts'
import { ensureHead } from './create.ts'
import { storeFile } from './files.ts'
import { type Command, type Reply, replyOfError, type ThreadData } from './protocol.ts'
import { tellCommitted } from './signals.ts'

/** The one thread that writes: it runs write operations in the order they come and commits them in groups. */
const { directory, signals } = workerData as ThreadData
const port = parentPort
if (port === null) throw new Error('The writer runs as a worker thread only.')

const CACHE_KIB = 16_384
const connection = openSqlite(storeFile(directory), 'write', { cacheKib: CACHE_KIB })
migrate(connection, Date.now())
await ensureHead(connection)
assertDurable(connection)

const publish = (): void => {
  const head = connection.one<{ record: number }>(sql`SELECT record FROM head`)
  tellCommitted(signals, head?.record ?? 0)
}
const write = createWriteQueue(connection, publish)
publish()

let latest = 0
let made = 0
const contextOf = ({ terms }: Command): Context => {
  if (terms.at > latest) {
    latest = terms.at
    made = 0
  }
  // Ids of one instant count up, so that their order is the order of making.
  return { ...terms, at: latest, newId: () => uuid({ msecs: latest, seq: made++ }), randomBytes }
}

type Runner = (tx: Transaction, context: Context, input: unknown) => Promise<unknown>
const RUNNERS = { ...WRITES, ...UPKEEP } as unknown as Record<Command['name'], Runner>

let replies: Reply[] = []
const reply = (one: Reply): void => {
  if (replies.length === 0) {
    setImmediate(() => {
      port.postMessage(replies)
      replies = []
    })
  }
  replies.push(one)
}

port.on('message', (message: Command[] | 'close') => {
  if (message === 'close') {
    write.idle().then(() => {
      connection.close()
      port.close()
    })
    return
  }
  for (const command of message) {
    write(tx => RUNNERS[command.name](tx, contextOf(command), command.input)).then(
      result => reply({ id: command.id, result }),
      error => reply(replyOfError(command.id, error)),
    )
  }
})
port.postMessage('ready')
