import { LIMITS } from '../contract/limits.ts'
import type { Author, ExportLine } from '../contract/resources.ts'
import type { Action, ActorType, RelationType, Result } from '../contract/vocabulary.ts'
import { type Reader, type Sql, sql, type Transaction } from '../engine/database.ts'
import { type ActivityRow, observationsBy, rowsAbout, toActivity } from '../memory/activity/rows.ts'
import { AUTHOR_COLUMNS, type AuthorColumns, authorColumnsOf, findActorById, toAuthor } from '../memory/actors/rows.ts'
import { type EntryRow, type RevisionRow, tagsOf, toRevision } from '../memory/entries/rows.ts'
import { toContradiction, toVerification } from '../memory/evidence/rows.ts'
import { entriesOf, type ModeratedTarget } from '../memory/moderation/rows.ts'
import { toRelation } from '../memory/relations/rows.ts'
import { isoTime } from '../memory/values.ts'
import type { RecordKind } from '../tlog/rules/statement.ts'

type ActivityColumns = AuthorColumns &
  Pick<ActivityRow, 'sequence' | 'request_id' | 'metadata' | 'data_class' | 'created_at'> & {
    actor_type: ActorType
    withdrawn: number
  }
type EntryColumns = Pick<EntryRow, 'slug' | 'tags' | 'blocked'> & {
  entry: number
  entry_id: string
  entry_withdrawn: number
}
type RevisionColumns = Omit<
  RevisionRow,
  'number' | 'id' | 'entry' | 'entry_id' | 'withdrawn' | 'actor' | 'actor_id' | 'origin_id' | 'created_at' | 'signals'
>
type EvidenceColumns = {
  evidence_id: string
  evidence_ordinal: number
  evidence_withdrawn: number
  evidence_rationale: string
  evidence_group: number
  evidence_own: number
  quote: string | null
  observed_on: string | null
  source_entry: number | null
  source_entry_id: string | null
}
type RelationColumns = {
  relation_id: string
  relation_type: RelationType
  relation_rationale: string
  relation_group: number
  relation_own: number
  target: number
  target_id: string
}
/** The columns of a joined table if no row matches. */
type Missing<Columns> = { [Name in keyof Columns]: null }

/** The row of a record, with the columns of that record. */
type RecordRow = RevisedRow | JudgedRow | ConnectedRow
type Written<Actions extends Action> = ActivityColumns & EntryColumns & { action: Actions }
type RevisedRow = Written<'CREATE' | 'EXPAND' | 'CORRECT' | 'SYNTHESIZE'> &
  RevisionColumns & { revision: number; revision_id: string; evidence_withdrawn: null }
type JudgedRow = VerifiedRow | ContradictedRow
type JudgementColumns = EvidenceColumns & { revision_id: string; subject: number }
type VerifiedRow = Written<'VERIFY'> & JudgementColumns & { result: Result; confidence: number }
type ContradictedRow = Written<'CONTRADICT'> & JudgementColumns & { result: null; confidence: null }
type ConnectedRow = Written<'CONNECT'> & RelationColumns & { subject: number }

/** The row of a read or search. A search has no entry. */
type ObservedRow = ActivityColumns &
  (EntryColumns | Missing<EntryColumns>) & {
    action: 'READ' | 'SEARCH'
    revision_id: string | null
  } & Missing<RevisionColumns & EvidenceColumns & RelationColumns & { result: Result; confidence: number }>

export type ExportRow = RecordRow | ObservedRow

