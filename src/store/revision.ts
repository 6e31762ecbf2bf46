import type { Revision } from '../contract/resources.ts'
import { TRUST } from '../contract/vocabulary.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { Text } from '../domain/evidence/pieces.ts'
import { isoTime } from '../domain/time.ts'
import { AUTHOR_COLUMNS, type AuthorColumns } from './actor.ts'

export type RevisionRow = {
  number: number
  id: string
  entry_id: string
  ordinal: number
  previous_id: string | null
  actor: number
  actor_id: string
  origin_id: string | null
  title: string
  summary: string
  content: string
  change_type: Revision['changeType']
  rationale: string
  created_at: number
  evidence_hash: string
  sources: string
  signals: number
  /** The tags of the entry, as JSON. */
  tags: string
}

const REVISION: Sql = sql`
  SELECT r.number, r.id, e.id AS entry_id, r.ordinal, p.id AS previous_id, r.actor, a.id AS actor_id, o.id AS origin_id, r.title, r.summary, r.content,
    r.change_type, r.rationale, r.created_at, r.evidence_hash, r.sources, r.signals, e.tags
  FROM revision r JOIN entry e ON e.number = r.entry JOIN actor a ON a.number = r.actor
    LEFT JOIN origin o ON o.number = r.origin LEFT JOIN revision p ON p.entry = r.entry AND p.ordinal = r.ordinal - 1`

/** The revision with this id, in either case, if it belongs to the entry. */
export const findRevision = (reader: Reader, entry: number, id: string) =>
  reader.one<RevisionRow>(sql`${REVISION} WHERE r.id = ${id.toLowerCase()} AND r.entry = ${entry}`)

/** The revision with this id, in either case, with the number of its entry and whether that was withdrawn. */
export const findRevisionById = (reader: Reader, id: string) =>
  reader.one<RevisionRow & { entry: number; withdrawn: number }>(sql`
    SELECT r.number, r.id, e.id AS entry_id, e.number AS entry, e.withdrawn, r.ordinal, p.id AS previous_id, a.id AS actor_id, NULL AS origin_id,
      r.title, r.summary, r.content, r.change_type, r.rationale, r.created_at, r.evidence_hash, r.sources, r.signals, e.tags
    FROM revision r JOIN entry e ON e.number = r.entry JOIN actor a ON a.number = r.actor
      LEFT JOIN revision p ON p.entry = r.entry AND p.ordinal = r.ordinal - 1 WHERE r.id = ${id.toLowerCase()}`)

/** Revisions of an entry from `newest` (an ordinal, from 1) downwards. */
export const listRevisions = (reader: Reader, entry: number, newest: number, limit: number) =>
  reader.all<RevisionRow>(
    sql`${REVISION} WHERE r.entry = ${entry} AND r.ordinal <= ${newest} ORDER BY r.ordinal DESC LIMIT ${limit}`,
  )

export type NewRevision = {
  number: number
  entry: number
  ordinal: number
  actor: number
  origin: number | null
  at: number
  /** Whether it changed anything: title, summary, content or sources. */
  changed: boolean
  revision: Revision
  /** The signals of its text and of the tags of its entry. */
  signals: number
}

export async function insertRevision(tx: Transaction, row: NewRevision): Promise<void> {
  const { revision } = row
  await tx.run(sql`
    INSERT INTO revision (number, id, entry, ordinal, actor, origin, change_type, title, summary, content, rationale, sources, evidence_hash, created_at, changed, signals)
    VALUES (${row.number}, ${revision.id}, ${row.entry}, ${row.ordinal}, ${row.actor}, ${row.origin}, ${revision.changeType}, ${revision.title},
      ${revision.summary}, ${revision.content}, ${revision.rationale}, ${JSON.stringify(revision.sources)}, ${revision.evidenceHash}, ${row.at},
      ${row.changed ? 1 : 0}, ${row.signals})`)
}

/** Whether a revision changes nothing of the one before: title, summary, content and sources are the same. */
export const isSame = (
  previous: Pick<RevisionRow, 'title' | 'summary' | 'content' | 'sources'>,
  next: Revision,
): boolean =>
  previous.title === next.title &&
  previous.summary === next.summary &&
  previous.content === next.content &&
  previous.sources === JSON.stringify(next.sources)

/** Whether an exact revision of a public entry exists, and so may be a source. */
export const isCitable = async (reader: Reader, entryId: string, revisionId: string): Promise<boolean> =>
  (await reader.one(sql`
    SELECT r.number FROM revision r JOIN entry e ON e.number = r.entry
    WHERE r.id = ${revisionId.toLowerCase()} AND e.id = ${entryId.toLowerCase()} AND e.withdrawn = 0`)) !== undefined

export const toRevision = (row: Omit<RevisionRow, 'actor' | 'signals' | 'tags'>): Revision => ({
  id: row.id,
  entryId: row.entry_id,
  previousRevisionId: row.previous_id,
  actorId: row.actor_id,
  title: row.title,
  summary: row.summary,
  content: row.content,
  changeType: row.change_type,
  rationale: row.rationale,
  createdAt: isoTime(row.created_at),
  evidenceHash: row.evidence_hash,
  sources: JSON.parse(row.sources) as Revision['sources'],
  ...TRUST,
})

export type BlamedRow = Text & { ordinal: number }

/** The revisions of an entry above one ordinal and up to another that changed something, newest first. */
export const listTexts = (reader: Reader, entry: number, above: number, upTo: number) =>
  reader.all<BlamedRow>(sql`
    SELECT ordinal, title, summary, content FROM revision
    WHERE entry = ${entry} AND ordinal > ${above} AND ordinal <= ${upTo} AND changed = 1 ORDER BY ordinal DESC`)

export type WriterRow = AuthorColumns & {
  id: string
  ordinal: number
  change_type: Revision['changeType']
  created_at: number
  signals: number
}

/** A revision of an entry by its ordinal, with its author as declared. */
export const findWriter = (reader: Reader, entry: number, ordinal: number) =>
  reader.one<WriterRow>(sql`
    SELECT r.id, r.ordinal, r.change_type, r.created_at, r.signals, ${AUTHOR_COLUMNS} FROM revision r JOIN actor a ON a.number = r.actor
    WHERE r.entry = ${entry} AND r.ordinal = ${ordinal}`)
