import type { Entry, Environment } from '../../contract/resources.ts'
import type { Reader, Transaction } from '../../engine/database.ts'
import { type Sql, sql } from '../../engine/sql.ts'
import { AUTHOR_COLUMNS, type AuthorColumns } from '../actors/rows.ts'
import { signalsMember } from '../signals/signals.ts'
import { isoTime } from '../values.ts'
import { dueOf } from '../work/rules.ts'
import type { Text } from './pieces-rules.ts'
import {
  COUNTED_JUDGEMENTS,
  type ComputedStanding,
  type Correction,
  type Judgement,
  NO_TALLY,
  type Verdict,
} from './rules.ts'

/** An entry, and how many pieces of evidence and relations it has. */
export type JudgedEntry = { number: number; evidence: number; relations: number }

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

/** The voices of some rows, the last to judge first. Skips from voice to voice in the index, however many rows a voice has. */
const voicesOf = (rows: Sql): Sql => sql`
  WITH RECURSIVE voices (voice, place) AS (
    SELECT (SELECT max(v.origin_group) FROM ${rows}), 1
    UNION ALL
    SELECT (SELECT max(v.origin_group) FROM ${rows} AND v.origin_group < voice), place + 1
    FROM voices WHERE voice IS NOT NULL AND place < ${COUNTED_JUDGEMENTS}
  )`

/**
 * The public judgements of an entry up to a record that count: of the newest voices the newest judgements, from each equally many, as long as
 * they are at most COUNTED_JUDGEMENTS of each kind. A flood from one network displaces only itself.
 */
export async function listJudgements(
  reader: Reader,
  { number, evidence, relations }: JudgedEntry,
  upTo = ALL,
): Promise<Judgement[]> {
  const [said, objected] = await Promise.all([
    evidence === 0 ? [] : listCounted(reader, SAID, number, upTo, evidence),
    relations === 0 ? [] : listCounted(reader, OBJECTED, number, upTo, relations),
  ])
  return [...said, ...objected].map(({ own, observed_on: observedOn, ...row }) => ({
    ...row,
    own: own === 1,
    observedOn: observedOf(observedOn),
  }))
}

async function listCounted(reader: Reader, { columns, about }: Kind, entry: number, upTo: number, most: number) {
  const rows = sql`${about(entry)} AND v.number <= ${upTo}`
  const share = most <= COUNTED_JUDGEMENTS ? most : await shareOfVoice(reader, rows)
  return reader.all<JudgementRow>(sql`
    ${voicesOf(rows)}
    SELECT v.number AS record, v.own, v.origin_group AS voice, v.created_at AS at, ${columns}
    FROM voices CROSS JOIN ${rows} AND v.origin_group = voice
      AND v.number >= coalesce((SELECT v.number FROM ${rows} AND v.origin_group = voice ORDER BY v.number DESC LIMIT 1 OFFSET ${share - 1}), 0)`)
}