/** Rows of activity above one sequence and up to another: all writes, and the public reads. */
export const listExportRows = (reader: Reader, above: number, upTo: number) =>
  reader.all<ExportRow>(sql`
    SELECT s.sequence, s.action, s.request_id, s.metadata, s.data_class, s.created_at, s.hour, s.withdrawn, ${AUTHOR_COLUMNS}, a.actor_type,
      e.number AS entry, e.id AS entry_id, e.slug, e.tags, e.blocked, e.withdrawn AS entry_withdrawn, s.revision, q.id AS revision_id,
      r.ordinal, p.id AS previous_id, r.title, r.summary, r.content, r.change_type, r.rationale, r.evidence_hash, r.sources, s.subject,
      v.id AS evidence_id, v.ordinal AS evidence_ordinal, v.result, v.confidence, v.rationale AS evidence_rationale, v.source_entry,
      v.withdrawn AS evidence_withdrawn, v.origin_group AS evidence_group, v.own AS evidence_own, v.quote, v.observed_on,
      CASE WHEN w.withdrawn = 0 THEN w.id END AS source_entry_id,
      l.id AS relation_id, l.relation_type, l.rationale AS relation_rationale, l.origin_group AS relation_group, l.own AS relation_own, t.number AS target, t.id AS target_id
    FROM activity s JOIN actor a ON a.number = s.actor LEFT JOIN entry e ON e.number = s.entry
      LEFT JOIN revision q ON q.number = s.revision
      LEFT JOIN revision r ON r.number = s.revision AND s.subject IS NULL AND s.hour IS NULL
      LEFT JOIN revision p ON p.entry = r.entry AND p.ordinal = r.ordinal - 1
      LEFT JOIN evidence v ON v.number = s.subject LEFT JOIN entry w ON w.number = v.source_entry
      LEFT JOIN relation l ON l.number = s.subject LEFT JOIN entry t ON t.number = l.target_entry
    WHERE s.sequence > ${above} AND s.sequence <= ${upTo} AND (s.hour IS NULL OR s.data_class = 'EXTERNAL')
    ORDER BY s.sequence LIMIT ${upTo - above}`)

const isRecordRow = (row: ExportRow): row is RecordRow => row.action !== 'READ' && row.action !== 'SEARCH'

function recordLine(row: RecordRow): ExportLine {
  if (row.action === 'CREATE') return entryLine(row)
  if (row.action === 'VERIFY') return verificationLine(row)
  if (row.action === 'CONTRADICT') return contradictionLine(row)
  return row.action === 'CONNECT' ? relationLine(row) : revisionLine(row)
}

const entryLine = (row: RevisedRow): ExportLine => ({
  type: 'entry',
  ...onRecord(row, row.revision),
  ...publicEntryOf(row),
  revision: revisionOf(row),
})

const revisionLine = (row: RevisedRow): ExportLine => ({
  type: 'revision',
  ...onRecord(row, row.revision),
  entryRecord: String(row.entry),
  revision: revisionOf(row),
})

const verificationLine = (row: VerifiedRow): ExportLine => ({
  type: 'verification',
  ...onJudgement(row),
  verification: toVerification(evidenceOf(row)),
})

const contradictionLine = (row: ContradictedRow): ExportLine => ({
  type: 'contradiction',
  ...onJudgement(row),
  sourceRecord: row.source_entry === null ? null : String(row.source_entry),
  contradiction: toContradiction(evidenceOf(row)),
})

const relationLine = (row: ConnectedRow): ExportLine => ({
  type: 'relation',
  ...onRecord(row, row.subject),
  ends: endsOf(row),
  ...(row.relation_type === 'CONTRADICTS' ? byGroup(row.relation_group, row.relation_own) : {}),
  relation: toRelation({
    id: row.relation_id,
    source_entry_id: row.entry_id,
    target_entry_id: row.target_id,
    relation_type: row.relation_type,
    actor_id: row.actor_id,
    rationale: row.relation_rationale,
    created_at: row.created_at,
  }),
})

/** The values of the public log that the export needs, in base64, and the acts of moderation that withdrew rows. */
export type ExportContext = {
  saltOf(record: number): string | undefined
  /** The commitments of withdrawn records, by record number. */
  commitments: ReadonlyMap<number, string>
  /** The record number of the act, by the sequence of the row. */
  acts: ReadonlyMap<number, number>
  isErased(record: number): boolean
}

type NumberedRecord = { record: number; kind: RecordKind }

/** The number and the kind of the record of a row; undefined for a read or search. */
export function recordOf(row: RecordRow): NumberedRecord
export function recordOf(row: ExportRow): NumberedRecord | undefined
export function recordOf(row: ExportRow): NumberedRecord | undefined {
  if (!isRecordRow(row)) return undefined
  if (row.action === 'CONNECT') return { record: row.subject, kind: 'relation' }
  if (row.action === 'VERIFY' || row.action === 'CONTRADICT') return { record: row.subject, kind: 'evidence' }
  return { record: row.revision, kind: 'revision' }
}

/** Whether a row is of a record that moderation withdrew or erased. */
export const isWithdrawn = (row: ExportRow): boolean =>
  isRecordRow(row) && (isWithdrawnAlone(row) || row.entry_withdrawn === 1)

