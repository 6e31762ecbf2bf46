import type { ExportLine } from '../contract/resources.ts'
import type { Action, ActorType, DataClass } from '../contract/vocabulary.ts'
import type { Reader } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { RecordKind } from '../domain/log/statement.ts'
import { toActivity } from './activity.ts'
import { AUTHOR_COLUMNS, type AuthorColumns, toAuthor } from './actor.ts'
import { tagsOf } from './entry.ts'
import { toContradiction, toVerification } from './evidence.ts'
import { toRelation } from './relation.ts'
import { toRevision } from './revision.ts'

export type ExportRow = AuthorColumns & {
  actor_type: ActorType
  sequence: number
  action: Action
  request_id: string
  metadata: string | null
  data_class: DataClass
  created_at: number
  hour: number | null
  withdrawn: number
  entry: number | null
  entry_id: string | null
  slug: string
  tags: string
  blocked: number
  entry_withdrawn: number | null
  revision: number
  revision_id: string
  ordinal: number
  previous_id: string | null
  title: string
  summary: string
  content: string
  change_type: 'CREATE' | 'EXPAND' | 'CORRECT' | 'SYNTHESIZE'
  rationale: string
  evidence_hash: string
  sources: string
  subject: number
  evidence_id: string
  evidence_ordinal: number
  evidence_withdrawn: number | null
  result: 'SUPPORTED' | 'UNSUPPORTED' | 'INCONCLUSIVE' | null
  confidence: number | null
  evidence_rationale: string
  evidence_group: number
  source_entry: number | null
  source_entry_id: string | null
  relation_id: string
  relation_type: 'CONNECT' | 'REUSES' | 'SYNTHESIZES' | 'CONTRADICTS'
  relation_rationale: string
  relation_group: number
  target: number
  target_id: string
}

/** Rows of activity above one sequence and up to another: all writes, and the public reads. */
export const listExportRows = (reader: Reader, above: number, upTo: number) =>
  reader.all<ExportRow>(sql`
    SELECT s.sequence, s.action, s.request_id, s.metadata, s.data_class, s.created_at, s.hour, s.withdrawn, ${AUTHOR_COLUMNS}, a.actor_type,
      e.number AS entry, e.id AS entry_id, e.slug, e.tags, e.blocked, e.withdrawn AS entry_withdrawn, s.revision, q.id AS revision_id,
      r.ordinal, p.id AS previous_id, r.title, r.summary, r.content, r.change_type, r.rationale, r.evidence_hash, r.sources, s.subject,
      v.id AS evidence_id, v.ordinal AS evidence_ordinal, v.result, v.confidence, v.rationale AS evidence_rationale, v.source_entry,
      v.withdrawn AS evidence_withdrawn, v.origin_group AS evidence_group,
      CASE WHEN w.withdrawn = 0 THEN w.id END AS source_entry_id,
      l.id AS relation_id, l.relation_type, l.rationale AS relation_rationale, l.origin_group AS relation_group, t.number AS target, t.id AS target_id
    FROM activity s JOIN actor a ON a.number = s.actor LEFT JOIN entry e ON e.number = s.entry
      LEFT JOIN revision q ON q.number = s.revision
      LEFT JOIN revision r ON r.number = s.revision AND s.subject IS NULL AND s.hour IS NULL
      LEFT JOIN revision p ON p.entry = r.entry AND p.ordinal = r.ordinal - 1
      LEFT JOIN evidence v ON v.number = s.subject LEFT JOIN entry w ON w.number = v.source_entry
      LEFT JOIN relation l ON l.number = s.subject LEFT JOIN entry t ON t.number = l.target_entry
    WHERE s.sequence > ${above} AND s.sequence <= ${upTo} AND (s.hour IS NULL OR s.data_class = 'EXTERNAL')
    ORDER BY s.sequence LIMIT ${upTo - above}`)

/** The row of a record. It has an entry; the row of a search has none. */
type RecordRow = ExportRow & { action: WriteAction; entry: number; entry_id: string }
type WriteAction = Exclude<Action, 'READ' | 'SEARCH'>

const isRecordRow = (row: ExportRow): row is RecordRow => row.action !== 'READ' && row.action !== 'SEARCH'

