import type { DataClass } from '../contract/vocabulary.ts'
import type { Reader } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import { type Facts, type RecordKind, statementOf } from '../domain/log/statement.ts'
import { isoTime } from '../domain/time.ts'
import type { RecordRange } from './head.ts'
import type { Epoch } from './log.ts'
import { observedOf } from './standing.ts'

/** A permanent record as the log has it. Only the statement of an `open` record is public. */
export type LoggedRecord = { record: number; kind: RecordKind; statement: string; open: boolean }

/** The members that records of actors share; the feed row of a record has its sequence and data class. */
type ActedRow = {
  record: number
  actor_id: string
  sequence: number | null
  data_class: DataClass | null
  withdrawn: number
}
const ACTED: Sql = sql`a.id AS actor_id, s.sequence, s.data_class`

const numeral = (number: number | null): string => String(number ?? '')
const actedOfRow = (row: ActedRow) => ({
  record: numeral(row.record),
  actorId: row.actor_id,
  sequence: numeral(row.sequence),
  dataClass: row.data_class ?? '',
})

const logged = <Kind extends RecordKind>(
  kind: Kind,
  { record, facts, open }: { record: number; facts: Facts[Kind]; open: boolean },
): LoggedRecord => ({
  record,
  kind,
  statement: statementOf(kind, facts),
  open,
})

type RevisionRow = ActedRow & {
  entry: number
  entry_id: string
  evidence_hash: string
  ordinal: number
  slug: string
  tags: string
}

async function listRevisions(reader: Reader, { above, upTo }: RecordRange): Promise<LoggedRecord[]> {
  const rows = await reader.all<RevisionRow>(sql`
    SELECT r.number AS record, ${ACTED}, e.number AS entry, e.id AS entry_id, r.evidence_hash, r.ordinal, e.slug, e.tags, e.withdrawn
    FROM revision r JOIN entry e ON e.number = r.entry JOIN actor a ON a.number = r.actor
      LEFT JOIN activity s ON s.revision = r.number AND s.subject IS NULL AND s.hour IS NULL
    WHERE r.number > ${above} AND r.number <= ${upTo} ORDER BY r.number LIMIT ${upTo - above}`)
  return rows.map(row => {
    const facts = {
      ...actedOfRow(row),
      entryRecord: numeral(row.entry),
      entryId: row.entry_id,
      evidenceHash: row.evidence_hash,
    }
    const first = row.ordinal === 1 ? { slug: row.slug, tags: JSON.parse(row.tags) as string[] } : {}
    return logged('revision', { record: row.record, facts: { ...facts, ...first }, open: row.withdrawn === 0 })
  })
}

type EvidenceRow = ActedRow & {
  id: string
  entry: number
  entry_id: string
  revision_id: string
  ordinal: number
  kind: 'VERIFY' | 'CONTRADICT'
  result: string | null
  confidence: number | null
  rationale: string
  quote: string | null
  observed_on: string | null
  source_entry: number | null
  created_at: number
}

async function listEvidence(reader: Reader, { above, upTo }: RecordRange): Promise<LoggedRecord[]> {
  const rows = await reader.all<EvidenceRow>(sql`
    SELECT v.number AS record, ${ACTED}, v.id, e.number AS entry, e.id AS entry_id, r.id AS revision_id, v.ordinal, v.kind, v.result,
      v.confidence, v.rationale, v.quote, v.observed_on, v.source_entry, v.created_at, CASE WHEN v.withdrawn = 1 OR e.withdrawn = 1 THEN 1 ELSE 0 END AS withdrawn
    FROM evidence v JOIN entry e ON e.number = v.entry JOIN revision r ON r.number = v.revision JOIN actor a ON a.number = v.actor
      LEFT JOIN activity s ON s.subject = v.number AND s.hour IS NULL
    WHERE v.number > ${above} AND v.number <= ${upTo} ORDER BY v.number LIMIT ${upTo - above}`)
  return rows.map(row => {
    const facts: Facts['evidence'] = {
      ...actedOfRow(row),
      id: row.id,
      entryRecord: numeral(row.entry),
      entryId: row.entry_id,
      revisionId: row.revision_id,
      ordinal: row.ordinal,
      action: row.kind,
      result: row.result,
      confidence: row.confidence,
      rationale: row.rationale,
      ...(row.quote === null ? {} : { quote: row.quote }),
      ...(row.observed_on === null ? {} : { observedOn: observedOf(row.observed_on) }),
      sourceRecord: row.source_entry === null ? null : numeral(row.source_entry),
      createdAt: isoTime(row.created_at),
    }
    return logged('evidence', { record: row.record, facts, open: row.withdrawn === 0 })
  })
}

