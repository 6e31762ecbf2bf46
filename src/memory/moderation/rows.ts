import type { Flags, ModerationResult } from '../../contract/resources.ts'
import type { Ground, ModerationEvent, TargetType } from '../../contract/vocabulary.ts'
import { type Awaitable, only, type Reader, type Sql, sql, type Transaction } from '../../engine/database.ts'
import { findMirror } from '../../mirror/rows.ts'
import type { Touched } from '../cache-tag.ts'
import { ENTRY_COLUMNS, ENTRY_TABLES, type EntryRow } from '../entries/rows.ts'
import type { EntryFlags } from '../entries/rules.ts'
import { addToHead, type RecordRange, type Totals } from '../head-rows.ts'
import { isoTime } from '../values.ts'

/** A target of moderation: an entry itself, the rows that an actor or an origin made, or one record by its number. */
export type ModeratedTarget = {
  type: TargetType
  number: number
  /** The day of an origin, as `2026-11-21`; null for other types. */
  day: string | null
}

export type StandingRow = EntryFlags & { number: number; withdrawn: number; data_class: string; tags: string }

const STANDING: Sql = sql`
  SELECT e.number, e.hidden, e.quarantined, e.blocked, e.withdrawn, e.data_class, e.tags,
    a.quarantined AS author_quarantined, coalesce(o.quarantined, 0) AS origin_quarantined
  FROM entry e JOIN actor a ON a.number = e.actor LEFT JOIN origin o ON o.number = e.origin`

/** The entries whose status a target decides. */
export const listStandings = (reader: Reader, target: ModeratedTarget) =>
  reader.all<StandingRow>(sql`${STANDING} WHERE ${entriesOf(target)} ORDER BY e.number`)

/** The tables whose rows have flags, by the type of target. */
const FLAGGED = { ENTRY: sql`entry`, ACTOR: sql`actor`, ORIGIN: sql`origin` }

/** Stores the flags of a target. An origin is never hidden. */
export async function updateFlags(tx: Transaction, type: keyof typeof FLAGGED, number: number, flags: Flags) {
  const hiding = type === 'ORIGIN' ? sql`` : sql`hidden = ${Number(flags.hidden)}, `
  await tx.run(sql`
    UPDATE ${FLAGGED[type]} SET ${hiding}quarantined = ${Number(flags.quarantined)}, blocked = ${Number(flags.blocked)} WHERE number = ${number}`)
}

/** The entries that a target decides about, as a condition on `entry e`: for a record, the entry whose current text it is. */
export function entriesOf({ type, number }: ModeratedTarget): Sql {
  switch (type) {
    case 'ENTRY':
      return sql`e.number = ${number}`
    case 'ACTOR':
      return sql`e.actor = ${number}`
    case 'ORIGIN':
      return sql`e.origin = ${number}`
    case 'RECORD':
      return sql`e.number = (SELECT r.entry FROM revision r WHERE r.number = ${number}) AND e.revision = ${number}`
  }
}

/** The evidence or relations of an actor or origin, or one of them by its number, as a condition on `evidence v` or `relation v`. */
const addedBy = ({ type, number }: ModeratedTarget): Sql =>
  type === 'ACTOR'
    ? sql`v.actor = ${number}`
    : type === 'ORIGIN'
      ? sql`v.origin = ${number}`
      : sql`v.number = ${number}`

/** The relations that start or end at the entries of a target, as a condition on `relation v`. */
const relatedTo = (target: ModeratedTarget): Sql =>
  sql`v.number IN (SELECT x.relation FROM relation_end x JOIN entry e ON e.number = x.entry WHERE ${entriesOf(target)})`

/** Whether `v` was erased, or its author or the origin it came from is quarantined. */
const ALONE_WITHDRAWN: Sql = sql`(SELECT a.quarantined FROM actor a WHERE a.number = v.actor) = 1
  OR coalesce((SELECT o.quarantined FROM origin o WHERE o.number = v.origin), 0) = 1
  OR EXISTS (SELECT 1 FROM erasure x WHERE x.record = v.number)`

/** Counts for stats of the public part of a target's entries: EXTERNAL entries, and EXTERNAL revisions and evidence on them. */
export async function countPublicEntries(reader: Reader, target: ModeratedTarget): Promise<Partial<Totals>> {
  const shown = sql`${entriesOf(target)} AND e.withdrawn = 0`
  return {
    entries: await count(reader, sql`FROM entry e WHERE ${shown} AND e.data_class = 'EXTERNAL'`),
    revisions: await count(
      reader,
      sql`FROM entry e JOIN revision v ON v.entry = e.number JOIN actor a ON a.number = v.actor WHERE ${shown} AND a.data_class = 'EXTERNAL'`,
    ),
    ...(await countEvidence(reader, sql`FROM entry e JOIN evidence v ON v.entry = e.number`, shown)),
  }
}

