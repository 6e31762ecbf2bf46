import type { ActorIssued } from '../../contract/resources.ts'
import { TOKEN_BYTES, TOKEN_WARNING, tokenHash, tokenOf } from '../../domain/actor.ts'
import { assertNoSecret } from '../../domain/secret.ts'
import { insertActor, toActor } from '../../store/actor.ts'
import { addToTotals } from '../../store/head.ts'
import type { WriteOperation } from '../operation.ts'
import { beginAnonymousWrite, takeOrigin } from '../writing.ts'

/** Creates a pseudonymous actor and its token. The token is returned only here; the store has its hash. */
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
  if (row.data_class === 'EXTERNAL') await addToTotals(tx, { observed_actors: 1 })
  const issued: ActorIssued = { actor: toActor(row), token, dataClass: row.data_class, warning: TOKEN_WARNING }
  return { body: issued }
}
