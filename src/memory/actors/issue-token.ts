import type { ActorIssued } from '../../contract/resources.ts'
import { addToHead } from '../head-rows.ts'
import type { WriteOperation } from '../operation.ts'
import { beginAnonymousWrite, findWriter, takeOrigin } from '../write.ts'
import { insertActor, toActor, updateToken } from './rows.ts'
import { assertNoSecret, TOKEN_BYTES, TOKEN_WARNING, tokenHash, tokenOf } from './rules.ts'

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
  const { actor } = await findWriter(tx, caller)
  const token = tokenOf(context.randomBytes(TOKEN_BYTES))
  await updateToken(tx, actor.number, tokenHash(token))
  const issued: ActorIssued = { actor: toActor(actor), token, dataClass: actor.data_class, warning: TOKEN_WARNING }
  return { body: issued, audit: { event: 'TOKEN_ROTATED', actor: actor.id } }
}