/** Whether moderation withdrew or erased a record itself, and not only its entry. */
function isWithdrawnAlone(row: RecordRow): boolean {
  if (isRevision(row)) return row.entry_withdrawn === 0 && row.title === ''
  return (row.action === 'CONNECT' ? row.withdrawn : row.evidence_withdrawn) === 1
}

const isRevision = (row: RecordRow): row is RevisedRow =>
  row.action !== 'CONNECT' && row.action !== 'VERIFY' && row.action !== 'CONTRADICT'

/** A row as a line of the export; a withdrawn row has numbers only. */
export function toExportLine(row: ExportRow, { saltOf, commitments, acts, isErased }: ExportContext): ExportLine {
  const sequence = String(row.sequence)
  if (!isRecordRow(row)) {
    return row.withdrawn === 0 ? observation(row) : { type: 'withdrawn', sequence, withdrawn: 'RECORD' }
  }
  const { record } = recordOf(row)
  if (!isWithdrawn(row)) {
    const salt = saltOf(record)
    const line = { ...recordLine(row), ...(salt === undefined ? {} : { salt }) }
    return row.withdrawn === 0 ? line : { ...line, withdrawn: 'FEED' }
  }
  const act = acts.get(row.sequence)
  const commitment = commitments.get(record)
  const numbers = {
    ...({ type: 'withdrawn', sequence, withdrawn: isWithdrawnAlone(row) ? 'RECORD' : 'ENTRY' } as const),
    ...(act === undefined ? {} : { moderation: String(act) }),
    ...(commitment === undefined ? {} : { commitment }),
    ...(isErased(record) ? { erased: isAddressErased(row) ? ('ENTRY' as const) : ('RECORD' as const) } : {}),
    record: String(record),
  }
  if (row.action === 'CONNECT') return { ...numbers, ends: endsOf(row) }
  if (!isRevision(row)) return { ...numbers, ...onEvidence(row) }
  const line = { ...numbers, entryRecord: String(row.entry) }
  return isWithdrawnAlone(row) ? { ...onRecord(row, record), ...line, ...identityOf(row) } : line
}

/** Whether the slug of an entry was erased. It then begins with a space, as no other does. */
const isAddressErased = ({ slug }: RecordRow): boolean => slug.startsWith(' ')

/** The place of an erased revision in the history of a public entry, and the members of that entry if the revision is its first one. */
const identityOf = (row: RevisedRow) => ({
  identity: {
    ...{ id: row.revision_id, entryId: row.entry_id, previousRevisionId: row.previous_id },
    ...{ changeType: row.change_type, createdAt: isoTime(row.created_at), evidenceHash: row.evidence_hash },
  },
  ...(row.action === 'CREATE' ? publicEntryOf(row) : {}),
})

const publicEntryOf = (row: RevisedRow) => ({
  slug: row.slug,
  status: row.blocked ? ('LOCKED' as const) : ('ACTIVE' as const),
  tags: tagsOf(row),
})

const onRecord = (row: RecordRow, record: number) => ({
  sequence: String(row.sequence),
  record: String(record),
  requestId: row.request_id,
  dataClass: row.data_class,
  ...byActor(row),
})

const byActor = (row: ExportRow): Pick<ExportLine, 'actor' | 'actorType'> => ({
  actor: toAuthor(row, {}),
  ...(row.actor_type === 'UNKNOWN' ? {} : { actorType: row.actor_type }),
})

const onJudgement = (row: JudgedRow) => ({
  ...onRecord(row, row.subject),
  ...onEvidence(row),
  ...byGroup(row.evidence_group, row.evidence_own),
})

/** The group of origins of a judgement, and whether it is of the author of the text. */
const byGroup = (originGroup: number, own: number) => ({ originGroup, ...(own === 1 ? { own: true } : {}) })

const onEvidence = (row: JudgedRow) => ({ entryRecord: String(row.entry), ordinal: row.evidence_ordinal })
const endsOf = (row: ConnectedRow): string[] => [String(row.entry), String(row.target)]

const revisionOf = (row: RevisedRow) =>
  toRevision({ ...row, id: row.revision_id, number: row.revision, origin_id: null })

const evidenceOf = <Row extends JudgedRow>(row: Row) => ({
  ...row,
  id: row.evidence_id,
  rationale: row.evidence_rationale,
})

/**
 * A read as the public feed shows it, without the tag of a search. The tag is text of a caller, and mirrors cannot be forced to erase it.
 */
