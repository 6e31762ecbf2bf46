import { readConfig } from '../../config.ts'
import { type Awaitable, only, type Reader, referencesOf, type StoreFault, sql } from '../../engine/database.ts'
import { appliedMigrations, appliedToPostgres, assertColumns, OtherSchema, pendingSteps } from '../../engine/migrate.ts'
import type { PostgresConnection } from '../../engine/postgres.ts'
import { MIGRATIONS } from '../../engine/schema.ts'
import { openSqlite, type SqliteConnection } from '../../engine/sqlite.ts'
import { OperatorError } from '../../operator-error.ts'
import { isForeign } from '../../stores/embedded/create.ts'
import { findDataDirectory, storeFile } from '../../stores/embedded/directory.ts'
import { checksOfPostgres, damageOfTables } from '../check/rows.ts'
import type { Invocation } from '../command.ts'

/** The requested data directory. Other settings, which are for the server, are not read. */
export const dataDirOf = ({ env, flags }: Invocation): string =>
  readConfig(env.DATA_DIR === undefined ? {} : { DATA_DIR: env.DATA_DIR }, { 'data-dir': flags['data-dir'] }).dataDir

/** Throws OperatorError if the settings name PostgreSQL: `command` works on a data directory, and `instead` is the remedy. */
export function assertEmbedded(invocation: Invocation, command: string, instead: string): void {
  if (databaseUrlOf(invocation) === undefined) return
  throw new OperatorError(`"palimpsest ${command}" works on a data directory, and DATABASE_URL is set: ${instead}.`)
}

const DATABASE_SETTINGS = ['DATABASE_URL', 'DATABASE_READ_URL'].flatMap(name => [name, `${name}_FILE`])

const databasesOf = ({ env }: Invocation) =>
  readConfig(
    Object.fromEntries(DATABASE_SETTINGS.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]]))),
  )

/** The database of the settings, if there is one. */
export const databaseUrlOf = (invocation: Invocation): string | undefined => databasesOf(invocation).databaseUrl

/** The standby of the settings, if there is one. */
export const readUrlsOf = (invocation: Invocation): readonly string[] => databasesOf(invocation).databaseReadUrls ?? []

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
    if (pendingSteps(applied).length === 0) assertColumns(connection)
    if (connection.one(sql`SELECT store_id FROM head`) === undefined)
      throw notAStore(path, 'its creation was interrupted')
    return connection
  } catch (error) {
    connection?.close()
    if (error instanceof OperatorError) throw error
    if (error instanceof OtherSchema)
      throw new OperatorError(`${path} is not a readable Palimpsest store of this version: ${causeOf(error)}.`)
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

/** One state of a store for reading, unaffected by later writes. */
export type Snapshot = AsyncDisposable & {
  store: Reader
  /** Its place, as text. */
  place: string
  /** Damage that only the engine can detect (file, references), as a sentence. */
  damageOfEngine(): Awaitable<string | undefined>
  /** The checks of the engine for data without a hash, as a sentence. Valid if it found no damage. */
  engineCheck(): Awaitable<string>
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
    [Symbol.asyncDispose]: async () => connection.close(),
  }
}

/** Opens a store in PostgreSQL, read-only; also on a standby. Loads the client of PostgreSQL, which a service of a data directory never needs. */
export async function openDatabaseSnapshot(url: string): Promise<Snapshot> {
  const [{ assertNotForeign }, { beginReadOnly, connectCommand, readerThrough }] = await Promise.all([
    import('../../stores/postgres/checks.ts'),
    import('../../stores/postgres/session.ts'),
  ])
  const connection = await connectCommand(url)
  try {
    await assertNotForeign(connection)
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
    [Symbol.asyncDispose]: () => connection.close(),
  }
}

export async function assertNewestSchema(connection: PostgresConnection): Promise<void> {
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
