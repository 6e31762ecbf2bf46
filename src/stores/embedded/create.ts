import { randomUUID } from 'node:crypto'
import { only, StoreFault, sql } from '../../engine/database.ts'
import { migrate } from '../../engine/migrate.ts'
import { assertDurable, openSqlite, type SqliteConnection } from '../../engine/sqlite.ts'
import { insertHead } from '../../memory/head-rows.ts'
import { assertStoreNotLost, setOldLogAside, stampStore, storeFile } from './directory.ts'

const CACHE_KIB = 4_096

/**
 * Opens the store of a locked directory for writing. Creates a missing store. Every commit is durable. Renames the write-ahead log of a
 * store that was replaced, and calls `report` with a line about that. Throws OperatorError if the directory has lost its store, and
 * OtherSchema if another version wrote it.
 */
export async function openStoreForWriting(
  directory: string,
  report: (line: string) => void = () => {},
): Promise<SqliteConnection> {
  assertStoreNotLost(directory)
  const aside = setOldLogAside(directory)
  if (aside !== undefined) report(`${aside}.`)
  const connection = openSqlite(storeFile(directory), 'write', { cacheKib: CACHE_KIB })
  if (isForeign(connection)) {
    connection.close()
    throw new StoreFault(
      'broken',
      new Error(`${storeFile(directory)} is a database of another program; set DATA_DIR to another directory`),
    )
  }
  migrate(connection, Date.now())
  await ensureHead(connection)
  assertDurable(connection)
  stampStore(directory, connection)
  return connection
}

/** Whether a file has tables, and they are not those of a store: its table `head` has the id of the store. */
export const isForeign = (connection: SqliteConnection): boolean =>
  only(
    connection.one<{ foreign: number }>(sql`
      SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table')
        AND NOT EXISTS (SELECT 1 FROM pragma_table_info('head') WHERE name = 'store_id') AS "foreign"`),
  ).foreign === 1

/** Assigns an identity to a new store. An existing store keeps its identity. */
async function ensureHead(connection: SqliteConnection): Promise<void> {
  if (connection.one(sql`SELECT one FROM head`) === undefined) await insertHead(connection, randomUUID())
}
