import type { Socket } from 'node:net'
import { Client, type ClientConfig, type QueryResult, types } from 'pg'
import { type Row, StoreFault } from './database.ts'
import type { Value } from './sql.ts'

/** A statement in PostgreSQL's own words: `$1` marks a value; lists are arrays. */
export type Query = { text: string; values: readonly (Value | readonly Value[])[] }
export type Result = { rows: Row[]; count: number; command: string }

/** A session with PostgreSQL. */
export type PostgresConnection = {
  /**
   * Sends statements in one go and resolves when all are answered; each runs by itself unless a transaction was begun.
   * Rejects with the first error: a `StoreFault` where the engine or the way to it failed, else PostgreSQL's own error.
   */
  send(queries: readonly Query[]): Promise<Result[]>
  /** The same, with an answer or an error for each. */
  settle(queries: readonly Query[]): Promise<(Result | Error)[]>
  /** Runs fixed text of our own: DDL and settings, several statements at once. */
  exec(text: string): Promise<void>
  /**
   * Sets the limit of each later statement, and of the pause between two statements of a transaction, in milliseconds; undefined restores
   * the limits of the session.
   */
  limit(milliseconds: number | undefined): Promise<void>
  /** Statements sent and not answered. */
  pending(): number
  /** Ends the session at once. Statements that are not answered reject as 'unavailable'. */
  drop(): void
  /** True when the session is gone; every further statement rejects. */
  lost(): boolean
  close(): Promise<void>
}

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
  /** Leaves the session without the settings of this program, for a server that may not have them. */
  plain?: true
}

const CONNECT_TIMEOUT = 3_000
/** A server that is silent for this much longer than its own limits counts as lost, in milliseconds. */
const SILENCE = 5_000
/**
 * How often the server checks during a statement that its client is connected, and how long it waits for an acknowledgement, in
 * milliseconds.
 */
const CLIENT_CHECK = 1_000
const TCP_TIMEOUT = 4_000

const NUMBERS = new Set<number>([types.builtins.INT8, types.builtins.NUMERIC])
const PARSERS = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    NUMBERS.has(oid) ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

/** The statements that set up a session; the limits are in milliseconds. */
export const sessionSettings = (statementTimeout: number, idleTimeout: number): string[] => [
  `SET statement_timeout = ${statementTimeout}`,
  `SET idle_in_transaction_session_timeout = ${idleTimeout}`,
  `SET client_connection_check_interval = ${CLIENT_CHECK}`,
  `SET tcp_user_timeout = ${TCP_TIMEOUT}`,
  'SET tcp_keepalives_idle = 2',
  'SET tcp_keepalives_interval = 1',
  'SET tcp_keepalives_count = 3',
  'SET max_parallel_workers_per_gather = 0',
  'SET client_min_messages = warning',
  'SET search_path = public',
]

/** Opens a pipelined session. Throws StoreFault('unavailable') when the server cannot be reached; PostgreSQL's error when it refuses. */
export async function connectPostgres({
  url,
  name,
  statementTimeout,
  idleTimeout,
  connectTimeout = CONNECT_TIMEOUT,
  plain,
}: SessionOptions): Promise<PostgresConnection> {
  const config: ClientConfig & { pipeline: boolean } = {
    connectionString: url,
    application_name: `palimpsest ${name}`,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    pipeline: true,
    types: PARSERS,
  }
  const client = new Client(config)
  let lost = false
  let pending = 0
  let limit = statementTimeout
  client.on('error', () => {
    lost = true
  })
  client.on('end', () => {
    lost = true
  })
  try {
    await client.connect()
    if (!plain) await client.query(sessionSettings(statementTimeout, idleTimeout).join(';'))
  } catch (error) {
    client.end().catch(() => {})
    throw faultOf(error as Error)
  }
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  // A server that does not answer can only be left by closing the socket.
  const drop = (): void => {
    lost = true
    stream.destroy()
  }
  /** The fault of a failed query. A read-only session stays read-only after the server became writable, so it is closed. */
  const faultOfQuery = (error: Error): Error => {
    if ((error as { code?: string }).code === ONLY_READS) drop()
    return faultOf(error)
  }
  const assertThere = (): void => {
    if (lost) throw new StoreFault('unavailable', new Error('the session has ended'))
  }
  const settle = async (queries: readonly Query[]): Promise<(Result | Error)[]> => {
    assertThere()
    pending += queries.length
    const patience = setTimeout(drop, limit + SILENCE)
    try {
      stream.cork()
      const sent = queries.map(({ text, values }) =>
        client.query({ name: nameOf(text), text, values: values as unknown[] }).then(resultOf, faultOfQuery),
      )
      stream.uncork()
      return await Promise.all(sent)
    } finally {
      clearTimeout(patience)
      pending -= queries.length
    }
  }
  const exec = async (text: string): Promise<void> => {
    assertThere()
    const patience = setTimeout(drop, limit + SILENCE)
    try {
      await client.query(text)
    } catch (error) {
      throw faultOfQuery(error as Error)
    } finally {
      clearTimeout(patience)
    }
  }
  return {
    async send(queries) {
      const results = await settle(queries)
      for (const one of results) if (one instanceof Error) throw one
      return results as Result[]
    },
    settle,
    exec,
    async limit(milliseconds = statementTimeout) {
      const idle = milliseconds === statementTimeout ? idleTimeout : milliseconds
      await exec(`SET statement_timeout = ${milliseconds}; SET idle_in_transaction_session_timeout = ${idle}`)
      limit = milliseconds
    },
    pending: () => pending,
    drop,
    lost: () => lost,
    async close() {
      const patience = setTimeout(drop, CONNECT_TIMEOUT)
      await client.end().catch(() => {})
      clearTimeout(patience)
      lost = true
    },
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
 * Error codes that pass by themselves: shutdown, start, ended session, read-only server. So do lost connections (08) and a lack of
 * resources (53).
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
