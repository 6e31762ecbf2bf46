import type { Awaitable, Reader } from '../database/database.ts'
import { MIGRATIONS } from '../database/migrate.ts'
import { appliedToPostgres } from '../database/migrate-postgres.ts'
import type { PostgresConnection } from '../database/postgres.ts'
import { referencesOf } from '../database/postgres-ddl.ts'
import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { findDataDirectory } from '../embedded/data-directory.ts'
import { storeFile } from '../embedded/files.ts'
import { OperatorError } from '../operator-error.ts'
import { beginReadOnly, connectCommand, readerThrough } from '../postgres/snapshot.ts'
import type { Invocation } from './command.ts'
import { databaseUrlOf, dataDirOf } from './data-dir.ts'
import { beginSnapshot, openStoreForReading } from './open-store.ts'
import { checksOfPostgres, damageOfTables } from './verify-postgres.ts'

/** One state of a store, read however long it takes and whatever is written in that time. */
export type Snapshot = {
  store: Reader
  /** Where it is, for people. */
  place: string
  /** What is wrong in what its engine alone can check, as a sentence: its file, its references. */
  damageOfEngine(): Awaitable<string | undefined>
  /** How the engine checks what no hash covers, as a sentence; to be asked for when it found no damage. */
  engineCheck(): Awaitable<string>
  close(): Awaitable<void>
}

/** Opens the store that the settings name: in PostgreSQL with DATABASE_URL, else in the data directory. */
export async function openSnapshot(invocation: Invocation): Promise<Snapshot> {
  const url = databaseUrlOf(invocation)
  if (url !== undefined) return openDatabaseSnapshot(url)
  return openFileSnapshot(storeFile(findDataDirectory(dataDirOf(invocation), storeFile)))
}

/** Opens an embedded store or a backup of one. */
export function openFileSnapshot(path: string): Snapshot {
  const connection = openStoreForReading(path)
  beginSnapshot(connection)
  return {
    store: connection,
    place: path,
    damageOfEngine: () => damageOfFile(connection),
    engineCheck: () => 'The integrity check of SQLite found nothing.',
    close: () => connection.close(),
  }
}

/** Opens a store in PostgreSQL, read-only: on a standby too. */
export async function openDatabaseSnapshot(url: string): Promise<Snapshot> {
  const connection = await connectCommand(url)
  try {
    await assertNewestSchema(connection)
    await beginReadOnly(connection)
  } catch (error) {
    await connection.close()
    throw error
  }
  return {
    store: readerThrough(connection),
    place: 'The store in PostgreSQL',
    damageOfEngine: async () => (await damageOfTables(connection)) ?? damageOfReferences(connection),
    engineCheck: () => checksOfPostgres(connection),
    close: () => connection.close(),
  }
}

async function assertNewestSchema(connection: PostgresConnection): Promise<void> {
  const applied = (await appliedToPostgres(connection)).map(({ number }) => number)
  if (applied.length === 0) {
    throw new OperatorError(
      'The database at DATABASE_URL holds no store; name another one, or start a node to make it.',
    )
  }
  if (MIGRATIONS.every(({ number }) => applied.includes(number))) return
  throw new OperatorError('The store in PostgreSQL has an older schema; run "palimpsest migrate" first.')
}

function damageOfFile(connection: SqliteConnection): string | undefined {
  const finding = connection.one<{ integrity_check: string }>(sql`PRAGMA integrity_check(1)`)?.integrity_check
  if (finding !== 'ok') return `The file is damaged: ${finding?.replaceAll(/\s+/g, ' ')}.`
  const broken = connection.one<{ table: string; rowid: number | null; parent: string }>(sql`PRAGMA foreign_key_check`)
  if (broken === undefined) return undefined
  return `Row ${broken.rowid ?? '?'} of table ${broken.table} refers to a row of ${broken.parent} that is not there.`
}

/** PostgreSQL is not told of references, for the speed of writes: here is where they are proven. */
async function damageOfReferences(connection: PostgresConnection): Promise<string | undefined> {
  for (const { table, column, parent } of MIGRATIONS.flatMap(({ shared }) => referencesOf(shared ?? ''))) {
    const text = `SELECT c.${column} AS missing FROM ${table} c WHERE c.${column} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${parent} p WHERE p.number = c.${column}) LIMIT 1`
    const [found] = await connection.send([{ text, values: [] }])
    const missing = found?.rows[0]?.missing
    if (missing !== undefined) return `A row of table ${table} refers to ${parent} ${missing}, which is not there.`
  }
  return undefined
}
