import { LIMITS } from '../../contract/limits.ts'
import type { ActOfModeration, AppealedDecision, Decision } from '../../contract/resources.ts'
import type { ReportState } from '../../contract/vocabulary.ts'
import { type Reader, type Sql, sql, type Transaction } from '../../engine/database.ts'
import { isoTime } from '../values.ts'
import type { ModeratedTarget } from './rows.ts'
import { isRestriction, undoOf } from './rules.ts'

/** An act of moderation, and when another act undid it. */
type ActRow = {
  number: number
  id: string
  target_type: Decision['targetType']
  target_id: string
  action: Decision['action']
  ground: Decision['ground']
  reason: string
  created_at: number
  undone_at: number | null
}
/** An act as an affected author sees it, with the author's appeal if there is one. */
type DecisionRow = ActRow & {
  appeal_id: string | null
  rationale: string | null
  appealed_at: number | null
  answer_action: Decision['action'] | null
  answer_reason: string | null
  answered_at: number | null
}

/** The action that undoes the act `m`, as `undoOf` has it. */
const UNDO: Sql = sql`CASE m.action WHEN 'BLOCK' THEN 'UNBLOCK' WHEN 'HIDE' THEN 'RESTORE' WHEN 'QUARANTINE' THEN 'RESTORE' END`

const ACT: Sql = sql`
  m.number, m.id, m.target_type, m.target_id, m.action, m.ground, m.reason, m.created_at,
  (SELECT min(u.created_at) FROM moderation u
    WHERE u.target_id = m.target_id AND u.number > m.number AND u.changed = 1 AND u.action = ${UNDO}) AS undone_at`

const COLUMNS: Sql = sql`${ACT},
  p.id AS appeal_id, p.rationale, p.created_at AS appealed_at,
  n.action AS answer_action, n.reason AS answer_reason, n.created_at AS answered_at`

const DECISION: Sql = sql`
  SELECT ${COLUMNS} FROM affected x JOIN moderation m ON m.number = x.act
    LEFT JOIN appeal p ON p.act = x.act AND p.actor = x.actor LEFT JOIN moderation n ON n.number = p.answer`

/** The newest acts on a target since a time, newest first. */
export const listActsSince = (reader: Reader, targetId: string, since: number) =>
  reader.all<ActRow>(sql`
    SELECT ${ACT} FROM moderation m WHERE m.target_id = ${targetId} AND m.changed = 1 AND m.created_at >= ${since}
    ORDER BY m.number DESC LIMIT ${LIMITS.reportDecisions}`)

/** The acts that affected an actor, with numbers below `before`, newest first. */
export const listDecisionsOf = (reader: Reader, actor: number, before: number, limit: number) =>
  reader.all<DecisionRow>(
    sql`${DECISION} WHERE x.actor = ${actor} AND x.act < ${before} ORDER BY x.act DESC LIMIT ${limit}`,
  )

/** An act that affected an actor, by the id of the act. */
export const findDecision = (reader: Reader, actor: number, id: string) =>
  reader.one<DecisionRow>(sql`${DECISION} WHERE x.actor = ${actor} AND m.id = ${id.toLowerCase()}`)

type AppealedRow = DecisionRow & { appeal: number; actor_id: string }

const APPEALED: Sql = sql`
  SELECT ${COLUMNS}, p.number AS appeal, a.id AS actor_id FROM appeal p JOIN moderation m ON m.number = p.act
    JOIN actor a ON a.number = p.actor LEFT JOIN moderation n ON n.number = p.answer`

/** The conditions that select appeals. */
const SELECTED: Record<ReportState, Sql> = { open: sql`p.answer IS NULL AND`, all: sql`` }

/** Appeals with numbers below `before`, newest first. */
export const listAppeals = (reader: Reader, state: ReportState, before: number, limit: number) =>
  reader.all<AppealedRow>(
    sql`${APPEALED} WHERE ${SELECTED[state]} p.number < ${before} ORDER BY p.number DESC LIMIT ${limit}`,
  )

