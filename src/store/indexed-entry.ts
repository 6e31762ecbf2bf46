import { type Sql, sql } from '../database/sql.ts'
import type { EntryRow } from './entry.ts'

export type ChangedEntryRow = Pick<
  EntryRow,
  'number' | 'id' | 'withdrawn' | 'revision' | 'updated_at' | 'revisions' | 'tags' | 'title' | 'summary' | 'content'
> & { change: number }

/** The columns that search indexes: of the latest revision that changed the text. */
const INDEXED_ENTRY: Sql = sql`
  SELECT e.number, e.change, e.id, e.withdrawn, coalesce(e.text_revision, e.revision) AS revision, e.updated_at,
    e.changes AS revisions, e.tags, r.title, r.summary, r.content
  FROM entry e JOIN revision r ON r.number = e.revision`

/**
 * Entries in the order of their latest change, after a given change and entry, withdrawn ones too. Revisions that change nothing are left
 * out.
 */
export const changedEntries = (change: number, number: number, limit: number): Sql => sql`
  ${INDEXED_ENTRY} WHERE (e.change, e.number) > (${change}, ${number}) ORDER BY e.change, e.number LIMIT ${limit}`

/** The current state of an entry, withdrawn or not. */
export const currentEntry = (number: number): Sql => sql`
  ${INDEXED_ENTRY} WHERE e.number = ${number}`

/** Touches the pages of an entry and its current revision. Used for prefetching; the result is discarded. */
export const pagesOfEntry = (number: number): Sql =>
  sql`SELECT r.ordinal FROM entry e JOIN revision r ON r.number = e.revision WHERE e.number = ${number}`