/** The largest number of judgements of each voice with which at most COUNTED_JUDGEMENTS count. */
async function shareOfVoice(reader: Reader, rows: Sql): Promise<number> {
  const voices = await reader.all<{ judgements: number }>(sql`
    ${voicesOf(rows)}
    SELECT (SELECT count(*) FROM (SELECT 1 FROM ${rows} AND v.origin_group = voice LIMIT ${COUNTED_JUDGEMENTS}) AS page) AS judgements
    FROM voices WHERE voice IS NOT NULL`)
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

/** The number of newest revisions of a text among which changes are found. */
const CHANGES_WINDOW = 128

/** The revisions after one and up to another that changed something, newest first. */
export const listChanges = (reader: Reader, entry: number, after: number, upTo: number, limit: number) =>
  reader.all<Correction>(sql`
    SELECT number, actor FROM revision
    WHERE entry = ${entry} AND ordinal > (SELECT ordinal FROM revision WHERE number = ${after})
      AND ordinal > (SELECT ordinal - ${CHANGES_WINDOW} FROM revision WHERE number = ${upTo}) AND number <= ${upTo} AND changed = 1
    ORDER BY ordinal DESC LIMIT ${limit}`)

/** A revision that is judged. */
export type TextRow = Text & { number: number; ordinal: number; actor: number; change_type: string }
const TEXT: Sql = sql`SELECT number, ordinal, actor, change_type, title, summary, content FROM revision`

export const findText = (reader: Reader, revision: number) =>
  reader.one<TextRow>(sql`${TEXT} WHERE number = ${revision}`)

export const findTextByOrdinal = (reader: Reader, entry: number, ordinal: number) =>
  reader.one<TextRow>(sql`${TEXT} WHERE entry = ${entry} AND ordinal = ${ordinal}`)

/** A revision by an actor, or by a network on a day. */
export type WrittenRow = { number: number; ordinal: number }

/** The number of newest revisions among which those of a network are found. */
const NETWORK_WINDOW = 128

/** The revisions of an entry up to an ordinal that an actor wrote, or that came from a network on that day: the newest and the first. */
export async function listWritten(
  reader: Reader,
  { entry, ordinal, actor, voice }: { entry: number; ordinal: number; actor: number; voice: string | null },
  limit: number,
): Promise<WrittenRow[]> {
  const lists = await Promise.all([
    reader.all<WrittenRow>(sql`
      SELECT number, ordinal FROM revision WHERE actor = ${actor} AND entry = ${entry} AND ordinal > 1 AND ordinal <= ${ordinal}
      ORDER BY ordinal DESC LIMIT ${limit}`),
    voice === null
      ? []
      : reader.all<WrittenRow>(sql`
          SELECT r.number, r.ordinal FROM revision r JOIN origin o ON o.number = r.origin
          WHERE r.entry = ${entry} AND r.ordinal > ${Math.max(1, ordinal - NETWORK_WINDOW)} AND r.ordinal <= ${ordinal} AND o.voice = ${voice}
          ORDER BY r.ordinal DESC LIMIT ${limit}`),
    reader.all<WrittenRow>(sql`
      SELECT r.number, r.ordinal FROM revision r LEFT JOIN origin o ON o.number = r.origin
      WHERE r.number = ${entry} AND (r.actor = ${actor} OR o.voice = ${voice ?? ''})`),
  ])
  return [...new Map(lists.flat().map(one => [one.number, one])).values()]
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

const NO_STANDING: ComputedStanding = {
  ...{ state: 'UNCHECKED', tally: NO_TALLY, earlier: NO_TALLY, share: 0.5, confirmed: null, unconfirmed: [] },
  ...{
    nearest: null,
    removed: [],
    changed: 0,
    changedBy: null,
    checkedAt: null,
    observedOn: [],
    contradictions: [],
    contest: 0,
  },
}

/** The stored standing of an entry: records and revisions by their numbers, times in milliseconds. */
export const storedStanding = (text: string | null): ComputedStanding =>
  text === null ? NO_STANDING : (JSON.parse(text) as ComputedStanding)

const CHANGED_BY_NAME: Sql = sql`CASE WHEN c.hidden = 0 AND c.quarantined = 0 THEN c.name END`
/** The columns of a standing, for statements that select from `entry e`. The name of a hidden or quarantined author is null. */
export const STANDING_COLUMNS: Sql = sql`e.standing, (
  SELECT ${CHANGED_BY_NAME} FROM actor c WHERE c.number = e.changed_by) AS changed_by_name`
/** The same for statements that read many entries and join the actor `c`. */
export const JOINED_STANDING: Sql = sql`e.standing, ${CHANGED_BY_NAME} AS changed_by_name`

export type StandingColumns = { standing: string | null; changed_by_name: string | null }

const slimStanding = (
  { state, tally, share, confirmed, changed, changedBy, checkedAt }: ComputedStanding,
  name: string | null,
): Entry['standing'] => ({
  ...{ state, tally, share, confirmed, changed },
  ...(changedBy === null ? {} : { changedBy: { name, others: changedBy.others, ...signalsMember(name) } }),
  lastCheckedAt: checkedAt === null ? null : isoTime(checkedAt),
})

/** The part of a standing that every answer with an entry shows. */
export const shownStanding = ({ standing, changed_by_name }: StandingColumns): Entry['standing'] =>
  slimStanding(storedStanding(standing), changed_by_name)

/** The standing of a text without judgements. */
export const NOT_JUDGED: Entry['standing'] = shownStanding({ standing: null, changed_by_name: null })

/** The shown name of an actor. */
export const findShownName = async (reader: Reader, actor: number): Promise<string | null> =>
  (
    await reader.one<{ name: string | null }>(sql`
      SELECT CASE WHEN hidden = 0 AND quarantined = 0 THEN name END AS name FROM actor WHERE number = ${actor}`)
  )?.name ?? null

/** The same of a standing that is not stored. */
export const namedStanding = async (reader: Reader, standing: ComputedStanding | null): Promise<Entry['standing']> => {
  const { changedBy } = standing ?? NO_STANDING
  return slimStanding(standing ?? NO_STANDING, changedBy === null ? null : await findShownName(reader, changedBy.actor))
}

/** Stores the standing of an entry, and the check that it needs; null if there is no evidence. */
export async function updateStanding(tx: Transaction, entry: number, standing: ComputedStanding | null): Promise<void> {
  const json = standing === null ? null : JSON.stringify(standing)
  const due = dueOf(standing)
  const confirmedAt = due === 'CONFIRMED' ? (standing?.checkedAt ?? null) : null
  await tx.run(sql`
    UPDATE entry SET standing = ${json}, changed_by = ${standing?.changedBy?.actor ?? null}, contest = ${standing?.contest ?? 0}, due = ${due}, confirmed_at = ${confirmedAt}
    WHERE number = ${entry}`)
}

/** An objection, by the number of its record. */
export type ObjectionRow = {
  id: string
  revision_id: string
  rationale: string
  source_entry_id: string | null
  quote: string | null
} & AuthorColumns

export const findObjection = (reader: Reader, record: number, verdict: Verdict) =>
  verdict === 'CONTRADICTS'
    ? reader.one<ObjectionRow>(sql`
        SELECT l.id, l.rationale, ${AUTHOR_COLUMNS}, s.id AS source_entry_id, r.id AS revision_id, NULL AS quote
        FROM relation l JOIN entry s ON s.number = l.source_entry JOIN revision r ON r.number = l.target_revision
          JOIN actor a ON a.number = l.actor WHERE l.number = ${record}`)
    : reader.one<ObjectionRow>(sql`
        SELECT v.id, r.id AS revision_id, v.rationale, ${AUTHOR_COLUMNS}, CASE WHEN s.withdrawn = 0 THEN s.id END AS source_entry_id, v.quote
        FROM evidence v JOIN revision r ON r.number = v.revision JOIN actor a ON a.number = v.actor
          LEFT JOIN entry s ON s.number = v.source_entry WHERE v.number = ${record}`)

export const findEvidenceId = async (reader: Reader, record: number): Promise<string | null> =>
  (await reader.one<{ id: string }>(sql`SELECT id FROM evidence WHERE number = ${record}`))?.id ?? null

export const findRevisionId = async (reader: Reader, number: number): Promise<string | null> =>
  (await reader.one<{ id: string }>(sql`SELECT id FROM revision WHERE number = ${number}`))?.id ?? null

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
