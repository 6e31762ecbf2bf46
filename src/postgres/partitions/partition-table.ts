import type { PostgresConnection } from '../../database/postgres.ts'
import type { Numbered, Partition } from './partition.ts'

type Index = { name: string; unique: boolean; definition: string }

const INDEXES = `SELECT c.relname AS name, i.indisunique::text AS unique, pg_get_indexdef(c.oid) AS definition
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = to_regclass($1) ORDER BY c.relname`

/** The indexes of a table. Those that are not unique may be indexes of the partitioned table. */
async function indexesOf(connection: PostgresConnection, table: string): Promise<Index[]> {
  const rows = await connection.query(INDEXES, [table])
  return rows.map(row => ({
    name: String(row.name),
    unique: row.unique === 'true',
    definition: String(row.definition),
  }))
}

/** The name of the partition with the rows from before the table was partitioned. */
export const beforeOf = (table: string): string => `${table}_before`

/** The statement that grants the rights on the original table also on the partitioned one. */
const grantLike = (table: string): string => `
  DO $$ DECLARE grants TEXT; BEGIN
    FOR grants IN SELECT format('GRANT %s ON ${table} TO %s', a.privilege_type, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
      FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = '${beforeOf(table)}'::regclass
    LOOP EXECUTE grants; END LOOP;
  END $$`

/**
 * The statements that replace a table by a partitioned table of the same name. The original becomes its first partition, with the rows
 * below `first`, which a bound check has proved. Indexes that are not unique are created on the partitioned table; unique ones stay on the
 * partition.
 */
export async function partitioning(
  connection: PostgresConnection,
  { table, column }: Numbered,
  first: number,
): Promise<string[]> {
  const before = beforeOf(table)
  const indexes = await indexesOf(connection, table)
  return [
    `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`,
    `ALTER TABLE ${table} RENAME TO ${before}`,
    ...indexes.map(({ name }) => `ALTER INDEX ${name} RENAME TO ${name.replace(table, before)}`),
    `CREATE TABLE ${table} (LIKE ${before} INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION) PARTITION BY RANGE (${column})`,
    grantLike(table),
    ...indexes.filter(({ unique }) => !unique).map(({ definition }) => definition),
    `ALTER TABLE ${table} ATTACH PARTITION ${before} FOR VALUES FROM (MINVALUE) TO (${first})`,
  ]
}

/**
 * The statements that bound the open partition of a table by `limit`, which a bound check has proved, and create the next open one by
 * `make`.
 */
export const closing = (
  table: string,
  { name, from }: Partition,
  limit: number,
  make: (first: number) => string[],
): string[] => [
  `ALTER TABLE ${table} DETACH PARTITION ${name}`,
  `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from ?? 'MINVALUE'}) TO (${limit})`,
  ...make(limit),
]
