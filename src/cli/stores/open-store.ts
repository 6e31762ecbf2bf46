import type { StoreFault } from '../../database/database.ts'
import { appliedMigrations, OtherSchema, pendingSteps } from '../../database/migrate.ts'
import { sql } from '../../database/sql.ts'
import { openSqlite, type SqliteConnection } from '../../database/sqlite.ts'
import { isForeign } from '../../embedded/create.ts'
import { OperatorError } from '../../operator-error.ts'

/** Opens a store for reading. Throws unless it has the newest schema. The store can be served at the same time. */
export function openStoreForReading(path: string): SqliteConnection {
  const connection = openStoreOfAnySchema(path)
  if (pendingSteps(appliedMigrations(connection)).length > 0) {
    connection.close()
    throw new OperatorError(`The store in ${path} has an older schema; run "palimpsest migrate" first.`)
  }
  return connection
}

/** Opens a store of this schema, complete or not, for reading. Throws one sentence for any other file. */
export function openStoreOfAnySchema(path: string): SqliteConnection {
  let connection: SqliteConnection | undefined
  try {
    connection = openSqlite(path, 'read')
    if (isForeign(connection)) throw notAStore(path, 'it is a database of another program')
    const applied = appliedMigrations(connection)
    if (applied.length === 0) throw notAStore(path, 'it has none of its tables')
    pendingSteps(applied)
    if (connection.one(sql`SELECT store_id FROM head`) === undefined)
      throw notAStore(path, 'its creation was interrupted')
    return connection
  } catch (error) {
    connection?.close()
    if (error instanceof OperatorError) throw error
    if (error instanceof OtherSchema) throw new OperatorError(`${path} cannot be read: ${causeOf(error)}.`)
    throw notAStore(path, (error as Error).message)
  }
}

/** Begins a transaction that reads one state of the store, unaffected by later writes. */
export function beginSnapshot(connection: SqliteConnection): void {
  connection.exec('BEGIN')
  connection.one(sql`SELECT record FROM head`)
}

const causeOf = ({ cause }: StoreFault): string => (cause as Error).message

/** Messages of SQLite for a file that is missing or unreadable, or on a failing disk. */
const UNOPENED = /unable to open|disk I\/O/

const notAStore = (path: string, reason: string): OperatorError => {
  const remedy = UNOPENED.test(reason)
    ? 'check that it exists, that this user may read it, and that its disk works'
    : 'name another file'
  // SQLite prints the definition of a table that it cannot parse.
  const cause = reason.replace(/^The store failed: |\.$/g, '').replaceAll(/\s+/g, ' ')
  return new OperatorError(`${path} is not a readable Palimpsest store (${cause}); ${remedy}.`)
}
