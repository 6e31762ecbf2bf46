import { only, type Reader } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { EntryStanding } from '../domain/entry.ts'
import { ENTRY_COLUMNS, ENTRY_TABLES, type EntryRow } from './entry.ts'

export { toEntry } from './entry.ts'

/** An entry with the columns that only administrators see. */
export type ModeratedEntryRow = EntryRow & EntryStanding & { origin_id: string | null }

const ENTRY: Sql = sql`
  SELECT ${ENTRY_COLUMNS}, o.id AS origin_id, a.quarantined AS author_quarantined, coalesce(o.quarantined, 0) AS origin_quarantined
  FROM ${ENTRY_TABLES} LEFT JOIN origin o ON o.number = e.origin`

/** The entries that were revised, withdrawn or restored last. */
export const listModeratedEntries = (reader: Reader, limit: number) =>
  reader.all<ModeratedEntryRow>(sql`${ENTRY} ORDER BY e.change DESC, e.number DESC LIMIT ${limit}`)

export const findModeratedEntry = (reader: Reader, number: number) =>
  reader.one<ModeratedEntryRow>(sql`${ENTRY} WHERE e.number = ${number}`)

/** The total number of rows of the short lists of the snapshot. */
export async function countShortLists(reader: Reader) {
  const row = await reader.one<Record<'blockedOrigins' | 'reports', number>>(sql`
    SELECT (SELECT count(*) FROM origin WHERE blocked = 1 OR quarantined = 1) AS "blockedOrigins",
      (SELECT count(*) FROM report WHERE resolved_at IS NULL) AS reports`)
  if (row === undefined) throw new Error('Counting gave no row.')
  return row
}

/** The tables of the long lists of the snapshot, by the name of the list, each with its key. */
export const LONG_LISTS = {
  entries: { table: sql`entry`, key: sql`number` },
  actors: { table: sql`actor`, key: sql`number` },
  activity: { table: sql`activity`, key: sql`sequence` },
  audit: { table: sql`moderation`, key: sql`number` },
} as const

export type LongList = (typeof LONG_LISTS)[keyof typeof LONG_LISTS]

/** The key of the row that is `rows` rows after a key; undefined if there are fewer rows. */
export async function findKey(
  reader: Reader,
  { table, key }: LongList,
  after: number,
  rows: number,
): Promise<number | undefined> {
  const row = await reader.one<{ key: number }>(
    sql`SELECT ${key} AS key FROM ${table} WHERE ${key} > ${after} ORDER BY ${key} LIMIT 1 OFFSET ${rows - 1}`,
  )
  return row?.key
}

/** How many rows there are after a key. */
export async function countAfter(reader: Reader, { table, key }: LongList, after: number): Promise<number> {
  const row = await reader.one<{ rows: number }>(sql`SELECT count(*) AS rows FROM ${table} WHERE ${key} > ${after}`)
  return only(row).rows
}
