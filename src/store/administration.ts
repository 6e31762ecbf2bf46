import type { Reader } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { EntryStanding } from '../domain/entry.ts'
import { ENTRY_COLUMNS, ENTRY_TABLES, type EntryRow } from './entry.ts'

export { toEntry } from './entry.ts'

/** An entry with what only administrators see of it. */
export type ModeratedEntryRow = EntryRow & EntryStanding & { origin_id: string | null }

const ENTRY: Sql = sql`
  SELECT ${ENTRY_COLUMNS}, o.id AS origin_id, a.quarantined AS author_quarantined, coalesce(o.quarantined, 0) AS origin_quarantined
  FROM ${ENTRY_TABLES} LEFT JOIN origin o ON o.number = e.origin`

/** The entries that were revised, withdrawn or given back last. */
export const listModeratedEntries = (reader: Reader, limit: number) =>
  reader.all<ModeratedEntryRow>(sql`${ENTRY} ORDER BY e.change DESC, e.number DESC LIMIT ${limit}`)

export const findModeratedEntry = (reader: Reader, number: number) =>
  reader.one<ModeratedEntryRow>(sql`${ENTRY} WHERE e.number = ${number}`)

/** How many rows each list of the snapshot has in all. */
export async function countRows(reader: Reader) {
  const row = await reader.one<
    Record<'entries' | 'actors' | 'activity' | 'audit' | 'blockedOrigins' | 'reports', number>
  >(sql`
    SELECT (SELECT count(*) FROM entry) AS entries, (SELECT count(*) FROM actor) AS actors, (SELECT count(*) FROM activity) AS activity,
      (SELECT count(*) FROM moderation) AS audit, (SELECT count(*) FROM origin WHERE blocked = 1 OR quarantined = 1) AS "blockedOrigins",
      (SELECT count(*) FROM report WHERE resolved_at IS NULL) AS reports`)
  if (row === undefined) throw new Error('Counting gave no row.')
  return row
}
