import { appliedMigrations, assertKnown, MIGRATIONS } from '../database/migrate.ts'
import { sql } from '../database/sql.ts'
import { openSqlite, type SqliteConnection } from '../database/sqlite.ts'
import { OperatorError } from '../operator-error.ts'

/** Opens a store for reading and makes sure that it has the newest schema. It may be served at the same time. */
export function openStoreForReading(path: string): SqliteConnection {
  const connection = openStoreOfAnySchema(path)
  const pending = MIGRATIONS.filter(({ number }) => !appliedMigrations(connection).some(one => one.number === number))
  if (pending.length > 0) {
    connection.close()
    throw new OperatorError(`The store in ${path} has an older schema; run "palimpsest migrate" first.`)
  }
  return connection
}

/** Opens a store for reading, of this schema or an older one; anything else is refused in a sentence. */
export function openStoreOfAnySchema(path: string): SqliteConnection {
  let connection: SqliteConnection
  try {
    connection = openSqlite(path, 'read')
  } catch (error) {
    throw notAStore(path, (error as Error).message)
  }
  try {
    const applied = appliedMigrations(connection)
    if (applied.length === 0) throw notAStore(path, 'it has none of its tables')
    assertKnown(applied)
    if (connection.one(sql`SELECT store_id FROM head`) === undefined) throw notAStore(path, 'it was never finished')
    return connection
  } catch (error) {
    connection.close()
    if (error instanceof OperatorError || isNewer(error)) throw error
    throw notAStore(path, (error as Error).message)
  }
}

/** Begins a transaction that sees one state of the store, however long it lasts and whatever is written in that time. */
export function beginSnapshot(connection: SqliteConnection): void {
  connection.exec('BEGIN')
  connection.one(sql`SELECT record FROM head`)
}

const isNewer = (error: unknown): boolean => error instanceof Error && error.message.includes('run the newer version')

/** What SQLite says of a file that is not there, may not be read, or lies on a disk that fails. */
const UNOPENED = /unable to open|disk I\/O/

const notAStore = (path: string, reason: string): OperatorError => {
  const remedy = UNOPENED.test(reason)
    ? 'see that it is there, that this user may read it, and that its disk is sound'
    : 'name another file'
  // SQLite shows the definition of a table that it does not understand.
  const cause = reason.replace(/^The store failed: |\.$/g, '').replaceAll(/\s+/g, ' ')
  return new OperatorError(`${path} is not a readable Palimpsest store (${cause}); ${remedy}.`)
}
