import { randomUUID } from 'node:crypto'
import type { ColumnTypes } from '../../engine/batching.ts'
import { appliedToPostgres, migratePostgres, readColumnTypes } from '../../engine/migrate.ts'
import type { PostgresConnection } from '../../engine/postgres.ts'
import { OperatorError } from '../../operator-error.ts'
import { assertNotForeign, assertTrustworthy } from './checks.ts'
import { assertWhollyCopied } from './copying.ts'

/** The identity of the server and of the database. A database restored from a dump has another identity. */
const SYSTEM = `SELECT c.system_identifier || '/' || d.oid AS system FROM pg_control_system() c, pg_database d WHERE d.datname = current_database()`

/** The identity and the column types of the server that a node writes to. */
export type Server = { system: string; columns: ColumnTypes }

/** Whether an empty store may be created in a database without one, and a callback that receives its id. */
export type Making = { mayMake: boolean; onMade(storeId: string): void }

/**
 * Ensures that the database is trustworthy and has the schema, a head and an identity. Any number of nodes may call it at once.
 */
export async function prepareDatabase(
  connection: PostgresConnection,
  { mayMake, onMade }: Making = { mayMake: true, onMade: () => {} },
): Promise<Server> {
  await assertTrustworthy(connection)
  await assertNotForeign(connection)
  if (!mayMake) await assertHasStore(connection)
  await migratePostgres(connection, Date.now())
  await assertWhollyCopied(connection)
  const [made, , found] = await connection.send([
    {
      text: 'INSERT INTO head (one, store_id) VALUES (1, $1) ON CONFLICT (one) DO NOTHING RETURNING store_id',
      values: [randomUUID()],
    },
    {
      text: `INSERT INTO cluster (one, identity, committed_at) VALUES (1, '', 0) ON CONFLICT (one) DO NOTHING`,
      values: [],
    },
    { text: SYSTEM, values: [] },
  ])
  const [row] = made?.rows ?? []
  if (row !== undefined) onMade(String(row.store_id))
  return { system: String(found?.rows[0]?.system), columns: await readColumnTypes(connection) }
}

async function assertHasStore(connection: PostgresConnection): Promise<void> {
  if ((await appliedToPostgres(connection)).length > 0) return
  throw new OperatorError(
    'The database at DATABASE_URL contains no store, and NEW_STORE is "refused"; name the database of the store, or set NEW_STORE to "allowed" to begin an empty one.',
  )
}
