import { LIMITS, OUTCOMES } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { ActorIssued, ActorProfile } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { listContributions, toContribution } from '../activity/rows.ts'
import { listOutcomes } from '../evidence/rows.ts'
import { addToHead } from '../head-rows.ts'
import { nextQuery, type ReadOperation, type WriteOperation } from '../operation.ts'
import { isoTime, sequenceOf } from '../values.ts'
import { beginAnonymousWrite, findWriter, takeOrigin } from '../write.ts'
import { authorOf, findActorById, insertActor, toActor, updateToken } from './rows.ts'
import { assertNoSecret, countOutcomes, TOKEN_BYTES, TOKEN_WARNING, tokenHash, tokenOf } from './rules.ts'

/** Creates a pseudonymous actor and its token. Only this answer contains the token; the store contains its hash. */
export const createActor: WriteOperation<'createActor'> = async (tx, context, { body, caller }) => {
  const { sender, cool } = await beginAnonymousWrite(tx, context, caller, 'ACTOR')
  assertNoSecret(body)
  const origin = await takeOrigin(tx, sender)
  await cool()
  const token = tokenOf(context.randomBytes(TOKEN_BYTES))
  const row = await insertActor(tx, {
    id: context.newId(),
    actorType: body.actorType ?? 'UNKNOWN',
    declared: {
      name: body.declaredName ?? null,
      model: body.declaredModel ?? null,
      provider: body.declaredProvider ?? null,
    },
    dataClass: context.dataClass,
    tokenHash: tokenHash(token),
    anonymousKey: null,
    origin,
    at: context.at,
  })
  if (row.data_class === 'EXTERNAL') await addToHead(tx, { observed_actors: 1 })
  const issued: ActorIssued = { actor: toActor(row), token, dataClass: row.data_class, warning: TOKEN_WARNING }
  return { body: issued }
}

/** Replaces the token of an actor. The previous token is invalid from the same commit on. */
export const rotateToken: WriteOperation<'rotateToken'> = async (tx, context, { caller }) => {
  if (caller.actor !== null) await tx.lock(`actor ${caller.actor}`)
  const { actor } = await findWriter(tx, caller, [], context)
  const token = tokenOf(context.randomBytes(TOKEN_BYTES))
  await updateToken(tx, actor.number, tokenHash(token))
  const issued: ActorIssued = { actor: toActor(actor), token, dataClass: actor.data_class, warning: TOKEN_WARNING }
  return { body: issued, audit: { event: 'TOKEN_ROTATED', actor: actor.id } }
}

/**
 * Reads the declarations of an actor, its contributions, and the outcomes of those. Throws ACTOR_NOT_FOUND. Names of a hidden actor are
 * blank; a quarantined actor has neither names nor contributions. Contributions to withdrawn entries are omitted, so a page can have fewer
 * rows than its limit.
 */
export const readActor: ReadOperation<'readActor'> = async ({ reader }, { params, query }) => {
  const actor = await findActorById(reader, params.id)
  if (actor === undefined) throw new Problem('ACTOR_NOT_FOUND')
  const quarantined = actor.quarantined === 1
  const limit = query.limit ?? LIMITS.pageDefault
  const [found, outcomes] = quarantined
    ? [[], []]
    : await Promise.all([
        listContributions(reader, actor.number, sequenceOf(query.before), limit + 1),
        listOutcomes(reader, actor.number, OUTCOMES + 1),
      ])
  const rows = found.slice(0, limit)
  const nextCursor = found.length > limit ? String(rows.at(-1)?.sequence) : null
  const body: ActorProfile = {
    ...authorOf(quarantined ? { ...actor, hidden: 1 } : actor),
    actorType: actor.actor_type,
    firstSeenAt: isoTime(actor.first_seen_at),
    outcomes: { ...countOutcomes(outcomes.slice(0, OUTCOMES)), complete: outcomes.length <= OUTCOMES },
    items: rows.filter(({ entry_id }) => entry_id !== null).map(toContribution),
    nextCursor,
    dataClass: actor.data_class,
    ...TRUST,
  }
  return { body, ...nextQuery(nextCursor) }
}