type RelationRow = ActedRow & {
  id: string
  relation_type: string
  source_entry: number
  target_entry: number
  rationale: string
  created_at: number
}

async function listRelations(reader: Reader, { above, upTo }: RecordRange): Promise<LoggedRecord[]> {
  const rows = await reader.all<RelationRow>(sql`
    SELECT l.number AS record, ${ACTED}, l.id, l.relation_type, l.source_entry, l.target_entry, l.rationale, l.created_at, l.withdrawn
    FROM relation l JOIN actor a ON a.number = l.actor LEFT JOIN activity s ON s.subject = l.number AND s.hour IS NULL
    WHERE l.number > ${above} AND l.number <= ${upTo} ORDER BY l.number LIMIT ${upTo - above}`)
  return rows.map(row => {
    const facts: Facts['relation'] = {
      ...actedOfRow(row),
      id: row.id,
      relationType: row.relation_type,
      sourceEntryRecord: numeral(row.source_entry),
      targetEntryRecord: numeral(row.target_entry),
      rationale: row.rationale,
      createdAt: isoTime(row.created_at),
    }
    return logged('relation', { record: row.record, facts, open: row.withdrawn === 0 })
  })
}

type ModerationRow = {
  record: number
  id: string
  target_type: string
  target_id: string
  action: string
  reason: string
  changed: number
  created_at: number
}

async function listModerations(reader: Reader, { above, upTo }: RecordRange): Promise<LoggedRecord[]> {
  const rows = await reader.all<ModerationRow>(sql`
    SELECT number AS record, id, target_type, target_id, action, reason, changed, created_at
    FROM moderation WHERE number > ${above} AND number <= ${upTo} ORDER BY number LIMIT ${upTo - above}`)
  return rows.map(row => {
    const facts: Facts['moderation'] = {
      record: numeral(row.record),
      id: row.id,
      targetType: row.target_type,
      targetId: row.target_id,
      action: row.action,
      reason: row.reason,
      changed: row.changed === 1,
      createdAt: isoTime(row.created_at),
    }
    return logged('moderation', { record: row.record, facts, open: false })
  })
}

/** The records by which the epochs of a range begin. */
const listContinuations = (epochs: readonly Epoch[], { above, upTo }: RecordRange): LoggedRecord[] =>
  epochs.flatMap((epoch, place) => {
    const previous = epochs[place - 1]
    if (previous === undefined || epoch.number <= above || epoch.number > upTo) return []
    const before = { previousOrigin: previous.origin, size: epoch.size, checkpoint: epoch.checkpoint ?? '' }
    const facts = { record: numeral(epoch.number), ...before }
    return [logged('continuation', { record: epoch.number, facts, open: true })]
  })

/** All records of a range in order. Their statements depend on immutable columns only, and not on moderation. */
export async function listLogged(
  reader: Reader,
  epochs: readonly Epoch[],
  range: RecordRange,
): Promise<LoggedRecord[]> {
  const kinds = await Promise.all([
    listRevisions(reader, range),
    listEvidence(reader, range),
    listRelations(reader, range),
    listModerations(reader, range),
  ])
  return [...kinds.flat(), ...listContinuations(epochs, range)].sort((a, b) => a.record - b.record)
}

/** The records of a range without a row of activity, in order: acts of moderation, and the records by which epochs begin. */
export async function listUnlisted(
  reader: Reader,
  epochs: readonly Epoch[],
  range: RecordRange,
): Promise<LoggedRecord[]> {
  const acts = await listModerations(reader, range)
  return [...acts, ...listContinuations(epochs, range)].sort((a, b) => a.record - b.record)
}

const LISTS = { revision: listRevisions, evidence: listEvidence, relation: listRelations, moderation: listModerations }

/** One record of a kind; undefined where its row is missing. */
export async function findLogged(
  reader: Reader,
  epochs: readonly Epoch[],
  kind: RecordKind,
  record: number,
): Promise<LoggedRecord | undefined> {
  const range = { above: record - 1, upTo: record }
  const found = kind === 'continuation' ? listContinuations(epochs, range) : await LISTS[kind](reader, range)
  return found[0]
}
