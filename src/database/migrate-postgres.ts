import { ddlFor } from './ddl.ts'
import { assertKnown, MIGRATIONS } from './migrate.ts'
import type { Migration } from './migrations/migration.ts'
import type { PostgresConnection } from './postgres.ts'
import type { ColumnTypes } from './statement-batching.ts'

/** The advisory lock under which one starting node at a time migrates. */
const LOCK = 7_261_843_205
/** The statement timeout of a step, in milliseconds. A step may take long on a large store, and other nodes wait for it. */
const STEP_TIMEOUT_MS = 6 * 3_600_000
const MIGRATION_TABLE = `CREATE TABLE IF NOT EXISTS migration
  (number BIGINT PRIMARY KEY, name TEXT NOT NULL, breaking BIGINT NOT NULL, applied_at BIGINT NOT NULL)`

type Applied = { number: number; name: string; breaking: number }

/** The steps that the database has; none if it is empty. */
export async function appliedToPostgres(connection: PostgresConnection): Promise<Applied[]> {
  // A row of the catalog is read as it is now. `to_regclass` would answer as of the start of the transaction.
  const known = await connection.query(
    `SELECT 1 FROM pg_tables WHERE schemaname = 'public' AND tablename = 'migration'`,
  )
  if (known.length === 0) return []
  return connection.query<Applied>('SELECT number, name, breaking FROM migration ORDER BY number')
}

/**
 * Applies all missing steps, each in a transaction of its own. Returns the names of the applied steps. Safe when any number of nodes start
 * at once. Throws StoreFault('broken') if a newer version migrated the database in a way that this version cannot read.
 */
export async function migratePostgres(
  connection: PostgresConnection,
  at: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string[]> {
  const taken: string[] = []
  // A session that reconnects finds the newest schema and need not wait for the lock.
  if (isNewest(await appliedToPostgres(connection), migrations)) return taken
  await connection.limit(STEP_TIMEOUT_MS)
  for (const step of migrations) {
    await connection.exec('BEGIN')
    try {
      await connection.exec(`SELECT pg_advisory_xact_lock(${LOCK})`)
      const applied = await appliedToPostgres(connection)
      assertKnown(applied, migrations)
      if (!applied.some(({ number }) => number === step.number)) {
        await connection.exec(MIGRATION_TABLE)
        await connection.exec(ddlFor(step, 'postgres'))
        await connection.query('INSERT INTO migration (number, name, breaking, applied_at) VALUES ($1, $2, $3, $4)', [
          step.number,
          step.name,
          step.breaking ? 1 : 0,
          at,
        ])
        taken.push(step.name)
      }
      await connection.exec('COMMIT')
    } catch (error) {
      await connection.exec('ROLLBACK').catch(() => {})
      throw error
    }
  }
  await connection.limit(undefined)
  return taken
}

/** Whether every step has been taken. Throws like `assertKnown`. */
function isNewest(applied: readonly Applied[], migrations: readonly Migration[]): boolean {
  assertKnown(applied, migrations)
  const taken = new Set(applied.map(({ number }) => number))
  return migrations.every(({ number }) => taken.has(number))
}

/** The types of all columns of the schema. */
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
