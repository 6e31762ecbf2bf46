import { setTimeout } from 'node:timers/promises'
import { createTickBatcher, readerOf } from '../../engine/batching.ts'
import { type Reader, StoreFault, waitUnlessAborted } from '../../engine/database.ts'
import {
  connectPostgres,
  type PostgresConnection,
  type Query,
  type Result,
  type SessionOptions,
} from '../../engine/postgres.ts'
import { awayOf, refusalOf } from './checks.ts'

const BEAT_INTERVAL_MS = 250
/** Milliseconds without a beat after which the server counts as late, and as silent. */
const LATE_AFTER_MS = 1_500
const SILENT_AFTER_MS = 2_500
/** Time without a beat is counted in steps of this many milliseconds. A step that a busy event loop delays counts once. */
const STEP_MS = 100
const BEAT: Query = { text: 'SELECT 1', values: [] }

type HeartbeatOptions = {
  /** The statement that asks for a beat. */
  beat?: Query
  /** Called with the answer to each beat, and the milliseconds that it took. */
  onBeat?(result: Result, milliseconds: number): void
  /** Called each time the server becomes late. */
  onLate?(fault: StoreFault): void
}

/** The fault of every request to a server that is silent. */
export const silence = (): StoreFault => new StoreFault('unavailable', new Error('the server does not answer'))

/**
 * Detects whether the server at a URL answers, over a separate session. A connection whose peer has vanished fails only after many seconds.
 * The heartbeat ends the requests that wait for it.
 */
export class Heartbeat {
  readonly #url: string
  readonly #options: HeartbeatOptions
  readonly #listeners = new Set<() => void>()
  readonly #closing = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly #running: Promise<void>
  #connection: PostgresConnection | undefined
  /** Milliseconds since the last beat during which this process was running. */
  #waited = 0

  /** Begins at once. */
  constructor(url: string, options: HeartbeatOptions = {}) {
    this.#url = url
    this.#options = options
    this.#timer = setInterval(() => this.#step(), STEP_MS).unref()
    this.#running = this.#run()
  }

  /** True when the last beat is more than 1.5 s ago. */
  late(): boolean {
    return this.#waited >= LATE_AFTER_MS
  }

  /** True when the last beat is more than 2.5 s ago: nothing is sent, and statements under way are abandoned. */
  silent(): boolean {
    return this.#waited >= SILENT_AFTER_MS
  }

  /** Calls `listener` each time the server becomes silent. Returns the function that removes the listener. */
  onSilent(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Runs `work`. Rejects with StoreFault('unavailable') when the server is silent, or becomes so before the work has ended. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.silent()) throw silence()
    const lost = Promise.withResolvers<never>()
    const end = this.onSilent(() => lost.reject(silence()))
    try {
      return await Promise.race([work(), lost.promise])
    } finally {
      end()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#timer)
    this.#connection?.drop()
    await this.#running
  }

  #step(): void {
    this.#waited += STEP_MS
    if (this.#waited === LATE_AFTER_MS) this.#options.onLate?.(silence())
    if (this.#waited !== SILENT_AFTER_MS) return
    this.#connection?.drop()
    for (const listener of this.#listeners) listener()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await this.#beat().catch(() => {
        this.#connection?.drop()
        this.#connection = undefined
      })
      await waitUnlessAborted(BEAT_INTERVAL_MS, signal)
    }
  }

  async #beat(): Promise<void> {
    const limits = { statementTimeout: SILENT_AFTER_MS, idleTimeout: SILENT_AFTER_MS, connectTimeout: SILENT_AFTER_MS }
    this.#connection ??= await connectPostgres({ url: this.#url, name: 'heartbeat', ...limits })
    this.#closing.signal.throwIfAborted()
    const began = performance.now()
    const [result] = await this.#connection.send([this.#options.beat ?? BEAT])
    this.#waited = 0
    this.#options.onBeat?.(result as Result, performance.now() - began)
  }
}

const FIRST_RETRY_MS = 50
const LONGEST_RETRY_MS = 1_000

type OnOpen = (connection: PostgresConnection) => Promise<void>

/** A session that opens on demand, and opens again after it was lost. */
export class Session {
  readonly #options: SessionOptions
  readonly #onOpen: OnOpen
  readonly #heartbeat: Heartbeat | undefined
  readonly #endListening: (() => void) | undefined
  #connection: PostgresConnection | undefined
  /** A connection on which `onOpen` runs. */
  #fresh: PostgresConnection | undefined
  #opening: Promise<PostgresConnection> | undefined
  #closed = false
  #pause = 0
  #notBefore = 0
  #lastError: unknown

  /** `onOpen` runs with each new connection before `get` resolves. With a `heartbeat` the session ends when the server becomes silent. */
  constructor(options: SessionOptions, onOpen: OnOpen = async () => {}, heartbeat?: Heartbeat) {
    this.#options = options
    this.#onOpen = onOpen
    this.#heartbeat = heartbeat
    this.#endListening = heartbeat?.onSilent(() => {
      this.#connection?.drop()
      this.#fresh?.drop()
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
    this.#fresh = undefined
    try {
      this.#fresh = await connectPostgres(this.#options)
      if (this.silent()) throw silence()
      await this.#onOpen(this.#fresh)
    } catch (error) {
      await this.#fresh?.close()
      throw refusalOf(error as Error)
    }
    if (this.#closed) {
      await this.#fresh.close()
      throw new StoreFault('unavailable', new Error('the store is closing'))
    }
    return this.#fresh
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
