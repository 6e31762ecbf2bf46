import { setTimeout } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { StoreFault } from '../database/database.ts'
import { OperatorError } from '../operator-error.ts'
import { createFollower, prepareToFollow, tidy } from './search-follow.ts'
import { createSession } from './session.ts'

/**
 * The thread that keeps the search index behind the store. Of all nodes one follows at a time; the others look again now and then.
 */
const { url } = workerData as { url: string }
const port = parentPort
if (port === null) throw new Error('The index is followed by a worker thread only.')

/** Milliseconds between two looks: when there is nothing to do, when another node follows, when the database is away. */
const IDLE = 20
const TAKEN = 100
const AWAY = 500
/** Entries are gathered for so long unless a search waits for them, in milliseconds. */
const GATHER = 300
/** After so many looks at nothing new the index is tidied. */
const TIDY_AFTER = 50

const follower = createFollower(GATHER)
let stopping = false
/** The newest record that a search of this node waits for. */
let wanted = 0
let pausing = new AbortController()
port.on('message', (message: 'stop' | number) => {
  if (message === 'stop') stopping = true
  else wanted = Math.max(wanted, message)
  pausing.abort()
})
const session = createSession({ url, name: 'index', statementTimeout: 30_000, idleTimeout: 5_000 }, prepareToFollow)

let untidy = true
let idle = 0

async function follow(): Promise<number> {
  try {
    const connection = await session.get()
    const followed = await follower.follow(connection, wanted)
    idle = followed === 'idle' ? idle + 1 : 0
    if (followed === 'more' || followed === 'done') untidy = true
    if (untidy && idle === TIDY_AFTER) {
      await tidy(connection)
      untidy = false
    }
    return { more: 0, done: IDLE, gathering: IDLE, idle: IDLE, taken: TAKEN }[followed]
  } catch (error) {
    // A database that is away, full, or not yet prepared comes round; anything else ends the thread, and the service with it.
    const passing = error instanceof StoreFault ? error.kind !== 'broken' : isUnprepared(error)
    if (!passing) throw error
    return AWAY
  }
}

/** What PostgreSQL says of a table or column that a step of the schema has yet to make. */
const UNDEFINED = new Set(['42P01', '42703'])
const isUnprepared = (error: unknown): boolean =>
  error instanceof OperatorError || UNDEFINED.has((error as { code?: string }).code ?? '')

while (!stopping) {
  // A message that comes from now on cuts the pause short.
  pausing = new AbortController()
  const pause = await follow()
  if (pause > 0 && !stopping) await setTimeout(pause, undefined, { signal: pausing.signal }).catch(() => {})
}
await session.close()
port.close()
