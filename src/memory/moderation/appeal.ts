import { Problem } from '../../contract/problem.ts'
import { findActor } from '../actors/rows.ts'
import { assertNoSecret } from '../actors/rules.ts'
import { pageBelow, type ReadOperation, type WriteOperation } from '../operation.ts'
import * as appeals from './appeal-rows.ts'
import { countEvent } from './rows.ts'

/** One page of the acts of moderation that affected the caller, newest first. */
export const listDecisions: ReadOperation<'listDecisions'> = async ({ reader, actor }, request) => {
  if (actor === null) throw new Problem('ACTOR_TOKEN_REQUIRED')
  const list = (before: number, limit: number) => appeals.listDecisionsOf(reader, actor, before, limit)
  return pageBelow(request, list, ({ number }) => number, appeals.toDecision)
}

/** One page of the appeals, newest first: those that are open, or all. */
export const listAppeals: ReadOperation<'listAppeals'> = ({ reader }, request) => {
  const { state = 'open' } = request.query
  const list = (before: number, limit: number) => appeals.listAppeals(reader, state, before, limit)
  return pageBelow(request, list, ({ appeal }) => appeal, appeals.toAppealed)
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
