import { VERSION } from '../../contract/version.ts'
import { only, StoreFault, sql, type Value } from '../../engine/database.ts'
import { migrate, readColumnTypes } from '../../engine/migrate.ts'
import type { PostgresConnection } from '../../engine/postgres.ts'
import { openSqlite, type SqliteConnection } from '../../engine/sqlite.ts'
import type { Progress } from '../../progress.ts'
import { COPIED, type CopiedTable, REPLACED, RowProgress } from './copy.ts'
import { emptyPartial } from './whole-file.ts'

/** What every write of a node to a database changes, as text. */
export async function stateOfDatabase(source: PostgresConnection): Promise<string> {
  const tables = ['head', 'cluster', 'log']
  const found = await source.send(tables.map(name => ({ text: `SELECT * FROM ${name}`, values: [] })))
  return JSON.stringify([VERSION, ...found.map(({ rows }) => rows)])
}

/**
 * Fills a store file with all rows that a session with PostgreSQL sees. If an interrupted run has left the file, and the database has the
 * same head since, continues after the rows that are there.
 */
export async function fillStore(partial: string, source: PostgresConnection, progress: Progress): Promise<void> {
  const types = await readColumnTypes(source)
  const columnsOf = (name: string): string[] => [...(types.get(name)?.keys() ?? [])]
  using target = await openPartial(partial, source, columnsOf('head'), progress)
  // A kill loses only the open transaction. The verification finds what a power cut loses.
  target.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF')
  const parts = await partsOf(source, target)
  const kept = parts.reduce((sum, part) => sum + part.kept, 0)
  if (kept > 0) progress.phase(`Continuing an interrupted copy, which has ${kept} rows`)
  const rows = new RowProgress(progress, new Map(parts.map(({ table, total }) => [table.name, total])))
  for (const part of parts) await copyPart(source, target, part, columnsOf(part.table.name), rows)
  for (const name of REPLACED) await replaceRows(source, target, name, columnsOf(name))
  await copyAdmissions(source, target)
  target.exec('PRAGMA journal_mode = DELETE')
}

/** Opens the file of an interrupted copy, or begins it. The head comes first: it shows later from which state the rows are. */
async function openPartial(
  partial: string,
  source: PostgresConnection,
  columns: readonly string[],
  progress: Progress,
): Promise<SqliteConnection> {
  const head = `SELECT ${columns.join()} FROM head`
  const [wanted] = await source.query(head)
  const opened = tryOpening(partial)
  const found = opened?.one({ text: head, values: [] })
  if (opened !== undefined && JSON.stringify(found) === JSON.stringify(wanted)) return opened
  let target = opened
  if (target === undefined || found !== undefined) {
    progress.phase('The database has changed since an interrupted copy, which begins anew')
    target?.close()
    emptyPartial(partial)
    target = openSqlite(partial, 'write')
    migrate(target, Date.now())
  }
  await replaceRows(source, target, 'head', columns)
  return target
}

/** Undefined for a file that is no database of this schema. */
function tryOpening(partial: string): SqliteConnection | undefined {
  let opened: SqliteConnection | undefined
  try {
    opened = openSqlite(partial, 'write')
    migrate(opened, Date.now())
    return opened
  } catch (error) {
    opened?.close()
    if (error instanceof StoreFault && error.kind === 'broken') return undefined
    throw error
  }
}

/** The rows of a table that are copied, those above `after`, and the number of those that an interrupted run has copied. */
type Part = { table: CopiedTable; after: number; total: number; kept: number }

/** Rows of some tables change without the head, so these tables are copied again. */
async function partsOf(source: PostgresConnection, target: SqliteConnection): Promise<Part[]> {
  const parts: Part[] = []
  for (const table of COPIED) {
    const { name, by, changes } = table
    const isLasting = changes === 'never' || changes === 'moderated'
    const last = target.one<{ n: number | null }>({ text: `SELECT max(${by}) AS n FROM ${name}`, values: [] })?.n ?? 0
    // The last row may be one of several with the same number.
    const after = isLasting ? last - 1 : -1
    const [left] = await source.query<{ n: number }>(`SELECT count(*) AS n FROM ${name} WHERE ${by} > $1`, [after])
    const counting = { text: `SELECT count(*) AS n FROM ${name} WHERE ${by} <= ?`, values: [after] }
    parts.push({ table, after, total: only(left).n, kept: only(target.one<{ n: number }>(counting)).n })
  }
  return parts
}

/** Rows per round trip, of which a revision can have 50 kB, and round trips per transaction. */
const BATCH = 500
const BATCHES_TOGETHER = 20

/** Copies a part of a table in the order of its numbers, so that an interrupted run has the first rows. */
async function copyPart(
  source: PostgresConnection,
  target: SqliteConnection,
  { table: { name, by }, after, total }: Part,
  columns: readonly string[],
  progress: RowProgress,
): Promise<void> {
  target.run({ text: `DELETE FROM ${name} WHERE ${by} > ?`, values: [after] })
  if (total === 0) return
  progress.begin(name)
  const insert = inserting(target, name, columns)
  const selected = `SELECT ${columns.join()} FROM ${name} WHERE ${by} > ${after} ORDER BY ${by}`
  await source.exec(`DECLARE copy_${name} NO SCROLL CURSOR FOR ${selected}`)
  const fetch = () => source.query<Record<string, Value>>(`FETCH ${BATCH} FROM copy_${name}`)
  let rows = await fetch()
  for (let batches = 1; rows.length > 0; batches++) {
    // The server reads the next rows while these are inserted.
    const next = fetch()
    next.catch(() => {})
    if (batches % BATCHES_TOGETHER === 1) target.run(sql`BEGIN`)
    for (const row of rows) insert(row)
    if (batches % BATCHES_TOGETHER === 0) target.run(sql`COMMIT`)
    progress.add(rows.length)
    rows = await next
    if (rows.length === 0 && batches % BATCHES_TOGETHER !== 0) target.run(sql`COMMIT`)
  }
  await source.exec(`CLOSE copy_${name}`)
}

/** Replaces the rows of a small table. */
async function replaceRows(
  source: PostgresConnection,
  target: SqliteConnection,
  name: string,
  columns: readonly string[],
): Promise<void> {
  const rows = await source.query<Record<string, Value>>(`SELECT ${columns.join()} FROM ${name}`)
  const insert = inserting(target, name, columns)
  target.run(sql`BEGIN`)
  target.exec(`DELETE FROM ${name}`)
  for (const row of rows) insert(row)
  target.run(sql`COMMIT`)
}

function inserting(target: SqliteConnection, name: string, columns: readonly string[]) {
  const text = `INSERT INTO ${name} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`
  return (row: Record<string, Value>) => target.run({ text, values: columns.map(column => row[column] as Value) })
}

/** Copies the admissions of the last minute, which still count. */
async function copyAdmissions(source: PostgresConnection, target: SqliteConnection): Promise<void> {
  target.exec('DELETE FROM admission')
  for (const { key, log } of await source.query<{ key: string; log: string[] }>('SELECT key, log FROM limiter')) {
    for (let at = 0; at < log.length; at += 2)
      target.run(sql`
        INSERT INTO admission (bin, key, count) VALUES (${Number(log[at])}, ${key}, ${Number(log[at + 1])})
        ON CONFLICT (bin, key) DO UPDATE SET count = count + excluded.count`)
  }
}
