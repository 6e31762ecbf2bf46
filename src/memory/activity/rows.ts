import { v7 as uuidOf } from 'uuid'
import type { Activity } from '../../contract/resources.ts'
import { type Action, type DataClass, TRUST } from '../../contract/vocabulary.ts'
import { only, type Reader, type Sql, sql, type Transaction } from '../../engine/database.ts'
import type { TopicCount } from '../../find/rules/question.ts'
import { STANDING_COLUMNS, type StandingColumns, shownStanding } from '../evidence/rows.ts'
import type { ModeratedTarget } from '../moderation/rows.ts'
import { HOUR, isoTime } from '../values.ts'
import type { ChangeKey } from './rules.ts'

export type ActivityRow = {
  sequence: number
  action: Action
  created_at: number
  request_id: string
  metadata: string | null
  data_class: DataClass
  actor_id: string
  actor_name: string | null
  origin_id: string | null
  author_withdrawn: number
  entry_id: string | null
  slug: string | null
  revision_id: string | null
  title: string | null
  previous_id: string | null
  evidence_id: string | null
  result: string | null
  confidence: number | null
  source_entry_id: string | null
  relation_id: string | null
  relation_type: string | null
  target_entry_id: string | null
}

/** For a withdrawn entry, the columns id, slug, title and revision are null. */
const ACTIVITY_COLUMNS: Sql = sql`
  SELECT s.sequence, s.action, s.created_at, s.request_id, s.metadata, s.data_class, a.id AS actor_id,
    CASE WHEN a.hidden = 1 THEN NULL ELSE a.name END AS actor_name, o.id AS origin_id,
    CASE WHEN a.hidden = 1 OR a.quarantined = 1 OR coalesce(o.quarantined, 0) = 1 THEN 1 ELSE 0 END AS author_withdrawn,
    CASE WHEN e.withdrawn = 0 THEN e.id END AS entry_id, CASE WHEN e.withdrawn = 0 THEN e.slug END AS slug,
    CASE WHEN e.withdrawn = 0 THEN r.id END AS revision_id, CASE WHEN e.withdrawn = 0 THEN r.title END AS title,
    CASE WHEN e.withdrawn = 0 THEN p.id END AS previous_id,
    v.id AS evidence_id, v.result, v.confidence, CASE WHEN w.withdrawn = 0 THEN w.id END AS source_entry_id,
    l.id AS relation_id, l.relation_type, CASE WHEN t.withdrawn = 0 THEN t.id END AS target_entry_id`
const ACTIVITY_JOINS: Sql = sql`JOIN actor a ON a.number = s.actor LEFT JOIN origin o ON o.number = s.origin
    LEFT JOIN entry e ON e.number = s.entry LEFT JOIN revision r ON r.number = s.revision
    LEFT JOIN revision p ON p.entry = r.entry AND p.ordinal = r.ordinal - 1
    LEFT JOIN evidence v ON v.number = s.subject LEFT JOIN entry w ON w.number = v.source_entry
    LEFT JOIN relation l ON l.number = s.subject LEFT JOIN entry t ON t.number = l.target_entry`
const ACTIVITY: Sql = sql`${ACTIVITY_COLUMNS} FROM activity s ${ACTIVITY_JOINS}`

/** The rows of the public feed. Its writes and its reads each have a partial index, whose condition is exactly this text. */
const FEED: Sql = sql`data_class = 'EXTERNAL' AND withdrawn = 0`
export const WRITTEN: Sql = sql`${FEED} AND action NOT IN ('READ', 'SEARCH')`
const READ: Sql = sql`${FEED} AND action IN ('READ', 'SEARCH')`

/** The conditions of writes and of reads. Each reads its own index. */
type Halves = readonly [writes: Sql, reads: Sql]
const FEED_HALVES: Halves = [WRITTEN, READ]

/** The rows of an entry: its timeline has an index that separates writes and reads. */
const IS_READ: Sql = sql`(CASE action WHEN 'READ' THEN 1 ELSE 0 END)`
export const writesOf = (entry: number): Sql => sql`entry = ${entry} AND ${IS_READ} = 0 AND hour IS NULL`
const halvesOf = (entry: number): Halves => [
  writesOf(entry),
  sql`entry = ${entry} AND ${IS_READ} = 1 AND hour IS NOT NULL`,
]

