import type { Reader, Transaction } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'

/** Computes the derived columns of entries again. Every statement is about one entry, or one page of entries. */

/** The version of the rules that computed a column, and the number of the last computed row: null if all are computed. */
export type Progress = { version: number; reached: number | null }
export const NO_PROGRESS: Progress = { version: 0, reached: 0 }

export const readStandingProgress = async (reader: Reader): Promise<Progress> =>
  (await reader.one<Progress>(sql`SELECT version, entry AS reached FROM standing_progress WHERE one = 1`)) ??
  NO_PROGRESS

export async function saveStandingProgress(tx: Transaction, { version, reached }: Progress): Promise<void> {
  await tx.run(sql`
    INSERT INTO standing_progress (one, version, entry) VALUES (1, ${version}, ${reached})
    ON CONFLICT (one) DO UPDATE SET version = excluded.version, entry = excluded.entry`)
}

export type RecountedRow = { number: number; revisions: number; evidence: number; relations: number; withdrawn: number }

export const listRecounted = (reader: Reader, after: number, limit: number) =>
  reader.all<RecountedRow>(
    sql`SELECT number, revisions, evidence, relations, withdrawn FROM entry WHERE number > ${after} ORDER BY number LIMIT ${limit}`,
  )

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
export async function recountChanges(tx: Transaction, entry: number): Promise<void> {
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

/** Finds the revisions that were current when the relations at an entry were made. */
export async function recountRelations(tx: Transaction, entry: number): Promise<void> {
  const at = sql`number IN (SELECT x.relation FROM relation_end x WHERE x.entry = ${entry})`
  await tx.run(sql`
    UPDATE relation SET source_revision = (SELECT r.number FROM revision r
      WHERE r.entry = relation.source_entry AND r.ordinal > 0 AND r.number < relation.number ORDER BY r.ordinal DESC LIMIT 1)
    WHERE ${at} AND source_entry = ${entry}`)
  await tx.run(sql`
    UPDATE relation SET target_revision = (SELECT r.number FROM revision r
      WHERE r.entry = relation.target_entry AND r.ordinal > 0 AND r.number < relation.number ORDER BY r.ordinal DESC LIMIT 1)
    WHERE ${at} AND target_entry = ${entry}`)
}

/** The origins of all evidence and objections about an entry, oldest first, each as often as it judged. */
export async function listJudgingOrigins(reader: Reader, entry: number) {
  type Row = { number: number; origin: number | null; origin_group: number }
  const [evidence, objections] = await Promise.all([
    reader.all<Row>(sql`SELECT number, origin, origin_group FROM evidence WHERE entry = ${entry}`),
    reader.all<Row>(sql`
      SELECT l.number, l.origin, l.origin_group FROM relation_end x JOIN relation l ON l.number = x.relation
      WHERE x.entry = ${entry} AND l.target_entry = ${entry} AND l.relation_type = 'CONTRADICTS'`),
  ])
  return [...evidence, ...objections].sort((a, b) => a.number - b.number)
}

export async function numberOrigin(tx: Transaction, entry: number, origin: number, group: number): Promise<void> {
  await tx.run(sql`UPDATE evidence SET origin_group = ${group} WHERE origin = ${origin} AND entry = ${entry}`)
  await tx.run(sql`
    UPDATE relation SET origin_group = ${group}
    WHERE origin = ${origin} AND target_entry = ${entry} AND relation_type = 'CONTRADICTS'`)
}

export async function saveOrigins(tx: Transaction, entry: number, origins: number): Promise<void> {
  await tx.run(sql`UPDATE entry SET origins = ${origins} WHERE number = ${entry}`)
}

/** Deletes the judgements and the judged texts of an entry, which are rebuilt from its records. */
export async function forgetTexts(tx: Transaction, entry: number): Promise<void> {
  await tx.run(sql`DELETE FROM judgement WHERE entry = ${entry}`)
  await tx.run(sql`DELETE FROM judged_text WHERE entry = ${entry}`)
}

/** The revisions of an entry that were judged, in the order in which they first were. */
export async function listJudgedRevisions(reader: Reader, entry: number): Promise<number[]> {
  type Row = { number: number; revision: number | null }
  const [evidence, objections] = await Promise.all([
    reader.all<Row>(sql`SELECT number, revision FROM evidence WHERE entry = ${entry}`),
    reader.all<Row>(sql`
      SELECT l.number, l.target_revision AS revision FROM relation_end x JOIN relation l ON l.number = x.relation
      WHERE x.entry = ${entry} AND l.target_entry = ${entry} AND l.relation_type = 'CONTRADICTS'`),
  ])
  const inOrder = [...evidence, ...objections].sort((a, b) => a.number - b.number)
  return [...new Set(inOrder.map(({ revision }) => revision).filter(revision => revision !== null))]
}

/** The actors that judged an entry. */
export async function listJudges(reader: Reader, entry: number): Promise<number[]> {
  const [judges, objectors] = await Promise.all([
    reader.all<{ actor: number }>(sql`SELECT actor FROM evidence WHERE entry = ${entry}`),
    reader.all<{ actor: number }>(sql`
      SELECT l.actor FROM relation_end x JOIN relation l ON l.number = x.relation
      WHERE x.entry = ${entry} AND l.target_entry = ${entry} AND l.relation_type = 'CONTRADICTS'`),
  ])
  return [...new Set([...judges, ...objectors].map(({ actor }) => actor))]
}
