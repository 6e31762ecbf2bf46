import { only } from '../database/database.ts'
import type { PostgresConnection } from '../database/postgres.ts'
import { OperatorError } from '../operator-error.ts'

/** The oldest version that is supported, as `server_version_num` writes it. */
export const OLDEST_VERSION = 150_000

const CHECKED = `SELECT current_setting('server_version_num')::bigint AS version, current_setting('server_version') AS name,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit, current_setting('server_encoding') AS encoding`

/** Throws OperatorError if this PostgreSQL could lose acknowledged writes, or cannot store every text. */
export async function assertTrustworthy(connection: PostgresConnection): Promise<void> {
  const [row] = await connection.query<Record<string, string> & { version: number }>(CHECKED)
  const found = only(row)
  const refuse = (what: string): never => {
    throw new OperatorError(`PostgreSQL at DATABASE_URL ${what}.`)
  }
  if (found.version < OLDEST_VERSION) refuse(`is version ${found.name}; Palimpsest needs 15 or newer`)
  if (found.encoding !== 'UTF8') {
    refuse(`has a database of encoding ${found.encoding}; create one with ENCODING 'UTF8' TEMPLATE template0`)
  }
  if (found.fsync !== 'on') refuse('runs with fsync=off and would lose writes; set fsync=on and reload it')
  if (found.full_page_writes !== 'on') {
    refuse('runs with full_page_writes=off and may tear pages in a power cut; set full_page_writes=on and reload it')
  }
  if (found.synchronous_commit === 'off') {
    refuse(
      'runs with synchronous_commit=off and would acknowledge what it can lose; set synchronous_commit=on for this database',
    )
  }
}

/** Throws OperatorError if this PostgreSQL is read-only. A node waits instead, because the server may become the primary. */
export async function assertPrimary(connection: PostgresConnection): Promise<void> {
  const [found] = await connection.query('SELECT pg_is_in_recovery()::text AS standby')
  if (found?.standby !== 'true') return
  throw new OperatorError('PostgreSQL at DATABASE_URL is a standby, which only reads; name its primary.')
}

/** Error codes that the operator must act on, each with the remedy. */
const REFUSALS: Record<string, string> = {
  '28P01': 'refuses the password; correct it in DATABASE_URL',
  '28000': 'does not let this user in; correct DATABASE_URL or pg_hba.conf',
  '3D000': 'does not have this database; create it, for example with createdb -E UTF8',
  '42501': 'does not let this user make or use tables; make it the owner of the database',
  '0LP01': 'does not let this user make or use tables; make it the owner of the database',
}

/** Converts an error that persists until the operator acts to a sentence with the remedy. Returns other errors unchanged. */
export function refusalOf(error: Error): Error {
  const { code, message } = error as Error & { code?: string }
  const refusal = code === undefined ? undefined : REFUSALS[code]
  return refusal === undefined ? error : new OperatorError(`PostgreSQL at DATABASE_URL ${refusal} (${message}).`)
}
