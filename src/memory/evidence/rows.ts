import type { Contradiction, Entry, Environment, Verification } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { only, type Reader, type Sql, sql, type Transaction } from '../../engine/database.ts'
import { AUTHOR_COLUMNS, type AuthorColumns } from '../actors/rows.ts'
import type { ContributionOutcome, Outcome } from '../actors/rules.ts'
import { signalsMember } from '../signals/signals.ts'
import { isoTime } from '../values.ts'
import { dueOf } from '../work/rules.ts'
import type { Text } from './pieces-rules.ts'
import {
  COUNTED_JUDGEMENTS,
  type ComputedStanding,
  type Correction,
  type Judgement,
  NO_STANDING,
  type Verdict,
} from './rules.ts'

/** The columns that a verification and a contradiction have. */
type SaidColumns = {
  id: string
  entry_id: string
  revision_id: string
  actor_id: string
  rationale: string
  observed_on: string | null
  created_at: number
}
type VerificationRow = SaidColumns & Pick<Verification, 'result' | 'confidence'>
type ContradictionRow = SaidColumns & { source_entry_id: string | null; quote: string | null }
export type SignedEvidence = ContradictionRow &
  AuthorColumns & { number: number; ordinal: number; origin_id: string | null; withdrawn: number } & (
    | { kind: 'VERIFY'; result: Verification['result']; confidence: number }
    | { kind: 'CONTRADICT'; result: null; confidence: null }
  )

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
  reader.all<SignedEvidence>(sql`${EVIDENCE} WHERE v.entry = ${entry} ORDER BY v.ordinal DESC LIMIT ${limit}`)

