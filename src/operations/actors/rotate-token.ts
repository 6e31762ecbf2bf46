import type { ActorIssued } from '../../contract/resources.ts'
import { TOKEN_BYTES, TOKEN_WARNING, tokenHash, tokenOf } from '../../domain/actor.ts'
import { toActor, updateToken } from '../../store/actor.ts'
import type { WriteOperation } from '../operation.ts'
import { findWriter } from '../writing.ts'

/** Replaces the token of an actor. The previous token is invalid from the same commit on. */
export const rotateToken: WriteOperation<'rotateToken'> = async (tx, context, { caller }) => {
  if (caller.actor !== null) await tx.lock(`actor ${caller.actor}`)
  const { actor } = await findWriter(tx, caller)
  const token = tokenOf(context.randomBytes(TOKEN_BYTES))
  await updateToken(tx, actor.number, tokenHash(token))
  const issued: ActorIssued = { actor: toActor(actor), token, dataClass: actor.data_class, warning: TOKEN_WARNING }
  return { body: issued, audit: { event: 'TOKEN_ROTATED', actor: actor.id } }
}
