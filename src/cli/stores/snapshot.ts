import { type Awaitable, only, type Reader } from '../../database/database.ts'
import { referencesOf } from '../../database/ddl.ts'
import { appliedToPostgres, pendingSteps } from '../../database/migrate.ts'
import type { PostgresConnection } from '../../database/postgres.ts'
import { MIGRATIONS } from '../../database/schema.ts'
import { sql } from '../../database/sql.ts'
import type { SqliteConnection } from '../../database/sqlite.ts'
import { findDataDirectory } from '../../embedded/data-directory.ts'
import { storeFile } from '../../embedded/files.ts'
import { OperatorError } from '../../operator-error.ts'
import { assertNotForeign } from '../../postgres/checks.ts'
import { beginReadOnly, connectCommand, readerThrough } from '../../postgres/snapshot.ts'
import { checksOfPostgres, damageOfTables } from '../check/postgres.ts'
import type { Invocation } from '../command.ts'
import { databaseUrlOf, dataDirOf } from './data-dir.ts'
import { beginSnapshot, openStoreForReading } from './open-store.ts'

/** One state of a store for reading, unaffected by later writes. */
export type Snapshot = {
  store: Reader
  /** Its place, as text. */
  place: string
  /** Damage that only the engine can detect (file, references), as a sentence. */
  damageOfEngine(): Awaitable<string | undefined>
  /** The checks of the engine for data without a hash, as a sentence. Valid if it found no damage. */
  engineCheck(): Awaitable<string>
  close(): Awaitable<void>
}

/** Opens the store of the settings: in PostgreSQL with DATABASE_URL, otherwise in the data directory. */
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
    engineCheck: () => 'The integrity check of SQLite found no fault.',
    close: () => connection.close(),
  }
}

/** Opens a store in PostgreSQL, read-only; also on a standby. */
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
  await assertNotForeign(connection)
  const applied = await appliedToPostgres(connection)
  if (applied.length === 0) {
    throw new OperatorError(
      'The database at DATABASE_URL contains no store; name another one, or start a node to create it.',
    )
  }
  if (pendingSteps(applied).length === 0) return
  throw new OperatorError('The store in PostgreSQL has an older schema; run "palimpsest migrate" first.')
}

function damageOfFile(connection: SqliteConnection): string | undefined {
  const finding = only(connection.one<{ integrity_check: string }>(sql`PRAGMA integrity_check(1)`)).integrity_check
  if (finding !== 'ok') return `The file is damaged: ${finding.replaceAll(/\s+/g, ' ')}.`
  const broken = connection.one<{ table: string; rowid: number | null; parent: string }>(sql`PRAGMA foreign_key_check`)
  if (broken === undefined) return undefined
  return `Row ${broken.rowid ?? '?'} of table ${broken.table} refers to a row of ${broken.parent} that does not exist.`
}

/** The schema in PostgreSQL has no foreign keys, for the speed of writes. This check verifies the references. */
async function damageOfReferences(connection: PostgresConnection): Promise<string | undefined> {
  for (const { table, column, parent } of MIGRATIONS.flatMap(referencesOf)) {
    const text = `SELECT c.${column} AS missing FROM ${table} c WHERE c.${column} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${parent} p WHERE p.number = c.${column}) LIMIT 1`
    const [found] = await connection.query(text)
    if (found !== undefined)
      return `A row of table ${table} refers to ${parent} ${found.missing}, which does not exist.`
  }
  return undefined
}