type Order = 'ASC' | 'DESC'
const ORDERS: Record<Order, Sql> = { ASC: sql`ASC`, DESC: sql`DESC` }

/** Columns of the writes and reads that fit a further condition. Each half reads its index in this order: they are merged, not sorted. */
const merged = (columns: Sql, [writes, reads]: Halves, further: Sql, order: Order, limit: number): Sql => sql`
  SELECT ${columns} FROM (
    SELECT ${columns} FROM (SELECT ${columns} FROM activity WHERE ${writes} ${further} ORDER BY sequence ${ORDERS[order]}) one
    UNION ALL SELECT ${columns} FROM (SELECT ${columns} FROM activity WHERE ${reads} ${further} ORDER BY sequence ${ORDERS[order]}) two) merged
  ORDER BY sequence ${ORDERS[order]} LIMIT ${limit}`

/** The columns of a row that a page needs. The rows are not joined by their sequence: with many partitions that takes longer. */
const ROW: Sql = sql`sequence, actor, origin, action, entry, revision, subject, request_id, metadata, data_class, created_at`

/** A page of activity: the writes and reads that fit a further condition. */
const pageOf = (halves: Halves, further: Sql, order: Order, limit: number): Sql => sql`
  ${ACTIVITY_COLUMNS} FROM (${merged(ROW, halves, further, order, limit)}) s ${ACTIVITY_JOINS} ORDER BY s.sequence ${ORDERS[order]}`

/** The public feed below a sequence. */
export const listActivity = (reader: Reader, before: number, limit: number) =>
  reader.all<ActivityRow>(pageOf(FEED_HALVES, sql`AND sequence < ${before}`, 'DESC', limit))

/** The writes or the reads of the public feed below a sequence. */
export const listActivityOf = (reader: Reader, kind: 'written' | 'read', before: number, limit: number) =>
  reader.all<ActivityRow>(sql`
    ${ACTIVITY_COLUMNS} FROM (
      SELECT ${ROW} FROM activity WHERE ${kind === 'read' ? READ : WRITTEN} AND sequence < ${before}
      ORDER BY sequence DESC LIMIT ${limit}) s
    ${ACTIVITY_JOINS} ORDER BY s.sequence DESC`)

/** Those of the newest writes of the public feed whose entries have no signals, newest first. */
export const listNewestWrites = (reader: Reader, limit: number) =>
  reader.all<ActivityRow>(sql`
    ${ACTIVITY_COLUMNS} FROM (SELECT ${ROW} FROM activity WHERE ${WRITTEN} ORDER BY sequence DESC LIMIT ${limit}) s
    ${ACTIVITY_JOINS} LEFT JOIN revision c ON c.number = e.revision LEFT JOIN revision u ON u.number = t.revision
    WHERE coalesce(c.signals, 0) = 0 AND coalesce(u.signals, 0) = 0 ORDER BY s.sequence DESC`)

/** The public feed above a sequence, in ascending order. */
export const listActivityAfter = (reader: Reader, after: number, limit: number) =>
  reader.all<ActivityRow>(pageOf(FEED_HALVES, sql`AND sequence > ${after}`, 'ASC', limit))

/** The public feed rows of one entry, below a sequence. */
export const listTimeline = (reader: Reader, entry: number, before: number, limit: number) =>
  reader.all<ActivityRow>(pageOf(halvesOf(entry), sql`AND withdrawn = 0 AND sequence < ${before}`, 'DESC', limit))

/** A write, with the standing of its entry. */
type ContributionRow = ActivityRow & StandingColumns
const CONTRIBUTION: Sql = sql`${ACTIVITY_COLUMNS}, ${STANDING_COLUMNS} FROM activity s ${ACTIVITY_JOINS}`

