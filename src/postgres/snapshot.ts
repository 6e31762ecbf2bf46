import type { Reader } from '../database/database.ts'
import { connectPostgres, type PostgresConnection } from '../database/postgres.ts'
import { createTickBatcher, readerOf } from '../database/tick-batcher.ts'
import { awayOf, refusalOf } from './checks.ts'

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
