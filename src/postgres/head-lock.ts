import type { PostgresConnection, Query } from '../database/postgres.ts'
import { SEQUENCE_GAP } from '../store/head.ts'

const BEGIN: Query = { text: 'BEGIN', values: [] }
const LOCK: Query = { text: 'SELECT one FROM head FOR UPDATE', values: [] }
/** A statement of its own: one that waits for a lock returns the rows that it does not lock as of the time before the wait. */
const CLUSTER: Query = {
  text: 'SELECT committed_at, identity, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline FROM cluster',
  values: [],
}

/**
 * Begins a transaction with the lock of the head row. All nodes write one after another under it. Resolves with the time of the newest
 * commit of any node, in milliseconds since 1970.
 */
export async function lockHead(connection: PostgresConnection, system: string): Promise<number> {
  const [, head, cluster] = await connection.send([BEGIN, LOCK, CLUSTER])
  const row = cluster?.rows[0] as { committed_at: number; identity: string; timeline: string } | undefined
  if (head?.rows.length !== 1 || row === undefined) throw new Error('The store has no head row.')
  const identity = `${system}/${row.timeline}`
  if (row.identity !== identity) {
    await connection.send([
      { text: 'UPDATE cluster SET identity = $1', values: [identity] },
      { text: 'UPDATE head SET sequence = sequence + $1', values: [row.identity === '' ? 0 : SEQUENCE_GAP] },
    ])
  }
  return row.committed_at
}