/** Counts for stats of the public EXTERNAL evidence that a target gave on public entries. */
export const countPublicEvidence = (reader: Reader, target: ModeratedTarget): Promise<Partial<Totals>> =>
  countEvidence(
    reader,
    sql`FROM evidence v JOIN entry e ON e.number = v.entry`,
    sql`${addedBy(target)} AND e.withdrawn = 0`,
  )

async function countEvidence(reader: Reader, tables: Sql, condition: Sql): Promise<Partial<Totals>> {
  const rows = await reader.all<{ kind: string; n: number }>(sql`
    SELECT v.kind, count(*) AS n ${tables} JOIN actor a ON a.number = v.actor
    WHERE ${condition} AND v.withdrawn = 0 AND a.data_class = 'EXTERNAL' GROUP BY v.kind`)
  const of = (kind: string): number => rows.find(row => row.kind === kind)?.n ?? 0
  return { verifications: of('VERIFY'), contradictions: of('CONTRADICT') }
}

/** The relations that a target made, or those at its entries. */
export type Reach = 'made' | 'at'
const relationsOf = (target: ModeratedTarget, reach: Reach): Sql =>
  reach === 'made' ? addedBy(target) : relatedTo(target)

export const countPublicRelations = async (
  reader: Reader,
  target: ModeratedTarget,
  reach: Reach,
): Promise<Partial<Totals>> => ({
  relations: await count(
    reader,
    sql`FROM relation v JOIN actor a ON a.number = v.actor WHERE ${relationsOf(target, reach)} AND v.withdrawn = 0 AND a.data_class = 'EXTERNAL'`,
  ),
})

/** How many rows a table has, given the rest of the statement. */
export const count = async (reader: Reader, from: Sql): Promise<number> =>
  only(await reader.one<{ n: number }>(sql`SELECT count(*) AS n ${from}`)).n

/** 1 if the flags withdraw an entry from the public, else 0. */
const ENTRY_DUE: Sql = sql`CASE WHEN e.hidden = 1 OR e.quarantined = 1 OR (SELECT a.quarantined FROM actor a WHERE a.number = e.actor) = 1
    OR coalesce((SELECT o.quarantined FROM origin o WHERE o.number = e.origin), 0) = 1 THEN 1 ELSE 0 END`

/** Withdraws a target's entries or restores them, by their flags. Each changed entry gets the record `change` and a sequence of its own. */
export async function settleEntries(tx: Transaction, target: ModeratedTarget, change: number): Promise<void> {
  const moved = sql`FROM entry e WHERE ${entriesOf(target)} AND e.withdrawn <> ${ENTRY_DUE}`
  const size = await count(tx, moved)
  if (size === 0) return
  const before = (await addToHead(tx, { sequence: size })).sequence - size
  await tx.run(sql`
    UPDATE entry SET withdrawn = 1 - withdrawn, change = ${change}, moderated = ${before} + m.place
    FROM (SELECT e.number AS moved, row_number() OVER (ORDER BY e.number) AS place ${moved}) AS m WHERE number = m.moved`)
}

/** Evidence of a target is withdrawn if it was erased, and while its author or origin is quarantined. The act `record` is stored at the entries that it is about. */
export async function settleEvidence(tx: Transaction, target: ModeratedTarget, record: number): Promise<void> {
  const moved = sql`${addedBy(target)} AND v.withdrawn <> CASE WHEN ${ALONE_WITHDRAWN} THEN 1 ELSE 0 END`
  await updateEvidenceModerated(tx, sql`SELECT v.entry FROM evidence v WHERE ${moved}`, record)
  await tx.run(sql`UPDATE evidence AS v SET withdrawn = 1 - withdrawn WHERE ${moved}`)
}

/**
 * Relations are withdrawn if they were erased, and while their author or origin is quarantined or one of their ends is withdrawn. The act `record` is stored at the
 * entries that they contradict.
 */
