import type { Flags, ModerationResult } from '../contract/resources.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { EntryStanding } from '../domain/entry.ts'
import { isoTime } from './time.ts'

/** Which rows a target answers for: what it is (an entry) or what it made (an actor, an origin). */
export type Target = { type: 'ENTRY' | 'ACTOR' | 'ORIGIN'; number: number }

export type StandingRow = EntryStanding & { number: number; withdrawn: number; data_class: string; tags: string }

const STANDING: Sql = sql`
  SELECT e.number, e.hidden, e.quarantined, e.blocked, e.withdrawn, e.data_class, e.tags,
    a.quarantined AS author_quarantined, coalesce(o.quarantined, 0) AS origin_quarantined
  FROM entry e JOIN actor a ON a.number = e.actor LEFT JOIN origin o ON o.number = e.origin`

/** The entries whose status a target decides. */
export const listStandings = (reader: Reader, target: Target) =>
  reader.all<StandingRow>(
    target.type === 'ENTRY'
      ? sql`${STANDING} WHERE e.number = ${target.number}`
      : target.type === 'ACTOR'
        ? sql`${STANDING} WHERE e.actor = ${target.number} ORDER BY e.number`
        : sql`${STANDING} WHERE e.origin = ${target.number} ORDER BY e.number`,
  )

export async function updateEntryFlags(
  tx: Transaction,
  number: number,
  flags: { hidden: number; quarantined: number; blocked: number },
): Promise<void> {
  await tx.run(
    sql`UPDATE entry SET hidden = ${flags.hidden}, quarantined = ${flags.quarantined}, blocked = ${flags.blocked} WHERE number = ${number}`,
  )
}

/** Withdraws an entry from the public or gives it back, as of record `change`. */
export async function updateEntryWithdrawn(
  tx: Transaction,
  number: number,
  withdrawn: number,
  change: number,
): Promise<void> {
  await tx.run(sql`UPDATE entry SET withdrawn = ${withdrawn}, change = ${change} WHERE number = ${number}`)
}

/** A piece of evidence: whether it is to be withdrawn (its author or origin is quarantined), and whether the public sees its entry. */
export type EvidenceStanding = {
  number: number
  kind: 'VERIFY' | 'CONTRADICT'
  withdrawn: number
  due: number
  entry_withdrawn: number
  data_class: string
}

const EVIDENCE: Sql = sql`
  SELECT v.number, v.kind, v.withdrawn, e.withdrawn AS entry_withdrawn, a.data_class,
    CASE WHEN a.quarantined = 1 OR coalesce(o.quarantined, 0) = 1 THEN 1 ELSE 0 END AS due
  FROM evidence v JOIN entry e ON e.number = v.entry JOIN actor a ON a.number = v.actor LEFT JOIN origin o ON o.number = v.origin`

/** The evidence that an actor or an origin gave. */
export const listEvidenceBy = (reader: Reader, target: Target) =>
  reader.all<EvidenceStanding>(
    target.type === 'ACTOR'
      ? sql`${EVIDENCE} WHERE v.actor = ${target.number}`
      : sql`${EVIDENCE} WHERE v.origin = ${target.number}`,
  )

/** The public EXTERNAL evidence of an entry, counted. */
export async function countExternalEvidence(
  reader: Reader,
  entry: number,
): Promise<{ verifications: number; contradictions: number }> {
  const rows = await reader.all<{ kind: string; n: number }>(sql`
    SELECT v.kind, count(*) AS n FROM evidence v JOIN actor a ON a.number = v.actor
    WHERE v.entry = ${entry} AND v.withdrawn = 0 AND a.data_class = 'EXTERNAL' GROUP BY v.kind`)
  const of = (kind: string): number => rows.find(row => row.kind === kind)?.n ?? 0
  return { verifications: of('VERIFY'), contradictions: of('CONTRADICT') }
}

export async function updateEvidenceWithdrawn(tx: Transaction, number: number, withdrawn: number): Promise<void> {
  await tx.run(sql`UPDATE evidence SET withdrawn = ${withdrawn} WHERE number = ${number}`)
}

/** A relation: whether it is to be withdrawn (its author, its origin or one of its ends is). */
export type RelationStanding = { number: number; withdrawn: number; due: number; data_class: string }

const RELATION: Sql = sql`
  SELECT l.number, l.withdrawn, a.data_class,
    CASE WHEN a.quarantined = 1 OR coalesce(o.quarantined, 0) = 1 OR s.withdrawn = 1 OR t.withdrawn = 1 THEN 1 ELSE 0 END AS due
  FROM relation l JOIN actor a ON a.number = l.actor JOIN entry s ON s.number = l.source_entry JOIN entry t ON t.number = l.target_entry
    LEFT JOIN origin o ON o.number = l.origin`

/** The relations that an actor or an origin made. */
export const listRelationsBy = (reader: Reader, target: Target) =>
  reader.all<RelationStanding>(
    target.type === 'ACTOR'
      ? sql`${RELATION} WHERE l.actor = ${target.number}`
      : sql`${RELATION} WHERE l.origin = ${target.number}`,
  )

/** The relations that start or end at an entry. */
export const listRelationsAt = (reader: Reader, entry: number) =>
  reader.all<RelationStanding>(
    sql`${RELATION} WHERE l.number IN (SELECT x.relation FROM relation_end x WHERE x.entry = ${entry})`,
  )

export async function updateRelationWithdrawn(tx: Transaction, number: number, withdrawn: number): Promise<void> {
  await tx.run(sql`UPDATE relation SET withdrawn = ${withdrawn} WHERE number = ${number}`)
}

export async function insertModeration(
  tx: Transaction,
  number: number,
  result: ModerationResult,
  at: number,
): Promise<void> {
  await tx.run(sql`
    INSERT INTO moderation (number, id, target_type, target_id, action, reason, previous_state, state, changed, entries, actors, request_id, created_at)
    VALUES (${number}, ${result.id}, ${result.targetType}, ${result.targetId}, ${result.action}, ${result.reason},
      ${JSON.stringify(result.previousState)}, ${JSON.stringify(result.state)}, ${result.changed ? 1 : 0}, ${result.affected.entries},
      ${result.affected.actors}, ${result.requestId}, ${at})`)
}

type ModerationRow = {
  id: string
  target_type: ModerationResult['targetType']
  target_id: string
  action: ModerationResult['action']
  reason: string
  previous_state: string
  state: string
  changed: number
  entries: number
  actors: number
  request_id: string
  created_at: number
}

/** The newest moderation results: the audit. */
export async function listModerations(reader: Reader, limit: number): Promise<ModerationResult[]> {
  const rows = await reader.all<ModerationRow>(sql`
    SELECT id, target_type, target_id, action, reason, previous_state, state, changed, entries, actors, request_id, created_at
    FROM moderation ORDER BY number DESC LIMIT ${limit}`)
  return rows.map(row => ({
    id: row.id,
    targetType: row.target_type,
    targetId: row.target_id,
    action: row.action,
    reason: row.reason,
    previousState: JSON.parse(row.previous_state) as Flags,
    state: JSON.parse(row.state) as Flags,
    changed: row.changed === 1,
    affected: { entries: row.entries, actors: row.actors },
    requestId: row.request_id,
    createdAt: isoTime(row.created_at),
  }))
}