/** The open appeal with an id, if it is about an act on a target. */
export const findOpenAppeal = (reader: Reader, id: string, targetId: string) =>
  reader.one<{ number: number; action: Decision['action'] }>(sql`
    SELECT p.number, m.action FROM appeal p JOIN moderation m ON m.number = p.act
    WHERE p.id = ${id.toLowerCase()} AND p.answer IS NULL AND m.target_id = ${targetId}`)

type NewAppeal = { id: string; act: number; actor: number; rationale: string; requestId: string; at: number }

export async function insertAppeal(tx: Transaction, row: NewAppeal): Promise<void> {
  await tx.run(sql`
    INSERT INTO appeal (id, act, actor, rationale, request_id, created_at)
    VALUES (${row.id}, ${row.act}, ${row.actor}, ${row.rationale}, ${row.requestId}, ${row.at})`)
}

/** Stores whom an act affected: the actor or the creator of the entry that it was on, and the authors of the records that it erased. */
export async function insertAffected(tx: Transaction, act: number, { type, number }: ModeratedTarget): Promise<void> {
  const erased = (table: Sql, kind: string): Sql => sql`
    SELECT v.actor FROM erasure x JOIN ${table} v ON v.number = x.record WHERE x.act = ${act} AND x.kind = ${kind}`
  const actors: Sql[] = [
    erased(sql`revision`, 'revision'),
    erased(sql`evidence`, 'evidence'),
    erased(sql`relation`, 'relation'),
  ]
  if (type === 'ACTOR') actors.push(sql`SELECT number AS actor FROM actor WHERE number = ${number}`)
  if (type === 'ENTRY') actors.push(sql`SELECT actor FROM entry WHERE number = ${number}`)
  for (const found of actors) {
    await tx.run(sql`
      INSERT INTO affected (actor, act) SELECT w.actor, ${act} FROM (${found}) w WHERE true ON CONFLICT DO NOTHING`)
  }
}

/** Closes the named appeal, and the open appeals of the acts that an act undid. Returns the grounds and actions of their acts. */
export async function answerAppeals(tx: Transaction, act: number, appeal = 0) {
  const answered = sql`p.answer IS NULL AND (p.number = ${appeal} OR p.act IN (
    SELECT m.number FROM moderation u JOIN moderation m ON m.target_id = u.target_id
    WHERE u.number = ${act} AND u.changed = 1 AND m.number < u.number AND u.action = ${UNDO}))`
  const closed = await tx.all<Pick<ActRow, 'ground' | 'action'>>(
    sql`SELECT d.ground, d.action FROM appeal p JOIN moderation d ON d.number = p.act WHERE ${answered}`,
  )
  await tx.run(sql`UPDATE appeal AS p SET answer = ${act} WHERE ${answered}`)
  return closed
}

export const toAct = (row: ActRow): ActOfModeration => ({
  id: row.id,
  targetType: row.target_type,
  targetId: row.target_id,
  action: row.action,
  ground: row.ground,
  reason: row.reason,
  createdAt: isoTime(row.created_at),
  undoneAt: row.undone_at === null ? null : isoTime(row.undone_at),
})

export const toAppealed = (row: AppealedRow): AppealedDecision => ({ ...toDecision(row), actorId: row.actor_id })

export function toDecision(row: DecisionRow): Decision {
  const { action, appeal_id, rationale, appealed_at, answer_action, answer_reason, answered_at } = row
  const outcome =
    answer_action === null || answer_reason === null || answered_at === null
      ? null
      : {
          result: answer_action === undoOf(action) ? ('GRANTED' as const) : ('REJECTED' as const),
          reason: answer_reason,
          createdAt: isoTime(answered_at),
        }
  return {
    ...toAct(row),
    appealable: appeal_id === null && row.undone_at === null && isRestriction(action),
    appeal:
      appeal_id === null || rationale === null || appealed_at === null
        ? null
        : { id: appeal_id, rationale, createdAt: isoTime(appealed_at), outcome },
  }
}
