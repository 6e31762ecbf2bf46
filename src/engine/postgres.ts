import { Socket } from 'node:net'
import { Client, type ClientConfig, type QueryResult, types } from 'pg'
import { type Row, StoreFault, type Value } from './database.ts'

/** A statement in PostgreSQL's syntax: `$1` marks a value; lists are arrays. */
export type Query = { text: string; values: readonly (Value | readonly Value[])[] }
export type Result = { rows: Row[]; count: number; command: string }

export type SessionOptions = {
  url: string
  /** The purpose of the session, shown in pg_stat_activity. */
  name: string
  /** Milliseconds after which the server cancels a statement. */
  statementTimeout: number
  /** Milliseconds after which the server ends a session that is idle in a transaction. */
  idleTimeout: number
  /** Milliseconds after which an attempt to connect fails; 3,000 by default. */
  connectTimeout?: number
  /** Skips the settings of this program, for a server that may not have them. */
  plain?: true
  /** Translates an error of `send`, `exec` or the start of the session; by default errors are unchanged. */
  explain?: (error: Error) => Error
}

const CONNECT_TIMEOUT_MS = 3_000
/** Milliseconds past its own limits after which a silent server counts as lost. */
const SILENCE_MARGIN_MS = 5_000
/**
 * How often the server checks during a statement that its client is connected, and how long it waits for an acknowledgement, in
 * milliseconds.
 */
const CLIENT_CHECK_INTERVAL_MS = 1_000
const TCP_TIMEOUT_MS = 4_000

const NUMBERS = new Set<number>([types.builtins.INT8, types.builtins.NUMERIC])
const PARSERS = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    NUMBERS.has(oid) ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

/** The statements that set up a session; the limits are in milliseconds. */
export const sessionSettings = (statementTimeout: number, idleTimeout: number): string[] => [
  `SET statement_timeout = ${statementTimeout}`,
  `SET idle_in_transaction_session_timeout = ${idleTimeout}`,
  `SET client_connection_check_interval = ${CLIENT_CHECK_INTERVAL_MS}`,
  `SET tcp_user_timeout = ${TCP_TIMEOUT_MS}`,
  'SET tcp_keepalives_idle = 2',
  'SET tcp_keepalives_interval = 1',
  'SET tcp_keepalives_count = 3',
  'SET max_parallel_workers_per_gather = 0',
  'SET client_min_messages = warning',
  'SET search_path = public',
]

/** Opens a pipelined session. Throws StoreFault('unavailable') when the server cannot be reached; PostgreSQL's error when it refuses. */
export async function connectPostgres(options: SessionOptions): Promise<PostgresConnection> {
  const { url, name, statementTimeout, idleTimeout, connectTimeout = CONNECT_TIMEOUT_MS, plain } = options
  const socket = new Socket()
  const config: ClientConfig = {
    connectionString: url,
    application_name: `palimpsest ${name}`,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    pipeline: true,
    stream: () => socket,
    types: PARSERS,
  }
  const connection = new PostgresConnection(new Client(config), socket, options)
  await connection.open(plain ? [] : sessionSettings(statementTimeout, idleTimeout))
  return connection
}

type Limits = Pick<SessionOptions, 'statementTimeout' | 'idleTimeout'>

/** A session with PostgreSQL. */
export class PostgresConnection {
  readonly #client: Client
  /** The connection to the server. With TLS, the client writes through another socket over this one. */
  readonly #socket: Socket
  readonly #limits: Limits
  readonly #explain: (error: Error) => Error
  #lost = false
  #pending = 0
  #statementTimeout: number

  constructor(
    client: Client,
    socket: Socket,
    { explain = error => error, ...limits }: Limits & Pick<SessionOptions, 'explain'>,
  ) {
    this.#client = client
    this.#socket = socket
    this.#limits = limits
    this.#explain = explain
    this.#statementTimeout = limits.statementTimeout
    const lose = (): void => {
      this.#lost = true
    }
    client.on('error', lose)
    client.on('end', lose)
  }

  /** Connects and runs the statements that set up the session. */
  async open(settings: readonly string[]): Promise<void> {
    try {
      await this.#client.connect()
      if (settings.length > 0) await this.#client.query(settings.join(';'))
    } catch (error) {
      this.#client.end().catch(() => {})
      throw this.#explain(faultOf(error as Error))
    }
  }

  /**
   * Sends statements together and resolves when all are answered. Each runs in its own transaction unless one was begun. Rejects with the
   * first error: a `StoreFault` if the engine or the connection failed, else PostgreSQL's own error.
   */
  async send(queries: readonly Query[]): Promise<Result[]> {
    const results = await this.settle(queries)
    for (const one of results) if (one instanceof Error) throw this.#explain(one)
    return results as Result[]
  }

