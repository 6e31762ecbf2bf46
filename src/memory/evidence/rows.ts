import type { Contradiction, Verification } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import type { Reader, Transaction } from '../../engine/database.ts'
import { type Sql, sql } from '../../engine/sql.ts'
import { AUTHOR_COLUMNS, type AuthorColumns } from '../actors/rows.ts'
import { isoTime } from '../values.ts'
import type { ContributionOutcome, Outcome } from './outcome-rules.ts'
import { observedOf, STANDING_COLUMNS, type StandingColumns } from './standing-rows.ts'

type EvidenceColumns = {
  number: number
  id: string
  entry_id: string
  ordinal: number
  revision_id: string
  actor_id: string
  origin_id: string | null
  rationale: string
  source_entry_id: string | null
  quote: string | null
  observed_on: string | null
  created_at: number
  withdrawn: number
}
export type VerificationRow = EvidenceColumns & {
  kind: 'VERIFY'
  result: Verification['result']
  confidence: number
}
export type ContradictionRow = EvidenceColumns & { kind: 'CONTRADICT'; result: null; confidence: null }
export type EvidenceRow = VerificationRow | ContradictionRow
export type SignedEvidence = (VerificationRow & AuthorColumns) | (ContradictionRow & AuthorColumns)

const EVIDENCE: Sql = sql`
  SELECT v.number, v.id, v.kind, e.id AS entry_id, v.ordinal, r.id AS revision_id, ${AUTHOR_COLUMNS}, o.id AS origin_id, v.result, v.confidence,
    v.rationale, v.quote, v.observed_on, v.created_at, v.withdrawn, CASE WHEN s.withdrawn = 1 THEN NULL ELSE s.id END AS source_entry_id
  FROM evidence v JOIN entry e ON e.number = v.entry JOIN revision r ON r.number = v.revision JOIN actor a ON a.number = v.actor
    LEFT JOIN origin o ON o.number = v.origin LEFT JOIN entry s ON s.number = v.source_entry`

/** Public evidence of an entry from `newest` (an ordinal, from 1) downwards. A withdrawn source is not named. */
export const listEvidence = (reader: Reader, entry: number, newest: number, limit: number) =>
  reader.all<SignedEvidence>(sql`
    ${EVIDENCE} WHERE v.entry = ${entry} AND v.ordinal <= ${newest} AND v.withdrawn = 0 ORDER BY v.ordinal DESC LIMIT ${limit}`)

/** All evidence of an entry, newest first: for administrators. */
export const listAllEvidence = (reader: Reader, entry: number, limit: number) =>
  reader.all<EvidenceRow>(sql`${EVIDENCE} WHERE v.entry = ${entry} ORDER BY v.ordinal DESC LIMIT ${limit}`)

export type NewEvidence = Pick<EvidenceColumns, 'number' | 'id' | 'ordinal' | 'rationale' | 'quote'> & {
  kind: EvidenceRow['kind']
  entry: number
  revision: number
  actor: number
  origin: number | null
  /** The number of its voice within the entry; 0 if unknown. */
  originGroup: number
  /** Whether its author wrote a part of the judged text. */
  own: boolean
  result: Verification['result'] | null
  confidence: number | null
  /** JSON of the environments. */
  observedOn: string | null
  sourceEntry: number | null
  at: number
}

export async function insertEvidence(tx: Transaction, row: NewEvidence): Promise<void> {
  await tx.run(sql`
    INSERT INTO evidence (number, id, kind, entry, ordinal, revision, actor, origin, origin_group, own, result, confidence, rationale,
      quote, observed_on, source_entry, created_at)
    VALUES (${row.number}, ${row.id}, ${row.kind}, ${row.entry}, ${row.ordinal}, ${row.revision}, ${row.actor}, ${row.origin}, ${row.originGroup},
      ${row.own ? 1 : 0}, ${row.result}, ${row.confidence}, ${row.rationale}, ${row.quote}, ${row.observedOn}, ${row.sourceEntry}, ${row.at})`)
}

