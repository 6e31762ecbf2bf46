import type { ActorInput } from '../contract/inputs.ts'
import type { ActorIssued } from '../contract/resources.ts'
import { TOKEN_BYTES, TOKEN_WARNING, tokenHash, tokenOf } from '../domain/actor.ts'
import { assertCooledDown } from '../domain/cooldown.ts'
import { assertNoSecret } from '../domain/secret.ts'
import { insertActor, toActor } from '../store/actor.ts'
import { addToTotals } from '../store/head.ts'
import { beginCooldown, findCooldown } from '../store/limit.ts'
import type { WriteOperation } from './operation.ts'
import { findSender, networkSubject, takeOrigin } from './writing.ts'

/** Issues a pseudonymous actor and its token; the token is given this once and only its hash is kept. */
export const createActor: WriteOperation<ActorInput> = async (tx, context, { body, caller }) => {
  const sender = await findSender(tx, caller)
  const subject = caller.origin !== null && context.cooldown > 0 ? networkSubject(caller.origin.networkKey) : null
  if (subject !== null) {
    await tx.lock(subject)
    assertCooledDown(await findCooldown(tx, subject, 'ACTOR'), context.cooldown, context.now)
  }
  assertNoSecret(body)
  const origin = await takeOrigin(tx, sender)
  if (subject !== null) await beginCooldown(tx, subject, 'ACTOR', context.now)
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
  if (row.data_class === 'EXTERNAL') await addToTotals(tx, { observed_actors: 1 })
  const issued: ActorIssued = { actor: toActor(row), token, dataClass: row.data_class, warning: TOKEN_WARNING }
  return { body: issued }
}
