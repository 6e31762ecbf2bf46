import type { Reader, Transaction } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'

/** What is derived from the records of one entry. */

/** 1 where the row of `revision` changes something, 0 where it equals the revision before. */
const CHANGED: Sql = sql`CASE WHEN EXISTS (
  SELECT 1 FROM revision p WHERE p.entry = revision.entry AND p.ordinal = revision.ordinal - 1 AND p.title = revision.title
    AND p.summary = revision.summary AND p.content = revision.content AND p.sources = revision.sources) THEN 0 ELSE 1 END`

/** A revision of an entry whose stored `changed` is wrong. */
export const findWrongChange = (reader: Reader, entry: number) =>
  reader.one<{ id: string }>(
    sql`SELECT id FROM revision WHERE entry = ${entry} AND ordinal > 1 AND changed <> ${CHANGED} ORDER BY ordinal LIMIT 1`,
  )

/** The number of revisions of an entry that changed something, and the time of the last, with the stored values. */
export const readChanges = (reader: Reader, entry: number) =>
  reader.one<{ changes: number; updated_at: number; found: number; last: number }>(sql`
    SELECT e.changes, e.updated_at, (SELECT count(*) FROM revision r WHERE r.entry = e.number AND r.changed = 1) AS found,
      (SELECT r.created_at FROM revision r WHERE r.entry = e.number AND r.changed = 1 ORDER BY r.ordinal DESC LIMIT 1) AS last
    FROM entry e WHERE e.number = ${entry}`)

/** Computes which revisions of an entry change nothing, and the columns that depend on it. */
export async function recomputeChanges(tx: Transaction, entry: number): Promise<void> {
  await tx.run(sql`UPDATE revision SET changed = ${CHANGED} WHERE entry = ${entry} AND ordinal > 1`)
  const last = await tx.one<{ number: number; created_at: number }>(
    sql`SELECT number, created_at FROM revision WHERE entry = ${entry} AND changed = 1 ORDER BY ordinal DESC LIMIT 1`,
  )
  const head = await tx.one<{ revision: number }>(sql`SELECT revision FROM entry WHERE number = ${entry}`)
  if (last === undefined || head === undefined) return
  await tx.run(sql`
    UPDATE entry SET changes = (SELECT count(*) FROM revision r WHERE r.entry = entry.number AND r.changed = 1),
      updated_at = ${last.created_at}, text_revision = ${head.revision === last.number ? null : last.number}
    WHERE number = ${entry}`)
}