/** What verifications and contradictions have in common. */
const said = (row: EvidenceColumns) => ({
  ...{ id: row.id, entryId: row.entry_id, revisionId: row.revision_id, actorId: row.actor_id },
  rationale: row.rationale,
  ...(row.observed_on === null ? {} : { observedOn: observedOf(row.observed_on) }),
  createdAt: isoTime(row.created_at),
  ...TRUST,
})

export const toVerification = (row: VerificationRow): Verification => ({
  ...{ ...said(row), result: row.result, confidence: row.confidence },
})

export const toContradiction = (row: ContradictionRow): Contradiction => ({
  ...{ ...said(row), sourceEntryId: row.source_entry_id, ...(row.quote === null ? {} : { quote: row.quote }) },
})

/** The entries with evidence or objections above a record: at most `limit` of each. */
export async function listJudgedSince(reader: Reader, record: number, limit: number): Promise<number[]> {
  const [judged, objected] = await Promise.all([
    reader.all<{ entry: number }>(
      sql`SELECT entry FROM evidence WHERE number > ${record} ORDER BY number LIMIT ${limit}`,
    ),
    reader.all<{ entry: number }>(
      sql`SELECT target_entry AS entry FROM relation WHERE number > ${record} ORDER BY number LIMIT ${limit}`,
    ),
  ])
  return [...judged, ...objected].map(({ entry }) => entry)
}

/** 1 if an actor that did not write the revision gave such evidence about it and has not replaced it by a later one; else 0. */
const judged = (evidence: Sql): Sql => sql`
      CASE WHEN EXISTS (SELECT 1 FROM evidence v WHERE v.revision = s.revision AND ${evidence} AND v.withdrawn = 0 AND v.own = 0
        AND NOT EXISTS (SELECT 1 FROM evidence w WHERE w.revision = v.revision AND w.actor = v.actor AND w.number > v.number
          AND w.withdrawn = 0)) THEN 1 ELSE 0 END`
const JUDGED: Sql = sql`${judged(sql`v.result = 'SUPPORTED'`)} AS confirmed,
      ${judged(sql`coalesce(v.result, 'UNSUPPORTED') = 'UNSUPPORTED'`)} AS contradicted,
      CASE WHEN n.change_type = 'CORRECT' AND n.changed = 1 AND n.actor <> s.actor THEN 1 ELSE 0 END AS corrected`
const JOINS: Sql = sql`
    FROM activity s JOIN entry e ON e.number = s.entry LEFT JOIN revision r ON r.number = s.revision LEFT JOIN revision n ON n.entry = r.entry AND n.ordinal = r.ordinal + 1`

/** The newest contributions of an actor, each with its judgements by other actors. Each row takes a few index look-ups. */
export const listOutcomes = (reader: Reader, actor: number, limit: number) =>
  reader.all<Outcome>(sql`
    SELECT s.action, e.withdrawn, ${JUDGED} ${JOINS}
    WHERE s.actor = ${actor} AND s.hour IS NULL AND s.withdrawn = 0 ORDER BY s.sequence DESC LIMIT ${limit}`)

/** The same with the present state of their entries. `later` is the time of the latest revision if it is by another actor, else null. */
export const listContributionOutcomes = (reader: Reader, actor: number, limit: number) =>
  reader.all<ContributionOutcome & StandingColumns & { slug: string; title: string }>(sql`
    SELECT s.action, e.withdrawn, ${JUDGED}, s.entry, e.slug, h.title, ${STANDING_COLUMNS}, r.ordinal, e.revisions,
      CASE WHEN h.actor <> s.actor THEN h.created_at END AS later ${JOINS} LEFT JOIN revision h ON h.number = e.revision
    WHERE s.actor = ${actor} AND s.hour IS NULL AND s.withdrawn = 0 ORDER BY s.sequence DESC LIMIT ${limit}`)