/** The public revisions, evidence and relations of an actor, below a sequence. */
export const listContributions = (reader: Reader, actor: number, before: number, limit: number) =>
  reader.all<ContributionRow>(sql`
    ${CONTRIBUTION} WHERE s.actor = ${actor} AND s.hour IS NULL AND s.withdrawn = 0 AND s.sequence < ${before} ORDER BY s.sequence DESC LIMIT ${limit}`)

/** A write that the public sees, by its sequence. */
export const findContribution = (reader: Reader, sequence: number) =>
  reader.one<ContributionRow>(
    sql`${CONTRIBUTION} WHERE s.sequence = ${sequence} AND s.hour IS NULL AND s.withdrawn = 0 LIMIT 1`,
  )

/** All rows of every data class, newest first: for administrators. */
export const listAllActivity = (reader: Reader, limit: number) =>
  reader.all<ActivityRow>(sql`${ACTIVITY} ORDER BY s.sequence DESC LIMIT ${limit}`)

export const listAllTimeline = (reader: Reader, entry: number, limit: number) =>
  reader.all<ActivityRow>(pageOf(halvesOf(entry), sql``, 'DESC', limit))

/** Kind and time of the newest rows of the public feed. */
export const listRecentActions = (reader: Reader, before: number, limit: number) =>
  reader.all<{ action: Action; created_at: number }>(
    merged(sql`action, created_at, sequence`, FEED_HALVES, sql`AND sequence < ${before}`, 'DESC', limit),
  )

export type NewActivity = {
  sequence: number
  actor: number
  origin: number | null
  action: Action
  entry: number | null
  revision: number | null
  /** The record number of the evidence or relation that the row announces. */
  subject: number | null
  /** The target entry of a relation. */
  target?: number
  requestId: string
  /** Metadata of a SEARCH, which no other column has. */
  metadata: object | null
  dataClass: DataClass
  at: number
  /** For READ and SEARCH: the clock hour, in which equal rows are stored once. Null for writes. */
  hour: number | null
  /** True if the public may not see the row: its actor, origin or entry is withdrawn. */
  withdrawn?: boolean
}

export async function appendActivity(tx: Transaction, row: NewActivity): Promise<void> {
  await tx.run(sql`
    INSERT INTO activity (sequence, actor, origin, action, entry, revision, subject, target, request_id, metadata, data_class, created_at, hour, withdrawn)
    VALUES (${row.sequence}, ${row.actor}, ${row.origin}, ${row.action}, ${row.entry}, ${row.revision}, ${row.subject},
      ${row.target ?? null}, ${row.requestId},
      ${row.metadata === null ? null : JSON.stringify(row.metadata)}, ${row.dataClass}, ${row.at}, ${row.hour},
      ${row.withdrawn ? 1 : 0})`)
}

/** Whether no READ or SEARCH row of this actor, entry and hour exists yet. */
export const isUnobserved = async (
  reader: Reader,
  hour: number,
  actor: number,
  action: Action,
  entry: number | null,
): Promise<boolean> =>
  (await reader.one(sql`
    SELECT sequence FROM activity
    WHERE hour IS NOT NULL AND hour = ${hour} AND actor = ${actor} AND action = ${action} AND coalesce(entry, 0) = ${entry ?? 0}`)) ===
  undefined

/** Deletes at most `limit` READ and SEARCH rows of clock hours before `hour`, oldest first, and returns how many. */
export function deleteObservations(tx: Transaction, hour: number, limit: number) {
  const expired = sql`hour IS NOT NULL AND hour < ${hour}`
  return tx.run(sql`
    DELETE FROM activity WHERE ${expired} AND sequence IN (SELECT sequence FROM activity WHERE ${expired} ORDER BY hour LIMIT ${limit})`)
}

const METADATA: Record<Action, (row: ActivityRow) => Record<string, unknown>> = {
  READ: () => ({}),
  // The caller wrote the tag of a search.
  SEARCH: row => ({ ...JSON.parse(row.metadata ?? '{}'), ...(row.author_withdrawn ? { tag: null } : {}) }),
  CREATE: row => ({ slug: row.slug, title: row.title }),
  EXPAND: row => ({ previousRevisionId: row.previous_id }),
  CORRECT: row => ({ previousRevisionId: row.previous_id }),
  SYNTHESIZE: row => ({ previousRevisionId: row.previous_id }),
  VERIFY: row => ({ verificationId: row.evidence_id, result: row.result, confidence: row.confidence }),
  CONTRADICT: row => ({ contradictionId: row.evidence_id, sourceEntryId: row.source_entry_id }),
  CONNECT: row => ({
    relationId: row.relation_id,
    relationType: row.relation_type,
    targetEntryId: row.target_entry_id,
  }),
}