export async function settleRelations(
  tx: Transaction,
  target: ModeratedTarget,
  reach: Reach,
  record: number,
): Promise<void> {
  const moved = sql`${relationsOf(target, reach)} AND v.withdrawn <> CASE WHEN ${ALONE_WITHDRAWN}
    OR (SELECT s.withdrawn FROM entry s WHERE s.number = v.source_entry) = 1
    OR (SELECT t.withdrawn FROM entry t WHERE t.number = v.target_entry) = 1 THEN 1 ELSE 0 END`
  const objected = sql`SELECT v.target_entry FROM relation v WHERE v.relation_type = 'CONTRADICTS' AND ${moved}`
  await updateEvidenceModerated(tx, objected, record)
  await tx.run(sql`UPDATE relation AS v SET withdrawn = 1 - withdrawn WHERE ${moved}`)
}

/** Stores the latest act of moderation that withdrew or restored evidence about some entries. */
export async function updateEvidenceModerated(tx: Transaction, entries: Sql, record: number): Promise<void> {
  await tx.run(sql`
    UPDATE entry SET evidence_moderated = ${record}
    WHERE number IN (${entries}) AND coalesce(evidence_moderated, 0) < ${record}`)
}

/**
 * The entries whose judgements depend on a target: those that it judged, those that objections at its entries are about, and the entry of
 * an erased revision.
 */
export async function listJudged(reader: Reader, target: ModeratedTarget): Promise<number[]> {
  const objections = (reach: Reach): Awaitable<{ entry: number }[]> =>
    reader.all(sql`
      SELECT DISTINCT v.target_entry AS entry FROM relation v
      WHERE ${relationsOf(target, reach)} AND v.relation_type = 'CONTRADICTS'`)
  const lists = await Promise.all([
    objections('at'),
    target.type === 'ENTRY' ? [] : objections('made'),
    target.type === 'ENTRY'
      ? []
      : reader.all<{ entry: number }>(sql`SELECT DISTINCT v.entry FROM evidence v WHERE ${addedBy(target)}`),
    target.type !== 'RECORD'
      ? []
      : reader.all<{ entry: number }>(sql`SELECT entry FROM revision WHERE number = ${target.number}`),
  ])
  return [...new Set(lists.flat().map(({ entry }) => entry))]
}

/** Whether anything was moderated after a record. */
export const isModeratedSince = async (reader: Reader, record: number): Promise<boolean> =>
  (await reader.one(sql`SELECT number FROM moderation WHERE number > ${record} ORDER BY number LIMIT 1`)) !== undefined

export async function insertModeration(
  tx: Transaction,
  number: number,
  result: ModerationResult,
  at: number,
): Promise<void> {
  await tx.run(sql`
    INSERT INTO moderation (number, id, target_type, target_id, action, ground, reason, previous_state, state, changed, entries, actors, request_id, created_at)
    VALUES (${number}, ${result.id}, ${result.targetType}, ${result.targetId}, ${result.action}, ${result.ground}, ${result.reason},
      ${JSON.stringify(result.previousState)}, ${JSON.stringify(result.state)}, ${result.changed ? 1 : 0}, ${result.affected.entries},
      ${result.affected.actors}, ${result.requestId}, ${at})`)
}

type ModerationRow = {
  id: string
  target_type: ModerationResult['targetType']
  target_id: string
  action: ModerationResult['action']
  ground: ModerationResult['ground']
  reason: string
  previous_state: string
  state: string
  changed: number
  entries: number
  actors: number
  request_id: string
  created_at: number
}

/** The newest moderation results, for the audit. */
export async function listModerations(reader: Reader, limit: number): Promise<ModerationResult[]> {
  const rows = await reader.all<ModerationRow>(sql`
    SELECT id, target_type, target_id, action, ground, reason, previous_state, state, changed, entries, actors, request_id, created_at
    FROM moderation ORDER BY number DESC LIMIT ${limit}`)
  return rows.map(row => ({
    id: row.id,
    targetType: row.target_type,
    targetId: row.target_id,
    action: row.action,
    ground: row.ground,
    reason: row.reason,
    previousState: JSON.parse(row.previous_state) as Flags,
    state: JSON.parse(row.state) as Flags,
    changed: row.changed === 1,
    affected: { entries: row.entries, actors: row.actors },
    requestId: row.request_id,
    createdAt: isoTime(row.created_at),
  }))
}

/** The record number of the latest act in force that withdraws the record of an activity row; undefined if there is none. */
export const findWithdrawingAct = async (reader: Reader, sequence: number): Promise<number | undefined> =>
  (await findFlaggingAct(reader, sequence)) ?? (await findErasingAct(reader, sequence))