const KINDS: Record<WriteAction, (row: RecordRow) => ExportLine> = {
  CREATE: row => ({
    type: 'entry',
    ...onRecord(row, row.revision),
    slug: row.slug,
    status: row.blocked ? 'LOCKED' : 'ACTIVE',
    tags: tagsOf(row),
    revision: revisionOf(row),
  }),
  EXPAND: row => revised(row),
  CORRECT: row => revised(row),
  SYNTHESIZE: row => revised(row),
  VERIFY: row => ({
    type: 'verification',
    ...onRecord(row, row.subject),
    ...onEvidence(row),
    originGroup: row.evidence_group,
    verification: toVerification(evidenceOf(row, 'VERIFY')),
  }),
  CONTRADICT: row => ({
    type: 'contradiction',
    ...onRecord(row, row.subject),
    ...onEvidence(row),
    originGroup: row.evidence_group,
    sourceRecord: row.source_entry === null ? null : String(row.source_entry),
    contradiction: toContradiction(evidenceOf(row, 'CONTRADICT')),
  }),
  CONNECT: row => ({
    type: 'relation',
    ...onRecord(row, row.subject),
    ends: endsOf(row),
    ...(row.relation_type === 'CONTRADICTS' ? { originGroup: row.relation_group } : {}),
    relation: toRelation({
      id: row.relation_id,
      source_entry_id: row.entry_id,
      target_entry_id: row.target_id,
      relation_type: row.relation_type,
      actor_id: row.actor_id,
      rationale: row.relation_rationale,
      created_at: row.created_at,
    }),
  }),
}

/** What the export needs from the public log, in base64, and the act of moderation that withdrew a row. */
export type ExportContext = {
  saltOf(record: number): string | undefined
  /** The commitments of withdrawn records, by record number. */
  commitments: ReadonlyMap<number, string>
  /** The record number of the act, by the sequence of the row. */
  acts: ReadonlyMap<number, number>
}

/** The number and the kind of the record of a row; undefined for a read or search. */
export function recordOf(row: ExportRow): { record: number; kind: RecordKind } | undefined {
  if (!isRecordRow(row)) return undefined
  if (row.action === 'CONNECT') return { record: row.subject, kind: 'relation' }
  if (row.action === 'VERIFY' || row.action === 'CONTRADICT') return { record: row.subject, kind: 'evidence' }
  return { record: row.revision, kind: 'revision' }
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

/** Whether a row is of a record that moderation withdrew. */
export const isWithdrawn = (row: ExportRow): boolean =>
  isRecordRow(row) && (aloneOf(row) === 1 || row.entry_withdrawn === 1)

const aloneOf = (row: ExportRow): number => (row.action === 'CONNECT' ? row.withdrawn : (row.evidence_withdrawn ?? 0))

/** A row as a line of the export; a withdrawn row has numbers only. */
export function toExportLine(row: ExportRow, { saltOf, commitments, acts }: ExportContext): ExportLine {
  const sequence = String(row.sequence)
  if (!isRecordRow(row)) {
    return row.withdrawn === 0 ? observation(row) : { type: 'withdrawn', sequence, withdrawn: 'RECORD' }
  }
  const alone = aloneOf(row)
  if (!isWithdrawn(row)) {
    const salt = saltOf(row.subject ?? row.revision)
    const line = { ...KINDS[row.action](row), ...(salt === undefined ? {} : { salt }) }
    return row.withdrawn === 0 ? line : { ...line, withdrawn: 'FEED' }
  }
  const act = acts.get(row.sequence)
  const commitment = commitments.get(row.subject ?? row.revision)
  const numbers = {
    ...({ type: 'withdrawn', sequence, withdrawn: alone === 0 ? 'ENTRY' : 'RECORD' } as const),
    ...(act === undefined ? {} : { moderation: String(act) }),
    ...(commitment === undefined ? {} : { commitment }),
  }
  if (row.action === 'CONNECT') return { ...numbers, record: String(row.subject), ends: endsOf(row) }
  if (row.action === 'VERIFY' || row.action === 'CONTRADICT') {
    return { ...numbers, record: String(row.subject), ...onEvidence(row) }
  }
  return { ...numbers, record: String(row.revision), entryRecord: String(row.entry) }
}

const onRecord = (row: ExportRow, record: number) => ({
  sequence: String(row.sequence),
  record: String(record),
  requestId: row.request_id,
  dataClass: row.data_class,
  ...byActor(row),
})

const byActor = (row: ExportRow): Pick<ExportLine, 'actor' | 'actorType'> => ({
  actor: toAuthor(row),
  ...(row.actor_type === 'UNKNOWN' ? {} : { actorType: row.actor_type }),
})

const onEvidence = (row: ExportRow) => ({ entryRecord: String(row.entry), ordinal: row.evidence_ordinal })
const endsOf = (row: ExportRow): string[] => [String(row.entry), String(row.target)]

const revised = (row: RecordRow): ExportLine => ({
  type: 'revision',
  ...onRecord(row, row.revision),
  entryRecord: String(row.entry),
  revision: revisionOf(row),
})

const revisionOf = (row: RecordRow) =>
  toRevision({ ...row, id: row.revision_id, number: row.revision, origin_id: null })

const evidenceOf = (row: RecordRow, kind: 'VERIFY' | 'CONTRADICT') => ({
  ...row,
  number: row.subject,
  id: row.evidence_id,
  kind,
  ordinal: row.evidence_ordinal,
  origin_id: null,
  rationale: row.evidence_rationale,
})

/**
 * A read as the public feed shows it, without the tag of a search: the tag is text of a caller, and mirrors could not be made to blank it.
 */
function observation(row: ExportRow): ExportLine {
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