/** An activity's id is a UUIDv7 of its time and sequence: computed, not stored, and the same in every read. */
function activityId(row: ActivityRow): string {
  const random = new Uint8Array(16)
  new DataView(random.buffer).setBigUint64(8, BigInt(row.sequence))
  return uuidOf({ msecs: row.created_at, seq: 0, random })
}

export const toActivity = (row: ActivityRow): Activity => ({
  id: activityId(row),
  sequence: String(row.sequence),
  actorId: row.actor_id,
  actorName: row.actor_name,
  action: row.action,
  entryId: row.entry_id,
  revisionId: row.revision_id,
  timestamp: isoTime(row.created_at),
  requestId: row.request_id,
  metadata: METADATA[row.action](row),
  dataClass: row.data_class,
  ...TRUST,
})

export const toContribution = (row: ContributionRow): Activity => ({
  ...toActivity(row),
  ...(row.entry_id === null ? {} : { standing: shownStanding(row) }),
})

const HOURS_OF_A_DAY = 24

/** 1 if a row of `activity s` is withdrawn from the public, because its author, origin, entry or relation is, or its record was erased; else 0. */
const DUE: Sql = sql`CASE WHEN (SELECT a.quarantined FROM actor a WHERE a.number = s.actor) = 1
  OR coalesce((SELECT o.quarantined FROM origin o WHERE o.number = s.origin), 0) = 1
  OR coalesce((SELECT e.withdrawn FROM entry e WHERE e.number = s.entry), 0) = 1
  OR coalesce((SELECT l.withdrawn FROM relation l WHERE l.number = s.subject), 0) = 1
  OR (s.hour IS NULL AND EXISTS (SELECT 1 FROM erasure x WHERE x.record = coalesce(s.subject, s.revision))) THEN 1 ELSE 0 END`

/** The rows about the entries of a target and about its evidence and relations elsewhere, as conditions on `activity s`. */
export function rowsAbout({ type, number }: ModeratedTarget): Sql[] {
  if (type === 'RECORD') return rowsOfRecord(number)
  const owner: Sql = type === 'ACTOR' ? sql`actor` : sql`origin`
  const entries =
    type === 'ENTRY'
      ? sql`SELECT e.number FROM entry e WHERE e.number = ${number}`
      : sql`SELECT e.number FROM entry e WHERE e.${owner} = ${number}`
  const conditions = [
    sql`s.entry IN (${entries})`,
    sql`s.hour IS NULL AND s.subject IN (SELECT x.relation FROM relation_end x WHERE x.entry IN (${entries}))`,
  ]
  if (type === 'ENTRY') return conditions
  return [
    ...conditions,
    sql`s.hour IS NULL AND s.subject IN (SELECT v.number FROM evidence v WHERE v.${owner} = ${number})`,
    sql`s.hour IS NULL AND s.subject IN (SELECT v.number FROM relation v WHERE v.${owner} = ${number})`,
    sql`s.${owner} = ${number} AND s.hour IS NULL AND s.entry IN (SELECT r.entry FROM revision r WHERE r.${owner} = ${number} AND r.ordinal > 1)`,
  ]
}

/** The row of a record, and for the current revision of an entry all rows about that entry. */
const rowsOfRecord = (number: number): Sql[] => [
  sql`s.revision = ${number} AND s.subject IS NULL AND s.hour IS NULL`,
  sql`s.hour IS NULL AND s.subject = ${number}`,
  sql`s.entry = (SELECT e.number FROM revision r JOIN entry e ON e.number = r.entry WHERE r.number = ${number} AND e.revision = ${number})`,
  sql`s.hour IS NULL AND s.subject IN (
    SELECT x.relation FROM revision r JOIN entry e ON e.number = r.entry JOIN relation_end x ON x.entry = e.number
    WHERE r.number = ${number} AND e.revision = ${number})`,
]

