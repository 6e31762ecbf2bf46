import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { StoreFault } from '../database/database.ts'
import { createNewWords } from '../domain/new-words.ts'
import { OperatorError } from '../operator-error.ts'
import { followOnce, tidy } from './search-follow.ts'
import { createSession } from './session.ts'

/**
 * The thread that keeps the search index behind the store. Of all nodes one follows at a time; the others look again now and then.
 * The index is derived, so that its commits need not wait for the disk.
 */
const { url } = workerData as { url: string }
const port = parentPort
if (port === null) throw new Error('The index is followed by a worker thread only.')

/** Milliseconds between two looks: when there is nothing to do, when another node follows, when the database is away. */
const IDLE = 20
const TAKEN = 100
const AWAY = 500
/** After so many looks at nothing new the index is tidied. */
const TIDY_AFTER = 50

let words = createNewWords()
let stopping = false
port.once('message', () => {
  stopping = true
})
const session = createSession({ url, name: 'index', statementTimeout: 30_000, idleTimeout: 5_000 }, connection =>
  connection.exec('SET synchronous_commit = off'),
)

let untidy = true
let idle = 0

async function follow(): Promise<number> {
  try {
    const connection = await session.get()
    const followed = await followOnce(connection, words)
    idle = followed === 'idle' ? idle + 1 : 0
    if (followed === 'more' || followed === 'done') untidy = true
    if (untidy && idle === TIDY_AFTER) {
      await tidy(connection)
      untidy = false
    }
    return { more: 0, done: IDLE, idle: IDLE, taken: TAKEN }[followed]
  } catch (error) {
    words = createNewWords()
    // A database that is away, full, or not yet prepared comes round; anything else ends the thread, and the service with it.
    const passing = error instanceof StoreFault ? error.kind !== 'broken' : isUnprepared(error)
    if (!passing) throw error
    return AWAY
  }
}

const UNDEFINED_TABLE = '42P01'
const isUnprepared = (error: unknown): boolean =>
  error instanceof OperatorError || (error as { code?: string }).code === UNDEFINED_TABLE

while (!stopping) {
  const pause = await follow()
  if (pause > 0 && !stopping) await setTimeout(pause)
}
await session.close()
port.close()