function observation(row: ObservedRow): ExportLine {
  const shown = row.entry_withdrawn === 0
  const activity = toActivity({
    ...row,
    author_withdrawn: 1,
    entry_id: shown ? row.entry_id : null,
    revision_id: shown ? row.revision_id : null,
    origin_id: null,
    target_entry_id: null,
  })
  return { type: 'observation', sequence: String(row.sequence), ...byActor(row), activity }
}

/** The size of a segment. SQLite would bind the number as REAL without the cast. */
const SEGMENT: Sql = sql`CAST(${LIMITS.exportSegment} AS INTEGER)`

/** Marks the segments whose lines depend on a target as changed by a record of moderation. */
export async function markSegments(tx: Transaction, target: ModeratedTarget, record: number): Promise<void> {
  // A mirror withdraws and restores the reads of an entry together with the entry.
  const written = rowsAbout(target).map(rows => sql`s.hour IS NULL AND ${rows}`)
  for (const lines of [...written, ...observationsBy(target)]) {
    const segments = await tx.all<{ segment: number }>(
      sql`SELECT DISTINCT (s.sequence - 1) / ${SEGMENT} AS segment FROM activity s WHERE ${lines}`,
    )
    await mark(tx, segments, record)
  }
}

/** Marks the segments that have the latest withdrawal or return of a target's entries. Call it before a later one replaces it. */
export async function markModerated(tx: Transaction, target: ModeratedTarget, record: number): Promise<void> {
  const segments = await tx.all<{ segment: number }>(sql`
    SELECT DISTINCT (e.moderated - 1) / ${SEGMENT} AS segment FROM entry e WHERE ${entriesOf(target)} AND e.moderated > 0`)
  await mark(tx, segments, record)
}

async function mark(tx: Transaction, segments: readonly { segment: number }[], record: number): Promise<void> {
  for (const { segment } of segments) {
    await tx.run(sql`
      INSERT INTO export_change (segment, record) VALUES (${segment}, ${record})
      ON CONFLICT (segment) DO UPDATE SET record = excluded.record`)
  }
}

/** The segments, from 0, that acts of moderation above a record changed, the earliest change first. */
export const listChangedSegments = (reader: Reader, above: number, limit: number) =>
  reader.all<{ segment: number }>(
    sql`SELECT segment FROM export_change WHERE record > ${above} ORDER BY record, segment LIMIT ${limit}`,
  )

/** The record number of the latest act of moderation; 0 if there is none. */
export const readLatestChange = async (reader: Reader): Promise<number> =>
  (await reader.one<{ number: number }>(sql`SELECT number FROM moderation ORDER BY number DESC LIMIT ${1}`))?.number ??
  0

/**
 * The actors, as they are shown now, that the first `limit` acts of moderation of actors above a record were about. Actors that were never
 * observed are left out. `all`: there are no more such acts.
 */
export async function listChangedActors(
  reader: Reader,
  above: number,
  limit: number,
): Promise<{ actors: Author[]; all: boolean }> {
  const targets = await reader.all<{ id: string }>(sql`
    SELECT target_id AS id FROM moderation WHERE number > ${above} AND target_type = 'ACTOR' ORDER BY number LIMIT ${limit + 1}`)
  const ids = new Set(targets.slice(0, limit).map(({ id }) => id))
  const found = await Promise.all([...ids].map(id => findActorById(reader, id)))
  const observed = found.filter(actor => actor !== undefined).filter(({ observations }) => observations > 0)
  return { actors: observed.map(actor => toAuthor(authorColumnsOf(actor), {})), all: targets.length <= limit }
}

/** The record of the last write up to a sequence; 0 if there is none. */
export const findRecordAt = async (reader: Reader, sequence: number): Promise<number> =>
  (
    await reader.one<{ record: number }>(sql`
      SELECT coalesce(subject, revision) AS record FROM activity
      WHERE hour IS NULL AND action NOT IN ('READ', 'SEARCH') AND sequence <= ${sequence} ORDER BY sequence DESC LIMIT ${1}`)
  )?.record ?? 0

/** The sequence of the first row above a sequence. */
export const findRowAbove = async (reader: Reader, sequence: number): Promise<number | undefined> =>
  (
    await reader.one<{ sequence: number }>(
      sql`SELECT sequence FROM activity WHERE sequence > ${sequence} ORDER BY sequence LIMIT ${1}`,
    )
  )?.sequence