/**
 * The reads and searches of a target, as conditions on `activity s`. They are found by clock hours: for an origin the hours of its day, for
 * an actor every hour with rows.
 */
export function observationsBy({ type, number, day }: ModeratedTarget): Sql[] {
  if (type === 'ENTRY' || type === 'RECORD') return []
  if (type === 'ORIGIN') {
    const first = Date.parse(day ?? '') / HOUR
    return [
      sql`s.hour IS NOT NULL AND s.hour >= ${first} AND s.hour < ${first + HOURS_OF_A_DAY} AND s.origin = ${number}`,
    ]
  }
  return [
    sql`s.hour IS NOT NULL AND s.sequence IN (
      WITH RECURSIVE clock(hour) AS (
        SELECT min(hour) FROM activity WHERE hour IS NOT NULL
        UNION ALL SELECT hour + 1 FROM clock WHERE hour < (SELECT max(hour) FROM activity WHERE hour IS NOT NULL))
      SELECT o.sequence FROM clock c JOIN activity o ON o.hour = c.hour AND o.hour IS NOT NULL AND o.actor = ${number})`,
  ]
}

/** Withdraws the rows of a target from the public feed or restores them, by the flags of everything that they depend on. */
export async function settleFeed(tx: Transaction, target: ModeratedTarget): Promise<void> {
  for (const rows of [...rowsAbout(target), ...observationsBy(target)]) {
    await tx.run(sql`UPDATE activity AS s SET withdrawn = ${DUE} WHERE ${rows} AND s.withdrawn <> ${DUE}`)
  }
}

/** The range of sequences, above `after` and up to `upTo`, and the number of keys. Each list reads an index and ends at the limit. */
export type SequenceRange = { after: number; upTo: number; limit: number }

/** The stored key of a change. A change by moderation has the id of its entry. */
export type StoredKey = ChangeKey & { id?: string }

type WrittenRow = Pick<ChangeKey, 'sequence' | 'action' | 'actor' | 'entry' | 'target'> & { shown: number }

const KEY: Sql = sql`SELECT sequence, action, actor, entry, target,
  CASE WHEN data_class = 'EXTERNAL' AND withdrawn = 0 THEN 1 ELSE 0 END AS shown FROM activity`

async function listKeys(reader: Reader, condition: Sql, { after, upTo, limit }: SequenceRange): Promise<StoredKey[]> {
  const rows = await reader.all<WrittenRow>(sql`
    ${KEY} WHERE ${condition} AND sequence > ${after} AND sequence <= ${upTo} ORDER BY sequence LIMIT ${limit}`)
  return rows.map(row => ({ ...row, shown: row.shown === 1 }))
}

/** The writes that the public feed shows. */
export const listWritten = (reader: Reader, range: SequenceRange) => listKeys(reader, WRITTEN, range)

/** The writes about an entry. */
export const listWrittenOf = (reader: Reader, entry: number, range: SequenceRange) =>
  listKeys(reader, writesOf(entry), range)

/** The relations with an entry as their target. */
export const listWrittenTo = (reader: Reader, entry: number, range: SequenceRange) =>
  listKeys(reader, sql`target = ${entry} AND hour IS NULL`, range)

/** The writes of an actor. */
export const listWrittenBy = (reader: Reader, actor: number, range: SequenceRange) =>
  listKeys(reader, sql`actor = ${actor} AND hour IS NULL AND withdrawn = 0`, range)

export type ModeratedRow = { number: number; id: string; withdrawn: number; moderated: number | null }

const MODERATED: Sql = sql`SELECT number, id, withdrawn, moderated FROM entry`

/** The latest withdrawal or return of an entry; empty if it was never withdrawn. */
export const keysOfEntry = (
  { number, id, withdrawn, moderated }: ModeratedRow,
  { after, upTo }: SequenceRange,
): StoredKey[] =>
  moderated === null || moderated <= after || moderated > upTo
    ? []
    : [
        {
          ...{ sequence: moderated, action: withdrawn === 1 ? 'WITHDRAW' : 'RESTORE' },
          ...{ actor: null, entry: number, target: null, shown: true, id },
        },
      ]

