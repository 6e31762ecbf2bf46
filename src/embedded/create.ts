import { randomUUID } from 'node:crypto'
import { migrate } from '../database/migrate.ts'
import { sql } from '../database/sql.ts'
import { assertDurable, openSqlite, type SqliteConnection } from '../database/sqlite.ts'
import { transact } from '../database/sqlite-session.ts'
import { recountStandings } from '../operations/recount.ts'
import { recountSignals } from '../operations/recount-signals.ts'
import { insertHead } from '../store/head.ts'
import { assertStoreNotLost, markStore } from './data-directory.ts'
import { storeFile } from './files.ts'

const CACHE_KIB = 4_096

/**
 * Opens the store of a locked directory for writing: made if there never was one, of the newest schema, every commit durable. `report` gets
 * a line every few seconds while a store of an older version is brought up to date. Throws OperatorError where there was a store and is none.
 */
export async function openStoreForWriting(
  directory: string,
  report?: (line: string) => void,
): Promise<SqliteConnection> {
  assertStoreNotLost(directory)
  const connection = openSqlite(storeFile(directory), 'write', { cacheKib: CACHE_KIB })
  migrate(connection, Date.now())
  await ensureHead(connection)
  assertDurable(connection)
  markStore(directory)
  await recountStandings(work => transact(connection, work), report)
  await recountSignals(work => transact(connection, work), report)
  return connection
}

/** Gives a new store its identity; an old one keeps its own. */
async function ensureHead(connection: SqliteConnection): Promise<void> {
  if (connection.one(sql`SELECT one FROM head`) === undefined) await insertHead(connection, randomUUID())
}
