import { randomUUID } from 'node:crypto'
import type { ColumnTypes } from '../../engine/batching.ts'
import { appliedToPostgres, migratePostgres, readColumnTypes } from '../../engine/migrate.ts'
import type { PostgresConnection } from '../../engine/postgres.ts'
import { OperatorError } from '../../operator-error.ts'
import { assertNotForeign, assertTrustworthy } from './checks.ts'

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

/**
 * Replaces the server's identity, followed by the id of the store, until a copy into the database is finished. Until then, no node may
 * serve the database.
 */
const COPYING = 'copying '

/** The content of a database: the id of the copied store, and whether the copy is unfinished, finished, or already written to by a node. */
type CopyTarget = { storeId: string | undefined; state: 'empty' | 'copying' | 'copied' | 'written' }

/** Reads the store of a database that has the schema. */
export async function readCopyTarget(connection: PostgresConnection): Promise<CopyTarget> {
  const [head, cluster] = await connection.send([
    { text: 'SELECT store_id FROM head', values: [] },
    { text: 'SELECT identity FROM cluster', values: [] },
  ])
  const storeId = head?.rows[0]?.store_id as string | undefined
  const identity = String(cluster?.rows[0]?.identity ?? '')
  if (identity.startsWith(COPYING)) return { storeId: identity.slice(COPYING.length), state: 'copying' }
  if (identity !== '') return { storeId, state: 'written' }
  return { storeId, state: storeId === undefined ? 'empty' : 'copied' }
}

/** Marks the database while a store is copied into it. */
export async function beginCopying(connection: PostgresConnection, storeId: string): Promise<void> {
  await connection.send([
    {
      text: `INSERT INTO cluster (one, identity, committed_at) VALUES (1, $1, 0) ON CONFLICT (one) DO UPDATE SET identity = excluded.identity`,
      values: [COPYING + storeId],
    },
  ])
}

/**
 * Marks the copy of a store as finished, in the open transaction. Later times are not before `newest` (milliseconds). Throws OperatorError
 * if a node wrote during the copy.
 */
export async function endCopying(connection: PostgresConnection, storeId: string, newest: number): Promise<void> {
  const [ended] = await connection.send([
    {
      text: `UPDATE cluster SET identity = '', committed_at = $1 WHERE identity = $2`,
      values: [newest, COPYING + storeId],
    },
  ])
  if (ended?.count === 1) return
  throw new OperatorError(
    'A node wrote to the database while it was copied into; stop it, and copy into an empty database.',
  )
}

/** Throws OperatorError while a copy into the database is not finished. */
export async function assertWhollyCopied(connection: PostgresConnection): Promise<void> {
  if ((await readCopyTarget(connection)).state !== 'copying') return
  throw new OperatorError(
    'A copy into the database at DATABASE_URL was not finished; run "palimpsest copy" again before a node is started on it.',
  )
}

/** Tables that an erasure changes. */
const ERASED_FROM = 'entry, revision, evidence, relation, moderation, appeal, report, salt, topic'

/** Removes the rows that an erasure replaced or deleted. Rows that an older snapshot still reads stay until the next VACUUM. */
export const removeErased = (connection: PostgresConnection): Promise<void> =>
  connection.exec(`VACUUM (INDEX_CLEANUP ON) ${ERASED_FROM}`)
