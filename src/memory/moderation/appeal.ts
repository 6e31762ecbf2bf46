import { LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import { findActor } from '../actors/rows.ts'
import { assertNoSecret } from '../actors/rules.ts'
import { nextQuery, type ReadOperation, type WriteOperation } from '../operation.ts'
import { sequenceOf } from '../values.ts'
import * as appeals from './appeal-rows.ts'
import { countEvent } from './rows.ts'

/** One page of the acts of moderation that affected the caller, newest first. */
export const listDecisions: ReadOperation<'listDecisions'> = async ({ reader, actor }, { query }) => {
  if (actor === null) throw new Problem('ACTOR_TOKEN_REQUIRED')
  const { limit = LIMITS.pageDefault, before } = query
  const found = await appeals.listDecisionsOf(reader, actor, sequenceOf(before), limit + 1)
  const rows = found.slice(0, limit)
  const nextCursor = found.length > limit ? String(rows.at(-1)?.number) : null
  return { body: { items: rows.map(appeals.toDecision), nextCursor }, ...nextQuery(nextCursor) }
}

/** One page of the appeals, newest first: those that are open, or all. */
export const listAppeals: ReadOperation<'listAppeals'> = async ({ reader }, { query }) => {
  const { limit = LIMITS.pageDefault, before, state = 'open' } = query
  const list = state === 'open' ? appeals.listOpenAppeals : appeals.listAllAppeals
  const found = await list(reader, sequenceOf(before), limit + 1)
  const rows = found.slice(0, limit)
  const nextCursor = found.length > limit ? String(rows.at(-1)?.appeal) : null
  const items = rows.map(row => ({ ...appeals.toDecision(row), actorId: row.actor_id }))
  return { body: { items, nextCursor }, ...nextQuery(nextCursor) }
}

/**
 * Stores the appeal of an act of moderation by an actor that it affected. Blocked actors and origins may appeal, because each act takes one
 * appeal of each actor. Throws DECISION_NOT_FOUND, and NOT_APPEALABLE if the act restricts nothing, was undone or was appealed.
 */
export const createAppeal: WriteOperation<'createAppeal'> = async (tx, context, { body, caller }) => {
  const actor = caller.actor === null ? undefined : await findActor(tx, caller.actor)
  if (actor === undefined) throw new Problem('ACTOR_TOKEN_REQUIRED')
  if (caller.tokenHash !== undefined && caller.tokenHash !== actor.token_hash) throw new Problem('ACTOR_TOKEN_INVALID')
  await tx.lock(`appeal ${actor.number}`)
  const row = await appeals.findDecision(tx, actor.number, body.decision)
  if (row === undefined) throw new Problem('DECISION_NOT_FOUND')
  if (!appeals.toDecision(row).appealable) throw new Problem('NOT_APPEALABLE')
  assertNoSecret(body)
  const id = context.newId()
  const { rationale } = body
  const { requestId } = caller
  await appeals.insertAppeal(tx, { id, act: row.number, actor: actor.number, rationale, requestId, at: context.at })
  await countEvent(tx, context.at, 'APPEALED', row.ground)
  return { body: appeals.toDecision({ ...row, appeal_id: id, rationale, appealed_at: context.at }) }
}
