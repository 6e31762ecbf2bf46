import { only } from '../../database/database.ts'
import type { PostgresConnection } from '../../database/postgres.ts'

/** A partition of a table: the rows with numbers from `from` to below `to`. Without a bound it is open. */
export type Partition = { name: string; from: number | undefined; to: number | undefined }

/** A table that can be partitioned by a column, and the column of `head` with the newest number. */
export type Numbered = { table: string; column: string; newest: 'sequence' | 'record' }
export const ACTIVITY: Numbered = { table: 'activity', column: 'sequence', newest: 'sequence' }

/** Two sessions: `work` may be busy for minutes, and `watch` observes it. Locks are attempted for `attemptMs` milliseconds. */
export type Sessions = { work: PostgresConnection; watch: PostgresConnection; attemptMs: number }

const PARTITIONS = `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass($1)`
const BOUNDS = /^FOR VALUES FROM \((.+)\) TO \((.+)\)$/

/** The partitions of a table that is partitioned by ranges, in their order; none if it is not partitioned. */
export async function partitionsOf(connection: PostgresConnection, table: string): Promise<Partition[]> {
  const partitions = (await connection.query(PARTITIONS, [table])).map(({ name, bounds }) => {
    const [, from = '', to = ''] = BOUNDS.exec(String(bounds)) ?? []
    return { name: String(name), from: boundOf(from), to: boundOf(to) }
  })
  return partitions.sort((a, b) => (a.from ?? -1) - (b.from ?? -1))
}

const boundOf = (text: string): number | undefined =>
  /VALUE$/.test(text) ? undefined : Number(text.replaceAll("'", ''))

/** Whether a table is partitioned. */
export const isPartitioned = async (connection: PostgresConnection, { table }: Numbered): Promise<boolean> =>
  (await connection.query('SELECT 1 FROM parted WHERE name = $1', [table])).length > 0

/** The newest number that was assigned. */
export async function newestOf(connection: PostgresConnection, { newest }: Numbered): Promise<number> {
  const [head] = await connection.query<{ number: number }>(`SELECT ${newest} AS number FROM head`)
  return only(head).number
}
