import { setTimeout } from 'node:timers/promises'
import { StoreFault } from '../database/database.ts'
import { connectPostgres, type PostgresConnection, type SessionOptions } from '../database/postgres.ts'
import { refusalOf } from './checks.ts'
import { type Heartbeat, silence } from './heartbeat.ts'

const FIRST_PAUSE = 50
const LONGEST_PAUSE = 1_000

/** A session that is opened when it is needed and opened again when it was lost. */
export type Session = {
  /**
   * Resolves with the session; one attempt at a time. Throws StoreFault('unavailable') at once while the server is silent, or was
   * unreachable a moment ago.
   */
  get(): Promise<PostgresConnection>
  /** The open session, without waiting; undefined if there is none. */
  current(): PostgresConnection | undefined
  /** True while the server is known not to answer; do not try again. */
  silent(): boolean
  close(): Promise<void>
}

/** `prepare` is run with each new session before `get` resolves. With a `heartbeat` the session ends when the server becomes silent. */
export function createSession(
  options: SessionOptions,
  prepare: (connection: PostgresConnection) => Promise<void> = async () => {},
  heartbeat?: Heartbeat,
): Session {
  let connection: PostgresConnection | undefined
  /** A session that is being prepared. */
  let made: PostgresConnection | undefined
  let opening: Promise<PostgresConnection> | undefined
  let closed = false
  let pause = 0
  let notBefore = 0
  let last: unknown

  const silent = (): boolean => heartbeat?.silent() === true
  const endListening = heartbeat?.onSilent(() => {
    connection?.drop()
    made?.drop()
  })
  const open = async (): Promise<PostgresConnection> => {
    made = undefined
    try {
      made = await connectPostgres(options)
      if (silent()) throw silence()
      await prepare(made)
    } catch (error) {
      await made?.close()
      throw refusalOf(error as Error)
    }
    if (closed) {
      await made.close()
      throw new StoreFault('unavailable', new Error('the store is closing'))
    }
    return made
  }
  return {
    async get() {
      if (connection !== undefined && !connection.lost()) return connection
      if (silent()) throw silence()
      if (performance.now() < notBefore) throw last
      opening ??= open()
        .then(
          made => {
            connection = made
            pause = 0
            return made
          },
          error => {
            pause = Math.min(LONGEST_PAUSE, Math.max(FIRST_PAUSE, pause * 2))
            notBefore = performance.now() + pause
            last = error
            throw error
          },
        )
        .finally(() => {
          opening = undefined
        })
      const opened = opening
      return heartbeat === undefined ? opened : heartbeat.during(() => opened)
    },
    current: () => (connection?.lost() === false ? connection : undefined),
    silent,
    async close() {
      closed = true
      endListening?.()
      await opening?.catch(() => {})
      await connection?.close()
    },
  }
}

/** Resolves with the session. Waits for the server up to `deadline` (of performance.now()), unless it is silent. */
export async function getPatiently(
  session: Pick<Session, 'get' | 'silent'>,
  deadline: number,
): Promise<PostgresConnection> {
  for (;;) {
    try {
      return await session.get()
    } catch (error) {
      if (!(error instanceof StoreFault) || performance.now() > deadline || session.silent()) throw error
      await setTimeout(FIRST_PAUSE)
    }
  }
}
