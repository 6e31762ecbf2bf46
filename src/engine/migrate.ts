import type { ColumnTypes } from './batching.ts'
import { ddlFor, StoreFault, sql } from './database.ts'
import type { PostgresConnection } from './postgres.ts'
import { MIGRATIONS, type Migration } from './schema.ts'
import { beginWriting, openSqlite, type SqliteConnection } from './sqlite.ts'

/** A step that a store has. */
export type AppliedStep = { number: number; name: string }

/** The advisory lock under which one starting node at a time migrates. */
const LOCK = 7_261_843_205
/** The statement timeout of a step, in milliseconds. A step may take long on a large store, and other nodes wait for it. */
const STEP_TIMEOUT_MS = 6 * 3_600_000
/** The same text on both engines, without the dialect: `migration` is read before it is known which version wrote the store. */
const MIGRATION_TABLE =
  'CREATE TABLE IF NOT EXISTS migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)'
const READ_APPLIED = 'SELECT number, name FROM migration ORDER BY number'

/** The store has the schema of another version, with the remedy. */
export class OtherSchema extends StoreFault {
  constructor(difference: string) {
    const remedy =
      'run the version that wrote it, or write its records with "palimpsest export" of that version and read them with "palimpsest import" of this one'
    super('broken', new Error(`its schema has ${difference}; ${remedy}`))
  }
}

/** The steps that a store lacks. Throws OtherSchema if it has one that `migrations` does not have. */
export function pendingSteps(
  applied: readonly AppliedStep[],
  migrations: readonly Migration[] = MIGRATIONS,
): Migration[] {
  const strange = applied.find(({ number, name }) => migrations[number - 1]?.name !== name)
  if (strange !== undefined)
    throw new OtherSchema(`step ${strange.number} (${strange.name}), which this version does not have`)
  return migrations.slice(applied.length)
}

/** The steps that the store has; none if it is empty. */
export function appliedMigrations(connection: SqliteConnection): AppliedStep[] {
  const known = connection.one(sql`SELECT name FROM sqlite_schema WHERE name = 'migration'`)
  return known === undefined ? [] : connection.all<AppliedStep>({ text: READ_APPLIED, values: [] })
}

const READ_COLUMNS = sql`
  SELECT m.name || '.' || c.name AS name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'`
const columnsOf = (connection: SqliteConnection): string[] =>
  connection.all<{ name: string }>(READ_COLUMNS).map(({ name }) => name)

/** Throws OtherSchema unless a store with all steps has the columns of this version: a version under development changes its last step. */
export function assertColumns(connection: SqliteConnection): void {
  using own = openSqlite(':memory:', 'write')
  migrate(own, 0)
  const [expected, found] = [columnsOf(own), columnsOf(connection)]
  const missing = expected.find(name => !found.includes(name))
  if (missing !== undefined) throw new OtherSchema(`no column ${missing}, so it is of another version or damaged`)
  const strange = found.find(name => !name.startsWith('sqlite_') && !expected.includes(name))
  if (strange !== undefined) throw new OtherSchema(`the column ${strange}, which this version does not have`)
}

/** The steps that the database has; none if it is empty. */
export async function appliedToPostgres(connection: PostgresConnection): Promise<AppliedStep[]> {
  // A row of the catalog is read as it is now. `to_regclass` would answer as of the start of the transaction.
  const known = await connection.query(
    `SELECT 1 FROM pg_tables WHERE schemaname = 'public' AND tablename = 'migration'`,
  )
  return known.length === 0 ? [] : connection.query<AppliedStep>(READ_APPLIED)
}

/**
 * Applies all missing steps, each in a transaction of its own. Returns the names of the applied steps. Safe when several processes start at
 * once: the write lock admits one at a time, and a process waits while others apply steps. Throws StoreFault('unavailable') if another
 * process keeps the store locked and applies no step, and OtherSchema if another version wrote the store.
 */
export function migrate(connection: SqliteConnection, at: number, migrations = MIGRATIONS): string[] {
  const taken: string[] = []
  for (;;) {
    beginStep(connection)
    try {
      const [step] = pendingSteps(appliedMigrations(connection), migrations)
      if (step !== undefined) {
        connection.exec(MIGRATION_TABLE)
        connection.exec(ddlFor(step, 'sqlite'))
        connection.run(
          sql`INSERT INTO migration (number, name, applied_at) VALUES (${step.number}, ${step.name}, ${at})`,
        )
      }
      connection.exec('COMMIT')
      if (step === undefined) return taken
      taken.push(step.name)
    } catch (error) {
      if (connection.raw.isTransaction) connection.exec('ROLLBACK')
      throw error
    }
  }
}

/** Begins a transaction that writes. Waits as long as other processes apply steps. */
function beginStep(connection: SqliteConnection): void {
  for (let known = -1; ; ) {
    try {
      beginWriting(connection)
      return
    } catch (error) {
      const applied = appliedMigrations(connection).length
      if (!(error instanceof StoreFault && error.kind === 'unavailable') || applied <= known) throw error
      known = applied
    }
  }
}

/** Does the same in PostgreSQL. Safe when any number of nodes start at once. */
export async function migratePostgres(
  connection: PostgresConnection,
  at: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string[]> {
  const taken: string[] = []
  // A session that reconnects finds the newest schema and need not wait for the lock.
  if (pendingSteps(await appliedToPostgres(connection), migrations).length === 0) return taken
  await connection.limit(STEP_TIMEOUT_MS)
  for (;;) {
    await connection.exec('BEGIN')
    try {
      await connection.exec(`SELECT pg_advisory_xact_lock(${LOCK})`)
      const [step] = pendingSteps(await appliedToPostgres(connection), migrations)
      if (step !== undefined) {
        await connection.exec(MIGRATION_TABLE)
        await connection.exec(ddlFor(step, 'postgres'))
        const insert = 'INSERT INTO migration (number, name, applied_at) VALUES ($1, $2, $3)'
        await connection.query(insert, [step.number, step.name, at])
      }
      await connection.exec('COMMIT')
      if (step === undefined) break
      taken.push(step.name)
    } catch (error) {
      await connection.exec('ROLLBACK').catch(() => {})
      throw error
    }
  }
  await connection.limit(undefined)
  return taken
}

/** The types of all columns of the schema in PostgreSQL. */
export async function readColumnTypes(connection: PostgresConnection): Promise<ColumnTypes> {
  const rows = await connection.query(
    `SELECT table_name AS name, column_name AS "column", data_type AS type FROM information_schema.columns WHERE table_schema = 'public'`,
  )
  const columns = new Map<string, Map<string, string>>()
  for (const { name, column, type } of rows) {
    const table = columns.get(String(name)) ?? new Map<string, string>()
    columns.set(String(name), table.set(String(column), String(type)))
  }
  return columns
}
