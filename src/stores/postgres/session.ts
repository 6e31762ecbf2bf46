import { setTimeout } from 'node:timers/promises'
import { createTickBatcher, readerOf } from '../../engine/batching.ts'
import { type Reader, StoreFault } from '../../engine/database.ts'
import { connectPostgres, type PostgresConnection, type SessionOptions } from '../../engine/postgres.ts'
import { awayOf, refusalOf } from './checks.ts'
import { type Heartbeat, silence } from './heartbeat.ts'

const FIRST_RETRY_MS = 50
const LONGEST_RETRY_MS = 1_000

type Prepare = (connection: PostgresConnection) => Promise<void>

/** A session that opens on demand, and opens again after it was lost. */
export class Session {
  readonly #options: SessionOptions
  readonly #prepare: Prepare
  readonly #heartbeat: Heartbeat | undefined
  readonly #endListening: (() => void) | undefined
  #connection: PostgresConnection | undefined
  /** A connection that is being prepared. */
  #unprepared: PostgresConnection | undefined
  #opening: Promise<PostgresConnection> | undefined
  #closed = false
  #pause = 0
  #notBefore = 0
  #lastError: unknown

  /** `prepare` runs with each new connection before `get` resolves. With a `heartbeat` the session ends when the server becomes silent. */
  constructor(options: SessionOptions, prepare: Prepare = async () => {}, heartbeat?: Heartbeat) {
    this.#options = options
    this.#prepare = prepare
    this.#heartbeat = heartbeat
    this.#endListening = heartbeat?.onSilent(() => {
      this.#connection?.drop()
      this.#unprepared?.drop()
    })
  }

  /**
   * Resolves with the connection. At most one attempt to connect is in progress. Throws StoreFault('unavailable') at once if the server is
   * silent, or was unreachable a moment ago.
   */
  async get(): Promise<PostgresConnection> {
    const connection = this.current()
    if (connection !== undefined) return connection
    if (this.silent()) throw silence()
    if (performance.now() < this.#notBefore) throw this.#lastError
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    const opened = this.#opening
    return this.#heartbeat === undefined ? opened : this.#heartbeat.during(() => opened)
  }

  /** The open connection; undefined if there is none. Does not wait for one. */
  current(): PostgresConnection | undefined {
    return this.#connection?.lost() === false ? this.#connection : undefined
  }

  /** Whether the server is known not to answer, so that a retry is useless. */
  silent(): boolean {
    return this.#heartbeat?.silent() === true
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#endListening?.()
    await this.#opening?.catch(() => {})
    await this.#connection?.close()
  }

  /** Opens a connection. The pause after a failed attempt grows with each failure. */
  async #open(): Promise<PostgresConnection> {
    try {
      this.#connection = await this.#connect()
      this.#pause = 0
      return this.#connection
    } catch (error) {
      this.#pause = Math.min(LONGEST_RETRY_MS, Math.max(FIRST_RETRY_MS, this.#pause * 2))
      this.#notBefore = performance.now() + this.#pause
      this.#lastError = error
      throw error
    }
  }

  async #connect(): Promise<PostgresConnection> {
    this.#unprepared = undefined
    try {
      this.#unprepared = await connectPostgres(this.#options)
      if (this.silent()) throw silence()
      await this.#prepare(this.#unprepared)
    } catch (error) {
      await this.#unprepared?.close()
      throw refusalOf(error as Error)
    }
    if (this.#closed) {
      await this.#unprepared.close()
      throw new StoreFault('unavailable', new Error('the store is closing'))
    }
    return this.#unprepared
  }
}

/** Resolves with the connection of a session. Retries until `deadline` (by performance.now()), or until the server is silent. */
export async function getConnectionBefore(
  session: Pick<Session, 'get' | 'silent'>,
  deadline: number,
): Promise<PostgresConnection> {
  for (;;) {
    try {
      return await session.get()
    } catch (error) {
      if (!(error instanceof StoreFault) || performance.now() > deadline || session.silent()) throw error
      await setTimeout(FIRST_RETRY_MS)
    }
  }
}

/** Statements over a whole store may take long; in milliseconds. */
const STATEMENT_TIMEOUT_MS = 6 * 3_600_000

/** A session for a command, with long timeouts. `setting` names the URL in errors. Throws OperatorError if the operator can fix the cause. */
export function connectCommand(url: string, setting = 'DATABASE_URL'): Promise<PostgresConnection> {
  const limits = { statementTimeout: STATEMENT_TIMEOUT_MS, idleTimeout: STATEMENT_TIMEOUT_MS }
  return connectPostgres({ url, name: 'command', ...limits, explain: error => refusalOf(error, setting) }).catch(
    error => {
      throw awayOf(error, setting)
    },
  )
}

/** Reads through a session; the statements of one turn are sent together. */
export const readerThrough = (connection: PostgresConnection): Reader =>
  readerOf(createTickBatcher(queries => connection.send(queries)))

/** Begins a read-only transaction that sees one state of the store, however long it lasts. It also works on a standby. */
export const beginReadOnly = (connection: PostgresConnection): Promise<void> =>
  connection.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