/** The latest act that erased the current text of the entries of an activity row. */
const findErasingAct = async (reader: Reader, sequence: number): Promise<number | undefined> =>
  (
    await reader.one<{ number: number | null }>(sql`
      SELECT max(x.act) AS number FROM erasure x WHERE x.record IN (
        SELECT e.revision FROM activity s JOIN entry e ON e.number = s.entry WHERE s.sequence = ${sequence}
        UNION ALL SELECT t.revision FROM activity s JOIN relation l ON l.number = s.subject JOIN entry t ON t.number = l.target_entry
          WHERE s.sequence = ${sequence})`)
  )?.number ?? undefined

const findFlaggingAct = async (reader: Reader, sequence: number): Promise<number | undefined> =>
  (
    await reader.one<{ number: number | null }>(sql`
      SELECT max(m.number) AS number FROM moderation m
      WHERE m.action IN ('HIDE', 'QUARANTINE', 'ERASE') AND m.target_id IN (
        SELECT e.id FROM activity s JOIN entry e ON e.number = s.entry
          WHERE s.sequence = ${sequence} AND (e.hidden = 1 OR e.quarantined = 1)
        UNION ALL SELECT t.id FROM activity s JOIN relation l ON l.number = s.subject JOIN entry t ON t.number = l.target_entry
          WHERE s.sequence = ${sequence} AND (t.hidden = 1 OR t.quarantined = 1)
        UNION ALL SELECT a.id FROM activity s JOIN actor a ON a.number = s.actor WHERE s.sequence = ${sequence} AND a.quarantined = 1
        UNION ALL SELECT a.id FROM activity s JOIN entry e ON e.number = s.entry JOIN actor a ON a.number = e.actor
          WHERE s.sequence = ${sequence} AND a.quarantined = 1
        UNION ALL SELECT a.id FROM activity s JOIN relation l ON l.number = s.subject JOIN entry t ON t.number = l.target_entry
          JOIN actor a ON a.number = t.actor WHERE s.sequence = ${sequence} AND a.quarantined = 1
        UNION ALL SELECT o.id FROM activity s JOIN origin o ON o.number = s.origin WHERE s.sequence = ${sequence} AND o.quarantined = 1
        UNION ALL SELECT o.id FROM activity s JOIN entry e ON e.number = s.entry JOIN origin o ON o.number = e.origin
          WHERE s.sequence = ${sequence} AND o.quarantined = 1
        UNION ALL SELECT o.id FROM activity s JOIN relation l ON l.number = s.subject JOIN entry t ON t.number = l.target_entry
          JOIN origin o ON o.number = t.origin WHERE s.sequence = ${sequence} AND o.quarantined = 1)`)
  )?.number ?? undefined

/** An entry with the columns that only administrators see. */
export type ModeratedEntryRow = EntryRow & EntryFlags & { origin_id: string | null }

const ENTRY: Sql = sql`
  SELECT ${ENTRY_COLUMNS}, o.id AS origin_id, a.quarantined AS author_quarantined, coalesce(o.quarantined, 0) AS origin_quarantined
  FROM ${ENTRY_TABLES} LEFT JOIN origin o ON o.number = e.origin`

/** The numbers of the entries that were revised, withdrawn or restored last. */
export const listModeratedEntries = (reader: Reader, limit: number) =>
  reader.all<{ number: number }>(sql`SELECT number FROM entry ORDER BY change DESC, number DESC LIMIT ${limit}`)

export const findModeratedEntry = (reader: Reader, number: number) =>
  reader.one<ModeratedEntryRow>(sql`${ENTRY} WHERE e.number = ${number}`)

/** How many origins may not write. */
export const countRefusedOrigins = (reader: Reader) =>
  count(reader, sql`FROM origin WHERE blocked = 1 OR quarantined = 1`)

/** The tables of the long lists of the snapshot, by the name of the list, each with its key. */
export const LONG_LISTS = {
  entries: { table: sql`entry`, key: sql`number` },
  actors: { table: sql`actor`, key: sql`number` },
  activity: { table: sql`activity`, key: sql`sequence` },
  audit: { table: sql`moderation`, key: sql`number` },
} as const

export type LongList = (typeof LONG_LISTS)[keyof typeof LONG_LISTS]

/** How many rows there are after a key, at most `most`, and the key of the last of them. */
export const countAfter = async (reader: Reader, { table, key }: LongList, after: number, most: number) =>
  only(
    await reader.one<{ rows: number; last: number }>(sql`
      SELECT count(*) AS rows, max(page.key) AS last
      FROM (SELECT ${key} AS key FROM ${table} WHERE ${key} > ${after} ORDER BY ${key} LIMIT ${most}) AS page`),
  )

