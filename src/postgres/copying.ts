import type { PostgresConnection } from '../database/postgres.ts'
import { OperatorError } from '../operator-error.ts'

/** Stands in place of the server's identity, before the id of the store, while a copy into the database is not finished: no node may serve what is there. */
const COPYING = 'copying '

/** What is in a database: the store whose copy, whole or not, it is, and whether a node has written to it or the copy was not finished. */
export type CopyTarget = { storeId: string | undefined; state: 'empty' | 'copying' | 'copied' | 'written' }

/** What is known of the store in a database that has the schema. */
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

/** Marks the database as one that a store is being copied into. */
export async function beginCopying(connection: PostgresConnection, storeId: string): Promise<void> {
  await connection.send([
    {
      text: `INSERT INTO cluster (one, identity, committed_at) VALUES (1, $1, 0) ON CONFLICT (one) DO UPDATE SET identity = excluded.identity`,
      values: [COPYING + storeId],
    },
  ])
}

/** Ends the copying of a store in the transaction that is open; times go on from `newest` (milliseconds). Throws OperatorError when a node wrote meanwhile. */
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