/** The latest withdrawal or return of each entry that was ever withdrawn. */
export async function listModerated(reader: Reader, range: SequenceRange): Promise<StoredKey[]> {
  const rows = await reader.all<ModeratedRow>(sql`
    ${MODERATED} WHERE moderated > ${range.after} AND moderated <= ${range.upTo} ORDER BY moderated LIMIT ${range.limit}`)
  return rows.flatMap(row => keysOfEntry(row, range))
}

/** The state of moderation of an entry, by its number. */
export const findModerated = (reader: Reader, number: number) =>
  reader.one<ModeratedRow>(sql`${MODERATED} WHERE number = ${number}`)

/**
 * The sequence up to which changes are complete: the newest sequence, or, in a mirror, the sequence up to which it has also followed
 * moderation.
 */
export const readSettled = async (reader: Reader): Promise<number> =>
  only(
    await reader.one<{ sequence: number }>(
      sql`SELECT coalesce((SELECT settled FROM mirror WHERE one = 1), sequence) AS sequence FROM head`,
    ),
  ).sequence

/** A topic of a day. `number` counts the topics of the day. */
type Key = { day: string; digest: string; number: number }
export type UnansweredTopicRow = Key & { voices: string; networks: number; term: string | null }

export const toTopicCount = ({ voices, networks, term }: UnansweredTopicRow): TopicCount => ({
  voices: JSON.parse(voices) as string[],
  networks,
  term,
})

export const findUnansweredTopic = (reader: Reader, day: string, digest: string) =>
  reader.one<UnansweredTopicRow>(sql`
    SELECT day, digest, number, voices, networks, term FROM asked_topic WHERE day = ${day} AND digest = ${digest}`)

/** The number of the newest topic of a day; 0 if it has none. */
export const readLastTopicNumber = async (reader: Reader, day: string): Promise<number> =>
  (
    await reader.one<{ number: number }>(
      sql`SELECT number FROM asked_topic WHERE day = ${day} ORDER BY number DESC LIMIT 1`,
    )
  )?.number ?? 0

export async function insertUnansweredTopic(
  tx: Transaction,
  { day, digest, number }: Key,
  count: TopicCount,
): Promise<void> {
  const { voices, networks, term } = count
  await tx.run(sql`
    INSERT INTO asked_topic (day, digest, number, voices, networks, term)
    VALUES (${day}, ${digest}, ${number}, ${JSON.stringify(voices)}, ${networks}, ${term})`)
}

export async function updateUnansweredTopic(tx: Transaction, { day, digest }: Key, count: TopicCount): Promise<void> {
  const { voices, networks, term } = count
  await tx.run(sql`
    UPDATE asked_topic SET voices = ${JSON.stringify(voices)}, networks = ${networks}, term = ${term}
    WHERE day = ${day} AND digest = ${digest}`)
}

/** The public topics: those with the most networks on a day first, then the newest. */
export const listUnansweredTopics = (reader: Reader, limit: number) =>
  reader.all<{ day: string; term: string; networks: number }>(sql`
    SELECT day, term, networks FROM asked_topic WHERE term IS NOT NULL ORDER BY networks DESC, day DESC, number DESC LIMIT ${limit}`)

/**
 * Deletes the topics of days before `day` that did not become public, and all topics of days before `first`. Returns how many, at most
 * twice `limit`.
 */
export async function forgetUnansweredTopics(
  tx: Transaction,
  day: string,
  first: string,
  limit: number,
): Promise<number> {
  const secret = await tx.run(sql`
    DELETE FROM asked_topic WHERE (day, digest) IN
      (SELECT day, digest FROM asked_topic WHERE day < ${day} AND term IS NULL ORDER BY day, number LIMIT ${limit})`)
  const old = await tx.run(sql`
    DELETE FROM asked_topic WHERE (day, digest) IN
      (SELECT day, digest FROM asked_topic WHERE day < ${first} ORDER BY day, digest LIMIT ${limit})`)
  return secret + old
}
