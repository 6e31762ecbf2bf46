import { StoreFault } from '../../database/database.ts'
import type { PostgresConnection } from '../../database/postgres.ts'

const TABLES = `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`
/** The B-trees of the schema, if this user may check them. */
const INDEXES = `SELECT c.oid AS index, c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  JOIN pg_am a ON a.oid = c.relam JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND c.relkind = 'i' AND a.amname = 'btree' AND i.indisvalid AND NOT i.indcheckxmin ORDER BY c.relname`
const AMCHECK = `SELECT p.oid FROM pg_extension e JOIN pg_depend d ON d.refobjid = e.oid AND d.deptype = 'e'
  JOIN pg_proc p ON p.oid = d.objid WHERE e.extname = 'amcheck' AND p.proname = 'bt_index_check' AND p.pronargs = 2
  AND has_function_privilege(p.oid, 'execute')`
/** An index that differs from its table. */
const INDEX_CORRUPTED = 'XX002'

const mayCheckIndexes = async (connection: PostgresConnection): Promise<boolean> =>
  (await connection.query(AMCHECK)).length > 0

/** Reads every row of every table, and checks the indexes if possible. Returns a sentence about the first damage. */
export async function damageOfTables(connection: PostgresConnection): Promise<string | undefined> {
  for (const { name } of await connection.query(TABLES)) {
    // As text a row is read completely, including values outside its table.
    const damage = await damageIn(connection, `table ${name}`, `SELECT sum(length(t::text)) AS n FROM "${name}" t`)
    if (damage !== undefined) return damage
  }
  if (!(await mayCheckIndexes(connection))) return undefined
  for (const { index, name } of await connection.query(INDEXES)) {
    const damage = await damageIn(connection, `index ${name}`, `SELECT bt_index_check(${index}::oid::regclass, true)`)
    if (damage !== undefined) return damage
  }
  return undefined
}

async function damageIn(connection: PostgresConnection, what: string, text: string): Promise<string | undefined> {
  const [result] = await connection.settle([{ text, values: [] }])
  if (!(result instanceof Error)) return undefined
  const isDamage =
    result instanceof StoreFault ? result.kind === 'broken' : (result as { code?: string }).code === INDEX_CORRUPTED
  if (!isDamage) throw result
  return `The ${what} is damaged (${((result.cause ?? result) as Error).message}).`
}

/** The checks of PostgreSQL itself, as a sentence. */
export async function checksOfPostgres(connection: PostgresConnection): Promise<string> {
  const [setting] = await connection.query('SHOW data_checksums')
  const pages =
    setting?.data_checksums === 'on'
      ? 'PostgreSQL checks its pages by checksums, and all rows were read'
      : 'PostgreSQL does not check its pages by checksums (see pg_checksums); all rows were read'
  const indexes = (await mayCheckIndexes(connection))
    ? 'all B-trees were checked by amcheck'
    : 'indexes were not checked, because this user cannot use the extension amcheck'
  return `${pages}; ${indexes}.`
}
