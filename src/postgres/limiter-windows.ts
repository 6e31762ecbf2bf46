import { only } from '../database/database.ts'
import type { PostgresConnection } from '../database/postgres.ts'
import type { Admission, RateLimiter } from '../domain/rate-limit.ts'

/** A transaction by its number in PostgreSQL, with the admissions of the locked keys. */
type LockedWindows = { transaction: string; admissions: Admission[] }

/**
 * Begins a transaction and locks the rows of these keys in the given order. `keys` must be sorted, because two nodes could otherwise
 * deadlock.
 */
export async function lockWindows(connection: PostgresConnection, keys: readonly string[]): Promise<LockedWindows> {
  const [, , locked, begun] = await connection.send([
    { text: 'BEGIN', values: [] },
    {
      text: `INSERT INTO limiter (key, log, at) SELECT key, '{}', 0 FROM unnest($1::text[]) AS k(key) ON CONFLICT (key) DO NOTHING`,
      values: [keys],
    },
    {
      text: 'SELECT key, log::text AS log FROM limiter WHERE key = ANY($1::text[]) ORDER BY key FOR UPDATE',
      values: [keys],
    },
    { text: 'SELECT pg_current_xact_id()::text AS transaction', values: [] },
  ])
  return {
    transaction: String(begun?.rows[0]?.transaction),
    admissions: (locked?.rows ?? []).flatMap(row => admissionsOf(String(row.key), String(row.log))),
  }
}

/** Writes the windows of the keys, and commits. */
export async function saveWindows(
  connection: PostgresConnection,
  keys: readonly string[],
  limiter: RateLimiter,
): Promise<void> {
  const windows = keys.map(key => limiter.windowOf(key))
  await connection.send([
    {
      text: `UPDATE limiter l SET log = k.log::bigint[], at = k.at
        FROM unnest($1::text[], $2::text[], $3::bigint[]) AS k(key, log, at) WHERE l.key = k.key`,
      values: [keys, windows.map(bins => `{${bins.join()}}`), windows.map(bins => bins.at(-2) ?? 0)],
    },
    { text: 'COMMIT', values: [] },
  ])
}

/** The status of a transaction: 'committed', 'aborted', or 'in progress'. */
export async function statusOf(connection: PostgresConnection, transaction: string): Promise<string> {
  const [found] = await connection.query<{ status: string }>('SELECT pg_xact_status($1::xid8) AS status', [transaction])
  return only(found).status
}

/** Parses the row of a key. `log` is an array in PostgreSQL's text form, with bins and counts in turn. */
function admissionsOf(key: string, log: string): Admission[] {
  const numbers = log === '{}' ? [] : log.slice(1, -1).split(',').map(Number)
  const admissions: Admission[] = []
  for (let place = 0; place < numbers.length; place += 2) {
    admissions.push({ key, bin: numbers[place] as number, count: numbers[place + 1] as number })
  }
  return admissions
}