  /** Sends one statement, and resolves with its rows. Rejects like `send`. */
  async query<R = Row>(text: string, values: Query['values'] = []): Promise<R[]> {
    const [result] = await this.send([{ text, values }])
    return (result as Result).rows as R[]
  }

  /** Like `send`, but resolves with a result or an error for each statement. */
  async settle(queries: readonly Query[]): Promise<(Result | Error)[]> {
    this.#pending += queries.length
    const fault = (error: Error): Error => this.#faultOf(error)
    try {
      return await this.#withinLimit(() => {
        this.#socket.cork()
        const results = queries.map(({ text, values }) =>
          this.#client.query({ name: nameOf(text), text, values: values as unknown[] }).then(resultOf, fault),
        )
        this.#socket.uncork()
        return Promise.all(results)
      })
    } finally {
      this.#pending -= queries.length
    }
  }

  /** Runs constant text, such as DDL and settings, with one or more statements. */
  async exec(text: string): Promise<void> {
    await this.#withinLimit(() =>
      this.#client.query(text).catch(error => {
        throw this.#explain(this.#faultOf(error))
      }),
    )
  }

  /**
   * Sets the limit of each later statement, and of the pause between two statements of a transaction, in milliseconds; undefined restores
   * the limits of the session.
   */
  async limit(milliseconds = this.#limits.statementTimeout): Promise<void> {
    const { statementTimeout, idleTimeout } = this.#limits
    const idle = milliseconds === statementTimeout ? idleTimeout : milliseconds
    await this.exec(`SET statement_timeout = ${milliseconds}; SET idle_in_transaction_session_timeout = ${idle}`)
    this.#statementTimeout = milliseconds
  }

  /** The number of statements that are sent and not answered. */
  pending(): number {
    return this.#pending
  }

  /** Ends the session at once. Statements that are not answered reject as 'unavailable'. */
  drop(): void {
    this.#lost = true
    // A server that does not answer can only be left by closing the socket.
    this.#socket.destroy()
  }

  /** True when the session is gone; every further statement rejects. */
  lost(): boolean {
    return this.#lost
  }

  async close(): Promise<void> {
    const deadline = setTimeout(() => this.drop(), CONNECT_TIMEOUT_MS)
    await this.#client.end().catch(() => {})
    clearTimeout(deadline)
    this.#lost = true
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Runs queries; the session ends if the server is silent for longer than its own limits. */
  async #withinLimit<T>(run: () => Promise<T>): Promise<T> {
    if (this.#lost) throw new StoreFault('unavailable', new Error('the session has ended'))
    const deadline = setTimeout(() => this.drop(), this.#statementTimeout + SILENCE_MARGIN_MS)
    try {
      return await run()
    } finally {
      clearTimeout(deadline)
    }
  }

  /** The fault of a failed query. A read-only session stays read-only after the server became writable, so it is closed. */
  #faultOf(error: Error): Error {
    if ((error as { code?: string }).code === ONLY_READS) this.drop()
    return faultOf(error)
  }
}

const resultOf = ({ rows, rowCount, command }: QueryResult<Row>): Result => ({ rows, count: rowCount ?? 0, command })

const names = new Map<string, string>()
/** The name under which a statement is prepared: one per text. */
function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `s${names.size}`
    names.set(text, name)
  }
  return name
}

const DISK_FULL = '53100'
const ONLY_READS = '25006'
/** Error codes of unreadable or damaged files. */
const BROKEN = new Set(['58030', 'XX001', 'XX002'])
/**
 * Error codes of temporary failures: shutdown, start, ended session, read-only server. Lost connections (class 08) and a lack of resources
 * (class 53) are temporary too.
 */
const UNAVAILABLE = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  ONLY_READS,
  '55000',
  '25P03',
  '57014',
  '55P03',
  '40P01',
  '40001',
])

/** Maps an error of the driver to a `StoreFault`; returns errors of statements unchanged. */
function faultOf(error: Error): Error {
  if (error instanceof StoreFault) return error
  const { code, severity } = error as { code?: string; severity?: string }
  if (severity === undefined || code === undefined) return new StoreFault('unavailable', error)
  if (code === DISK_FULL) return new StoreFault('full', error)
  if (BROKEN.has(code)) return new StoreFault('broken', error)
  return UNAVAILABLE.has(code) || /^(?:080|53)/.test(code) ? new StoreFault('unavailable', error) : error
}