type Inserted = 'number' | 'id' | 'ordinal' | 'kind' | 'result' | 'confidence' | 'rationale' | 'quote'
type NewEvidence = Pick<SignedEvidence, Inserted> & {
  entry: number
  revision: number
  actor: number
  origin: number | null
  /** The number of its voice within the entry; 0 if unknown. */
  originGroup: number
  /** Whether its author wrote a part of the judged text. */
  own: boolean
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

/** The members that verifications and contradictions share. */
const sharedMembers = (row: SaidColumns) => ({
  ...{ id: row.id, entryId: row.entry_id, revisionId: row.revision_id, actorId: row.actor_id },
  rationale: row.rationale,
  ...(row.observed_on === null ? {} : { observedOn: observedOf(row.observed_on) }),
  createdAt: isoTime(row.created_at),
  ...TRUST,
})

export const toVerification = (row: VerificationRow): Verification => ({
  ...sharedMembers(row),
  result: row.result,
  confidence: row.confidence,
})

export const toContradiction = (row: ContradictionRow): Contradiction => ({
  ...sharedMembers(row),
  sourceEntryId: row.source_entry_id,
  ...(row.quote === null ? {} : { quote: row.quote }),
})

/** The entries with evidence or relations above a record: at most `limit` of each. */
export async function listJudgedSince(reader: Reader, record: number, limit: number): Promise<number[]> {
  const rows = await reader.all<{ entry: number }>(sql`
    SELECT page.entry FROM (SELECT entry FROM evidence WHERE number > ${record} ORDER BY number LIMIT ${limit}) AS page
    UNION ALL
    SELECT page.entry FROM (SELECT target_entry AS entry FROM relation WHERE number > ${record} ORDER BY number LIMIT ${limit}) AS page`)
  return rows.map(({ entry }) => entry)
}

/** An entry, the number of its latest revision, and how many pieces of evidence and relations it has. */
export type JudgedEntry = { number: number; revision: number; evidence: number; relations: number }

type JudgementRow = Omit<Judgement, 'own' | 'observedOn'> & { own: number; observed_on: string | null }

/** All records up to this one. */
const ALL = Number.MAX_SAFE_INTEGER

/** A kind of judgement: the columns of its row `v`, and the public rows about an entry. */
type Kind = { columns: Sql; about: (entry: number) => Sql }

const SAID: Kind = {
  columns: sql`v.actor, v.revision, CASE WHEN v.kind = 'CONTRADICT' THEN 'CONTRADICTED' ELSE v.result END AS verdict, v.quote, v.observed_on`,
  about: entry => sql`evidence v WHERE v.entry = ${entry} AND v.withdrawn = 0`,
}
/** A relation of type CONTRADICTS judges the revision that was current. */
const OBJECTED: Kind = {
  columns: sql`v.actor, v.target_revision AS revision, 'CONTRADICTS' AS verdict, NULL AS quote, NULL AS observed_on`,
  about: entry => sql`
    relation v WHERE v.target_entry = ${entry} AND v.relation_type = 'CONTRADICTS' AND v.withdrawn = 0 AND v.target_revision IS NOT NULL`,
}

/**
 * The public judgements of an entry up to a record that count: of the newest voices the newest judgements, from each equally many, as long as
 * they are at most COUNTED_JUDGEMENTS of each kind. A flood from one network displaces only itself.
 */
export async function listJudgements(
  reader: Reader,
  { number, evidence, relations }: Omit<JudgedEntry, 'revision'>,
  upTo = ALL,
): Promise<Judgement[]> {
  const [judged, objected] = await Promise.all([
    evidence === 0 ? [] : listCounted(reader, SAID, number, upTo, evidence),
    relations === 0 ? [] : listCounted(reader, OBJECTED, number, upTo, relations),
  ])
  return [...judged, ...objected].map(({ own, observed_on, ...row }) => ({
    ...{ ...row, own: own === 1, observedOn: observedOf(observed_on) },
  }))
}

/** Skips from voice to voice in the index, the last to judge first, however many rows a voice has. */
async function listCounted(reader: Reader, { columns, about }: Kind, entry: number, upTo: number, most: number) {
  const rows = sql`${about(entry)} AND v.number <= ${upTo}`
  const judgement = sql`SELECT v.number AS record, v.own, v.origin_group AS voice, v.created_at AS at, ${columns}`
  if (most <= COUNTED_JUDGEMENTS) return reader.all<JudgementRow>(sql`${judgement} FROM ${rows}`)
  const voices = sql`
    WITH RECURSIVE voices (voice, place) AS (
      SELECT (SELECT max(v.origin_group) FROM ${rows}), 1
      UNION ALL
      SELECT (SELECT max(v.origin_group) FROM ${rows} AND v.origin_group < voice), place + 1
      FROM voices WHERE voice IS NOT NULL AND place < ${COUNTED_JUDGEMENTS})`
  const counts = await reader.all<{ judgements: number }>(sql`
    ${voices}
    SELECT (SELECT count(*) FROM (SELECT 1 FROM ${rows} AND v.origin_group = voice LIMIT ${COUNTED_JUDGEMENTS}) AS page) AS judgements
    FROM voices WHERE voice IS NOT NULL`)
  // Without MATERIALIZED, PostgreSQL would seek the first judgement of a voice again for each of its judgements.
  return reader.all<JudgementRow>(sql`
    ${voices}, counted (voice, first) AS MATERIALIZED (
      SELECT voice, coalesce((SELECT v.number FROM ${rows} AND v.origin_group = voice ORDER BY v.number DESC
        LIMIT 1 OFFSET ${shareOfVoice(counts) - 1}), 0)
      FROM voices WHERE voice IS NOT NULL)
    ${judgement} FROM counted CROSS JOIN ${rows} AND v.origin_group = voice AND v.number >= first`)
}

/** The largest number of judgements of each voice with which at most COUNTED_JUDGEMENTS count. */
function shareOfVoice(voices: readonly { judgements: number }[]): number {
  let [share, left, more] = [0, COUNTED_JUDGEMENTS, voices]
  for (; more.length > 0 && more.length <= left; share++) {
    left -= more.length
    more = more.filter(({ judgements }) => judgements > share + 1)
  }
  return share
}

/** Environments as JSON, with their members in one order: the public log contains their hash. */
export const observedJson = (observedOn: readonly Environment[] | undefined): string | null =>
  observedOn === undefined ? null : JSON.stringify(observedOn.map(({ name, version }) => ({ name, version })))

export const observedOf = (json: string | null): Environment[] =>
  json === null ? [] : (JSON.parse(json) as Environment[])

/** The number of CORRECT revisions that are read from each end of the history after an objection. */
const CORRECTIONS_MAX = 64

/** The CORRECT revisions of an entry after a revision that changed something, oldest first: the first and the last ones. */
export async function listCorrections(reader: Reader, entry: number, after: number, upTo = ALL): Promise<Correction[]> {
  const from = (order: Sql) =>
    reader.all<Correction>(sql`
      SELECT number, actor FROM revision
      WHERE entry = ${entry} AND change_type = 'CORRECT' AND changed = 1 AND number > ${after} AND number <= ${upTo}
      ORDER BY number ${order} LIMIT ${CORRECTIONS_MAX}`)
  const [first, last] = await Promise.all([from(sql`ASC`), from(sql`DESC`)])
  return [...new Map([...first, ...last.reverse()].map(one => [one.number, one])).values()]
}

/** The number of newest revisions of a text among which changes, and the revisions of a network, are found. */
const WINDOW = 128

/** The revisions after one and up to another that changed something, newest first. */
export const listChanges = (reader: Reader, entry: number, after: number, upTo: number, limit: number) =>
  reader.all<Correction>(sql`
    SELECT number, actor FROM revision
    WHERE entry = ${entry} AND ordinal > (SELECT ordinal FROM revision WHERE number = ${after})
      AND ordinal > (SELECT ordinal - ${WINDOW} FROM revision WHERE number = ${upTo}) AND number <= ${upTo} AND changed = 1
    ORDER BY ordinal DESC LIMIT ${limit}`)

/** The text of a revision, and its signals as bits. */
export const findText = (reader: Reader, revision: number) =>
  reader.one<Text & { signals: number }>(
    sql`SELECT title, summary, content, signals FROM revision WHERE number = ${revision}`,
  )

/**
 * The ordinals of the revisions of an entry, up to an ordinal, that an actor wrote or that came from a network on that day: the newest of each,
 * and the first revision.
 */
export async function listWritten(
  reader: Reader,
  { entry, ordinal, actor, voice }: { entry: number; ordinal: number; actor: number; voice: string },
  limit: number,
): Promise<number[]> {
  const found = await Promise.all([
    reader.all<{ ordinal: number }>(sql`
      SELECT ordinal FROM revision WHERE actor = ${actor} AND entry = ${entry} AND ordinal > 1 AND ordinal <= ${ordinal}
      ORDER BY ordinal DESC LIMIT ${limit}`),
    reader.all<{ ordinal: number }>(sql`
      SELECT r.ordinal FROM revision r JOIN origin o ON o.number = r.origin
      WHERE r.entry = ${entry} AND r.ordinal > ${Math.max(1, ordinal - WINDOW)} AND r.ordinal <= ${ordinal} AND o.voice = ${voice}
      ORDER BY r.ordinal DESC LIMIT ${limit}`),
    reader.all<{ ordinal: number }>(sql`
      SELECT r.ordinal FROM revision r LEFT JOIN origin o ON o.number = r.origin
      WHERE r.number = ${entry} AND (r.actor = ${actor} OR o.voice = ${voice})`),
  ])
  return [...new Set(found.flat().map(one => one.ordinal))]
}

/** The number of a network and day within an entry. A new one gets the next number. */
export async function takeOriginGroup(tx: Transaction, entry: number, voice: string): Promise<number> {
  const known = await tx.one<{ origin_group: number }>(
    sql`SELECT origin_group FROM entry_voice WHERE entry = ${entry} AND voice = ${voice}`,
  )
  if (known !== undefined) return known.origin_group
  const taken = await tx.one<{ origins: number }>(
    sql`UPDATE entry SET origins = origins + 1 WHERE number = ${entry} RETURNING origins`,
  )
  const group = taken?.origins ?? 0
  await tx.run(sql`INSERT INTO entry_voice (entry, voice, origin_group) VALUES (${entry}, ${voice}, ${group})`)
  return group
}

/** Raises the number of networks that judged an entry to at least `originGroup`. */
export async function raiseOrigins(tx: Transaction, entry: number, originGroup: number): Promise<void> {
  await tx.run(sql`UPDATE entry SET origins = ${originGroup} WHERE number = ${entry} AND origins < ${originGroup}`)
}

/** The stored standing of an entry: records and revisions by their numbers, times in milliseconds. */
export const storedStanding = (text: string | null): ComputedStanding =>
  text === null ? NO_STANDING : (JSON.parse(text) as ComputedStanding)

const SHOWN_NAME: Sql = sql`CASE WHEN c.hidden = 0 AND c.quarantined = 0 THEN c.name END`
const shownName = (actor: Sql): Sql => sql`SELECT ${SHOWN_NAME} AS name FROM actor c WHERE c.number = ${actor}`
/** The columns of a standing, for statements that select from `entry e`. The name of a hidden or quarantined author is null. */
export const STANDING_COLUMNS: Sql = sql`e.standing, (${shownName(sql`e.changed_by`)}) AS changed_by_name`
/** The same for statements that read many entries and join the actor `c`. */
export const JOINED_STANDING: Sql = sql`e.standing, ${SHOWN_NAME} AS changed_by_name`

/** The name is that of the author of the newest change since the text was supported. */
export type StandingColumns = { standing: string | null; changed_by_name: string | null }

/** The columns of a text without judgements. */
export const NOT_JUDGED: StandingColumns = { standing: null, changed_by_name: null }

/** The part of a standing that every answer with an entry shows. */
export function shownStanding({ standing, changed_by_name: name }: StandingColumns): Entry['standing'] {
  const stored = standing === null ? NO_STANDING : (JSON.parse(standing) as ComputedStanding)
  const { state, tally, share, confirmed, changed, changedBy, checkedAt } = stored
  return {
    ...{ state, tally, share, confirmed, changed },
    ...(changedBy === null ? {} : { changedBy: { name, others: changedBy.others, ...signalsMember(name) } }),
    lastCheckedAt: checkedAt === null ? null : isoTime(checkedAt),
  }
}

/** The columns of a standing that was computed; null without judgements. */
export async function standingColumns(reader: Reader, standing: ComputedStanding | null): Promise<StandingColumns> {
  if (standing === null) return NOT_JUDGED
  const { changedBy } = standing
  const by = changedBy && (await reader.one<{ name: string | null }>(shownName(sql`${changedBy.actor}`)))
  return { standing: JSON.stringify(standing), changed_by_name: by?.name ?? null }
}

/** Stores the standing of an entry, and the check that it needs; null if there is no evidence. */
export async function updateStanding(tx: Transaction, entry: number, standing: ComputedStanding | null): Promise<void> {
  const { changedBy, contest, checkedAt } = standing ?? NO_STANDING
  const json = standing === null ? null : JSON.stringify(standing)
  const due = dueOf(standing)
  await tx.run(sql`
    UPDATE entry SET standing = ${json}, changed_by = ${changedBy?.actor ?? null}, contest = ${contest}, due = ${due},
      confirmed_at = ${due === 'CONFIRMED' ? checkedAt : null}
    WHERE number = ${entry}`)
}

type StatementRow = AuthorColumns & Omit<ContradictionRow, 'entry_id' | 'observed_on'>

/** A relation of type CONTRADICTS as a statement about its target. */
const RELATION: Sql = sql`
  SELECT l.id, l.rationale, l.created_at, ${AUTHOR_COLUMNS}, s.id AS source_entry_id, r.id AS revision_id, NULL AS quote
  FROM relation l JOIN entry s ON s.number = l.source_entry JOIN revision r ON r.number = l.target_revision JOIN actor a ON a.number = l.actor`

/** A judgement, or a relation of type CONTRADICTS, by its record: its text, time and author. Records are never deleted. */
export const findStatement = async (reader: Reader, record: number, verdict: Verdict): Promise<StatementRow> =>
  only(
    await reader.one<StatementRow>(
      verdict === 'CONTRADICTS'
        ? sql`${RELATION} WHERE l.number = ${record}`
        : sql`${EVIDENCE} WHERE v.number = ${record}`,
    ),
  )

export type ObjectorRow = {
  actor: number
  origin: number | null
  rationale: string
  created_at: number
  first_seen_at: number
}

/** The actor and the origin of an objection, and when the actor was first seen. */
export const findObjector = (reader: Reader, record: number, verdict: Verdict) =>
  reader.one<ObjectorRow>(sql`
    SELECT v.actor, v.origin, v.rationale, v.created_at, a.first_seen_at
    FROM ${verdict === 'CONTRADICTS' ? sql`relation` : sql`evidence`} v JOIN actor a ON a.number = v.actor WHERE v.number = ${record}`)

export const findRevisionId = async (reader: Reader, number: number): Promise<string> =>
  only(await reader.one<{ id: string }>(sql`SELECT id FROM revision WHERE number = ${number}`)).id

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
