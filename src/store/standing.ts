import type { Entry } from '../contract/resources.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import { RETAINED_FROM, type Text } from '../domain/evidence/retained-text.ts'
import {
  COUNTED_JUDGEMENTS,
  type Judgement,
  NO_TALLY,
  type Standing,
  type Verdict,
} from '../domain/evidence/standing.ts'
import { dueOf } from '../domain/evidence/work.ts'
import { isoTime } from '../domain/time.ts'

export type JudgementRow = Omit<Judgement, 'own' | 'originGroup'> & { own: number; origin_group: number }

// An entry may have thousands of judgements: naming each member takes a fraction of the time of a spread.
export const toJudgement = ({ record, actor, text, verdict, own, origin_group, at }: JudgementRow): Judgement => ({
  record,
  actor,
  text,
  verdict,
  own: own === 1,
  originGroup: origin_group,
  at,
})

/** The judgements of an entry, at most COUNTED_JUDGEMENTS + 1. */
export const listJudgements = async (reader: Reader, entry: number): Promise<Judgement[]> =>
  (
    await reader.all<JudgementRow>(sql`
      SELECT actor, text, record, verdict, own, origin_group, at FROM judgement WHERE entry = ${entry} LIMIT ${COUNTED_JUDGEMENTS + 1}`)
  ).map(toJudgement)

/** The same, each about its exact revision: several revisions may have the same words. */
export const listJudgementsOfRevisions = async (reader: Reader, entry: number): Promise<Judgement[]> =>
  (
    await reader.all<JudgementRow>(sql`
      SELECT actor, CASE WHEN verdict = 'CONTRADICTS' THEN (SELECT l.target_revision FROM relation l WHERE l.number = record)
        ELSE (SELECT v.revision FROM evidence v WHERE v.number = record) END AS text, record, verdict, own, origin_group, at
      FROM judgement WHERE entry = ${entry} LIMIT ${COUNTED_JUDGEMENTS + 1}`)
  ).map(toJudgement)

/** Makes a judgement the latest of its actor about its text. */
export async function upsertJudgement(tx: Transaction, entry: number, one: Judgement): Promise<void> {
  await tx.run(sql`
    INSERT INTO judgement (entry, actor, text, record, verdict, own, origin_group, at)
    VALUES (${entry}, ${one.actor}, ${one.text}, ${one.record}, ${one.verdict}, ${one.own ? 1 : 0}, ${one.originGroup}, ${one.at})
    ON CONFLICT (entry, actor, text) DO UPDATE SET record = excluded.record, verdict = excluded.verdict, own = excluded.own,
      origin_group = excluded.origin_group, at = excluded.at`)
}

/** The judgements of an entry by an actor, one for each text: at most two. */
export const listJudgedBy = async (reader: Reader, entry: number, actor: number): Promise<Judgement[]> =>
  (
    await reader.all<JudgementRow>(sql`
      SELECT actor, text, record, verdict, own, origin_group, at FROM judgement WHERE entry = ${entry} AND actor = ${actor} LIMIT 2`)
  ).map(toJudgement)

/** Another actor of the same origin that judged the entry. */
export const findNeighbour = (reader: Reader, entry: number, { originGroup, actor }: Judgement) =>
  reader.one<{ actor: number }>(
    sql`SELECT actor FROM judgement WHERE entry = ${entry} AND origin_group = ${originGroup} AND actor <> ${actor} LIMIT 1`,
  )

/** Another actor of the same origin with the same verdict about the text. It did not write the text. */
export const findVoice = (reader: Reader, entry: number, { originGroup, verdict, text, actor }: Judgement) =>
  reader.one<{ actor: number }>(sql`
    SELECT actor FROM judgement WHERE entry = ${entry} AND origin_group = ${originGroup} AND verdict = ${verdict}
      AND text = ${text} AND own = 0 AND actor <> ${actor} LIMIT 1`)

/** The records of objections to texts that a correction changed, without those of which the text with `digest` has nine tenths. */
export const listAnswered = (reader: Reader, entry: number, digest: string) =>
  reader.all<{ record: number }>(sql`
    SELECT j.record FROM judged_text t JOIN judgement j ON j.entry = t.entry AND j.text = t.text
    WHERE t.entry = ${entry} AND t.addressed IS NOT NULL AND (t.against <> ${digest} OR t.kept < ${RETAINED_FROM})
      AND j.verdict IN ('CONTRADICTED', 'CONTRADICTS') LIMIT ${COUNTED_JUDGEMENTS}`)

