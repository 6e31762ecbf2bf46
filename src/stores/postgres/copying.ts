import type { PostgresConnection } from '../../engine/postgres.ts'
import { OperatorError } from '../../operator-error.ts'

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
