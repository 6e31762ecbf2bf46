import { only } from '../../database/database.ts'
import type { PostgresConnection, Query } from '../../database/postgres.ts'
import type { Value } from '../../database/sql.ts'
import type { SqliteConnection } from '../../database/sqlite.ts'
import { type Progress, percent } from '../progress.ts'

/** Rows per statement. A revision can have 50 kB. */
const BATCH = 500

/**
 * How a table is updated. With `never`, rows do not change, so the table is read from the end of the last copy. With `moderated`, only
 * moderation changes rows, so the table is read likewise unless there was moderation after that copy. With `any`, all rows are read. With
 * `swept`, rows are also deleted, so the copied table is emptied first. `by` is the column by which rows are read and continued; `key`
 * identifies a row. Without a key, which a partitioned table has not, rows that are read again are deleted before.
 */
type CopiedTable = {
  name: string
  by: string
  key: readonly string[]
  changes: 'never' | 'moderated' | 'any' | 'swept'
}

const numbered = (name: string, changes: CopiedTable['changes']): CopiedTable => ({
  name,
  by: 'number',
  key: ['number'],
  changes,
})

/** The tables that grow with the store. Moderation is last: until its newest rows are copied, the next copy reads all rows that it may have changed. */
export const COPIED: readonly CopiedTable[] = [
  numbered('origin', 'any'),
  numbered('actor', 'any'),
  numbered('entry', 'any'),
  numbered('revision', 'never'),
  numbered('evidence', 'moderated'),
  numbered('relation', 'moderated'),
  { name: 'relation_end', by: 'relation', key: ['entry', 'ordinal'], changes: 'never' },
  { name: 'activity', by: 'sequence', key: [], changes: 'moderated' },
  numbered('retry', 'swept'),
  numbered('report', 'any'),
  { name: 'entry_voice', by: 'entry', key: ['entry', 'voice'], changes: 'any' },
  numbered('log_bundle', 'any'),
  { name: 'log_tile', by: 'level', key: ['level', 'number'], changes: 'any' },
  { name: 'entry_reader', by: 'entry', key: ['day', 'entry', 'origin'], changes: 'swept' },
  numbered('moderation', 'never'),
]

/** Small tables with deletions. They are replaced. */
export const REPLACED = [
  'origin_salt',
  'origin_block',
  'topic',
  'cooldown',
  'export_change',
  'log_epoch',
  'log_checkpoint',
  'log',
  'asked_topic',
  'purge_progress',
] as const

/** The columns of a table in PostgreSQL and their types, in order. */
export type Columns = readonly (readonly [name: string, type: string])[]

/** The largest value of a column; 0 if the table is empty. */
async function newestIn(target: PostgresConnection, table: string, column: string): Promise<number> {
  const [found] = await target.query<{ n: number | null }>(`SELECT max(${column}) AS n FROM ${table}`)
  return only(found).n ?? 0
}

/** Updates one table of the target from the source. Returns the number of sent rows. */
export async function copyTable(
  source: SqliteConnection,
  target: PostgresConnection,
  { name, by, key, changes }: CopiedTable,
  columns: Columns,
  moderated: boolean,
  progress: Progress,
): Promise<number> {
  if (changes === 'swept') await target.exec(`DELETE FROM ${name}`)
  const whole = changes === 'any' || changes === 'swept' || (changes === 'moderated' && moderated)
  // The last row may be one of several with the same number.
  const after = whole ? -1 : (await newestIn(target, name, by)) - 1
  const counting = { text: `SELECT count(*) AS n FROM ${name} WHERE ${by} > ?`, values: [after] }
  const total = only(source.one<{ n: number }>(counting)).n
  if (total > 0) progress.phase(`Copying ${name}`)
  if (key.length === 0) await target.query(`DELETE FROM ${name} WHERE ${by} > $1`, [after])
  const conflict = key.length === 0 ? '' : ` ON CONFLICT (${key.join()}) ${updateOf(name, key, columns)}`
  const insert = `${insertOf(name, columns)}${conflict}`
  const text = `SELECT ${namesOf(columns)} FROM ${name} WHERE ${by} > ? ORDER BY ${by}`
  let batch: Record<string, Value>[] = []
  let sent = 0
  const send = async (): Promise<void> => {
    await target.send([inserting(insert, columns, batch)])
    sent += batch.length
    batch = []
    progress.update(() => `Copied ${sent} of ${total} rows of ${name}, ${percent(sent, total)}`)
  }
  for (const row of source.each<Record<string, Value>>({ text, values: [after] })) {
    batch.push(row)
    if (batch.length === BATCH) await send()
  }
  if (batch.length > 0) await send()
  return sent
}

const namesOf = (columns: Columns): string => columns.map(([column]) => column).join()

/** The statements that replace the rows of a small table. */
export function replacing(source: SqliteConnection, name: string, columns: Columns): Query[] {
  const rows = source.all<Record<string, Value>>({ text: `SELECT ${namesOf(columns)} FROM ${name}`, values: [] })
  return [{ text: `DELETE FROM ${name}`, values: [] }, inserting(insertOf(name, columns), columns, rows)]
}

const insertOf = (name: string, columns: Columns): string =>
  `INSERT INTO ${name} (${namesOf(columns)}) SELECT * FROM unnest(${columns.map(([, type], index) => `$${index + 1}::${type}[]`)})`

/** Unchanged rows are not written. */
function updateOf(name: string, key: readonly string[], columns: Columns): string {
  const others = columns.map(([column]) => column).filter(column => !key.includes(column))
  if (others.length === 0) return 'DO NOTHING'
  const excluded = others.map(column => `excluded.${column}`)
  return `DO UPDATE SET (${others}) = ROW(${excluded}) WHERE (${others.map(column => `${name}.${column}`)}) IS DISTINCT FROM (${excluded})`
}

const inserting = (text: string, columns: Columns, rows: readonly Record<string, Value>[]): Query => ({
  text,
  values: columns.map(([column]) => rows.map(row => row[column] as Value)),
})