/** At most `limit` judged texts of an entry. */
export const listJudgedTexts = (reader: Reader, entry: number, limit: number) =>
  reader.all<{ text: number }>(sql`SELECT text FROM judged_text WHERE entry = ${entry} LIMIT ${limit}`)

export async function deleteJudgements(tx: Transaction, entry: number, actor: number): Promise<void> {
  await tx.run(sql`DELETE FROM judgement WHERE entry = ${entry} AND actor = ${actor}`)
}

/** A judgement of an actor in the records; `revision` is the judged one. */
export type SaidRow = { record: number; verdict: Verdict; revision: number; origin_group: number; at: number }

/** The public evidence that an actor gave on an entry, oldest first. */
export const listSaid = (reader: Reader, entry: number, actor: number) =>
  reader.all<SaidRow>(sql`
    SELECT v.number AS record, CASE WHEN v.kind = 'CONTRADICT' THEN 'CONTRADICTED' ELSE v.result END AS verdict, v.revision,
      v.origin_group, v.created_at AS at
    FROM evidence v WHERE v.actor = ${actor} AND v.entry = ${entry} AND v.withdrawn = 0 ORDER BY v.number`)

/** The public relations of type CONTRADICTS by which an actor objects to an entry, each about the revision that was current. */
export const listObjected = (reader: Reader, entry: number, actor: number) =>
  reader.all<SaidRow>(sql`
    SELECT l.number AS record, 'CONTRADICTS' AS verdict, l.target_revision AS revision, l.origin_group, l.created_at AS at
    FROM relation l WHERE l.actor = ${actor} AND l.target_entry = ${entry} AND l.relation_type = 'CONTRADICTS'
      AND l.target_revision IS NOT NULL AND l.withdrawn = 0
    ORDER BY l.number`)

/** The group, within an entry, of an origin that judged it before. */
export async function findOriginGroup(reader: Reader, entry: number, origin: number): Promise<number | undefined> {
  const [said, objected] = await Promise.all([
    reader.one<{ origin_group: number }>(
      sql`SELECT origin_group FROM evidence WHERE origin = ${origin} AND entry = ${entry} ORDER BY number LIMIT 1`,
    ),
    reader.one<{ origin_group: number }>(sql`
      SELECT origin_group FROM relation
      WHERE origin = ${origin} AND target_entry = ${entry} AND relation_type = 'CONTRADICTS' ORDER BY number LIMIT 1`),
  ])
  return (said ?? objected)?.origin_group
}

/** Raises the number of origins of a day that judged an entry to at least `originGroup`. */
export async function raiseOrigins(tx: Transaction, entry: number, originGroup: number): Promise<void> {
  await tx.run(sql`UPDATE entry SET origins = ${originGroup} WHERE number = ${entry} AND origins < ${originGroup}`)
}

export type JudgedTextRow = {
  text: number
  kept: number | null
  against: string | null
  walked: number
  steps: number
  addressed: number | null
}

const JUDGED_TEXT: Sql = sql`SELECT text, kept, against, walked, steps, addressed FROM judged_text`

export const findJudgedText = (reader: Reader, entry: number, text: number) =>
  reader.one<JudgedTextRow>(sql`${JUDGED_TEXT} WHERE entry = ${entry} AND text = ${text}`)

export const findTextByDigest = (reader: Reader, entry: number, digest: string) =>
  reader.one<{ text: number }>(sql`SELECT text FROM judged_text WHERE entry = ${entry} AND digest = ${digest}`)