/** The record up to whose changes a cache was purged; 0 if it was never purged. */
export const readPurged = async (reader: Reader, cache: string): Promise<number> =>
  (await reader.one<{ record: number }>(sql`SELECT record FROM purge_progress WHERE cache = ${cache}`))?.record ?? 0

export type Purged = { cache: string; record: number }

/** Stores the record up to which a cache was purged. */
export async function savePurged(tx: Transaction, { cache, record }: Purged): Promise<void> {
  await tx.run(sql`
    INSERT INTO purge_progress (cache, record) VALUES (${cache}, ${record})
    ON CONFLICT (cache) DO UPDATE SET record = excluded.record`)
}

type AuthoredEntry = { entry: number; actor: string }

/**
 * What the records of a range changed: the entries and authors of revisions, evidence and relations; the entries that an act of moderation
 * or the original of a mirror withdrew, restored or locked; and the entries related to those. `all`: a kind has more than `limit` rows, or
 * an act is on an actor or an origin.
 */
export async function listTouched(reader: Reader, { above, upTo }: RecordRange, limit: number): Promise<Touched> {
  const within = (column: Sql): Sql => sql`${column} > ${above} AND ${column} <= ${upTo}`
  const most = limit + 1
  const madeIn = (table: Sql, entry: Sql) =>
    reader.all<AuthoredEntry>(sql`
      SELECT ${entry} AS entry, a.id AS actor FROM ${table} v JOIN actor a ON a.number = v.actor
      WHERE ${within(sql`v.number`)} ORDER BY v.number LIMIT ${most}`)
  const [acts, mirror, ...lists] = await Promise.all([
    reader.all<{ type: string; entry: number | null }>(sql`
      SELECT m.target_type AS type, e.number AS entry FROM moderation m LEFT JOIN entry e ON e.id = m.target_id
      WHERE ${within(sql`m.number`)} AND m.changed = 1 ORDER BY m.number LIMIT ${most}`),
    findMirror(reader),
    madeIn(sql`revision`, sql`v.entry`),
    madeIn(sql`evidence`, sql`v.entry`),
    madeIn(sql`relation`, sql`v.source_entry`),
    madeIn(sql`relation`, sql`v.target_entry`),
  ])
  // A mirror has no acts of moderation. It erases the records that its original withdrew.
  const moderated = acts.length > 0 || mirror !== undefined
  const changed = moderated ? await listChanged(reader, within(sql`e.change`), most) : []
  const made = lists.flat()
  const unbounded = acts.some(({ type }) => type !== 'ENTRY')
  return {
    entries: [...acts, ...changed, ...made].flatMap(({ entry }) => entry ?? []),
    actors: made.map(({ actor }) => actor),
    moderated,
    all: unbounded || [acts, changed, ...lists].some(list => list.length > limit),
  }
}

/** Entries that were withdrawn, restored or revised, and the other ends of their relations. */
async function listChanged(reader: Reader, condition: Sql, limit: number): Promise<{ entry: number }[]> {
  const [entries, related] = await Promise.all([
    reader.all<{ entry: number }>(
      sql`SELECT e.number AS entry FROM entry e WHERE ${condition} ORDER BY e.change, e.number LIMIT ${limit}`,
    ),
    reader.all<{ source: number; target: number }>(sql`
      SELECT l.source_entry AS source, l.target_entry AS target
      FROM entry e JOIN relation_end x ON x.entry = e.number JOIN relation l ON l.number = x.relation
      WHERE ${condition} ORDER BY e.change, e.number LIMIT ${limit}`),
  ])
  return [...entries, ...related.flatMap(({ source, target }) => [{ entry: source }, { entry: target }])]
}

/** The year of a time in milliseconds since 1970, in UTC. */
export const yearOf = (at: number): number => new Date(at).getUTCFullYear()

/** Counts something that happened at a time, in milliseconds since 1970; with -1, counts it no longer. */
export async function countEvent(
  tx: Transaction,
  at: number,
  event: ModerationEvent,
  ground: Ground,
  by: 1 | -1 = 1,
): Promise<void> {
  await tx.run(sql`
    INSERT INTO moderation_count (year, event, ground, count) VALUES (${yearOf(at)}, ${event}, ${ground}, ${by})
    ON CONFLICT (year, event, ground) DO UPDATE SET count = moderation_count.count + excluded.count`)
}

type CountRow = { event: ModerationEvent; ground: Ground; count: number }

/** The counts of a year, by event and ground. */
export const listCounts = (reader: Reader, year: number) =>
  reader.all<CountRow>(
    sql`SELECT event, ground, count FROM moderation_count WHERE year = ${year} AND count > 0 ORDER BY event, ground`,
  )
