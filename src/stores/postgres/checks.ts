import { isUnavailable, only } from '../../engine/database.ts'
import type { PostgresConnection } from '../../engine/postgres.ts'
import { OperatorError } from '../../operator-error.ts'

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

/** The tables of the schema, without those of extensions, and whether they are of a store: its table `head` has the id of the store. */
const TABLES = `SELECT string_agg(c.relname, ', ' ORDER BY c.relname) AS names,
    bool_or(EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND c.relname = 'head' AND a.attname = 'store_id'))::text AS are_ours
  FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`
/** The maximum number of characters of a list of tables in a sentence. */
const NAMES_MAX = 100

/** Throws OperatorError if the database has tables of another program, and no store. */
export async function assertNotForeign(connection: PostgresConnection): Promise<void> {
  const [found] = await connection.query<{ names: string | null; are_ours: string | null }>(TABLES)
  const { names, are_ours: areOurs } = only(found)
  if (names === null || areOurs === 'true') return
  const shown = names.length > NAMES_MAX ? `${names.slice(0, NAMES_MAX)}…` : names
  throw new OperatorError(
    `The database at DATABASE_URL has tables of another program (${shown}); name an empty database, or that of a store.`,
  )
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
export function refusalOf(error: Error, setting = 'DATABASE_URL'): Error {
  const { code, message } = error as Error & { code?: string }
  const refusal = code === undefined ? undefined : REFUSALS[code]
  return refusal === undefined
    ? error
    : new OperatorError(`PostgreSQL at ${setting} ${refusal.replace('DATABASE_URL', setting)} (${message}).`)
}

/** Error codes of a host name that is not known. */
const UNKNOWN_HOST = new Set(['ENOTFOUND', 'EAI_AGAIN'])

/** Converts the error of a server that a command cannot reach to a sentence with the remedy. Returns other errors unchanged. */
export function awayOf(error: unknown, setting = 'DATABASE_URL'): unknown {
  if (!isUnavailable(error)) return error
  const { code, hostname, message } = (error as Error).cause as NodeJS.ErrnoException & { hostname?: string }
  return new OperatorError(
    UNKNOWN_HOST.has(code ?? '')
      ? `PostgreSQL at ${setting} cannot be reached: the host ${hostname} is unknown; correct ${setting}.`
      : `PostgreSQL at ${setting} cannot be reached (${message}); see that it runs and that ${setting} names it.`,
  )
}