export async function insertJudgedText(
  tx: Transaction,
  entry: number,
  { text, digest, ordinal }: { text: number; digest: string; ordinal: number },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO judged_text (entry, text, digest, walked) VALUES (${entry}, ${text}, ${digest}, ${ordinal})
    ON CONFLICT (entry, text) DO UPDATE SET digest = excluded.digest`)
}

export async function updateJudgedText(tx: Transaction, entry: number, row: JudgedTextRow): Promise<void> {
  await tx.run(sql`
    UPDATE judged_text SET kept = ${row.kept}, against = ${row.against}, walked = ${row.walked}, steps = ${row.steps},
      addressed = ${row.addressed}
    WHERE entry = ${entry} AND text = ${row.text}`)
}

/** A revision that is judged. */
export type JudgedRevision = Text & { number: number; ordinal: number; actor: number }
export type TextRow = JudgedRevision & { change_type: string }
export const TEXT: Sql = sql`SELECT number, ordinal, actor, change_type, title, summary, content FROM revision`

export const findText = (reader: Reader, revision: number) =>
  reader.one<TextRow>(sql`${TEXT} WHERE number = ${revision}`)

/** The revisions of an entry above an ordinal that changed something, oldest first. */
export const listChangesAbove = (reader: Reader, entry: number, ordinal: number, limit: number) =>
  reader.all<TextRow>(
    sql`${TEXT} WHERE entry = ${entry} AND ordinal > ${ordinal} AND changed = 1 ORDER BY ordinal LIMIT ${limit}`,
  )

/** A record by its number, and the group of its origin. */
type Named = { record: number; group: number }

/** The stored standing of an entry: records and revisions by their numbers, times in milliseconds. */
export type StoredStanding = Omit<Standing, 'supported' | 'best' | 'objections' | 'against' | 'disputeScore'> & {
  /** The share of the current text that was in a text whose support counts; null without support. */
  confirmed: number | null
  best: number | null
  against: Named[]
  contradictions: (Named & { verdict: Verdict; kept: number; addressedBy: number | null })[]
}

export const NO_STANDING: StoredStanding = {
  state: 'UNCHECKED',
  tally: NO_TALLY,
  earlier: NO_TALLY,
  kept: null,
  checkedAt: null,
  confirmed: null,
  best: null,
  against: [],
  contradictions: [],
}

export const storedStanding = (text: string | null): StoredStanding =>
  text === null ? NO_STANDING : (JSON.parse(text) as StoredStanding)

/** The part of a standing that every answer with an entry shows. */
export const shownStanding = (text: string | null): Entry['standing'] => slimStanding(storedStanding(text))

export const slimStanding = ({
  state,
  tally,
  checkedAt,
  confirmed,
}: Pick<StoredStanding, 'state' | 'tally' | 'checkedAt' | 'confirmed'>) => ({
  state,
  tally,
  confirmed,
  lastCheckedAt: checkedAt === null ? null : isoTime(checkedAt),
})

/** Stores the standing of an entry, and the check that it needs; null if there is no evidence. */
export async function updateStanding(
  tx: Transaction,
  entry: number,
  standing: StoredStanding | null,
  disputeScore: number,
): Promise<void> {
  const json = standing === null ? null : JSON.stringify(standing)
  const due = dueOf(standing)
  const confirmedAt = due === 'CONFIRMED' ? (standing?.checkedAt ?? null) : null
  await tx.run(sql`
    UPDATE entry SET standing = ${json}, contest = ${disputeScore}, due = ${due}, confirmed_at = ${confirmedAt} WHERE number = ${entry}`)
}

/** An objection, by the number of its record. */
export type ObjectionRow = { id: string; revision_id: string; rationale: string; source_entry_id: string | null }

export const findObjection = (reader: Reader, record: number) =>
  reader.one<ObjectionRow>(sql`
    SELECT v.id, r.id AS revision_id, v.rationale, CASE WHEN s.withdrawn = 0 THEN s.id END AS source_entry_id
    FROM evidence v JOIN revision r ON r.number = v.revision LEFT JOIN entry s ON s.number = v.source_entry WHERE v.number = ${record}`)

export const findObjectingRelation = (reader: Reader, record: number) =>
  reader.one<ObjectionRow>(sql`
    SELECT l.id, l.rationale, s.id AS source_entry_id, r.id AS revision_id
    FROM relation l JOIN entry s ON s.number = l.source_entry JOIN revision r ON r.number = l.target_revision WHERE l.number = ${record}`)

export const findRevisionId = async (reader: Reader, number: number): Promise<string | null> =>
  (await reader.one<{ id: string }>(sql`SELECT id FROM revision WHERE number = ${number}`))?.id ?? null
