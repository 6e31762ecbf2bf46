import { Problem } from '../../contract/problem.ts'
import { HEAD, readServed } from '../head-rows.ts'
import type { WriteAnswer, WriteName, WriteOperation } from '../operation.ts'
import { findStoredAnswer, insertStoredAnswer, isAnswerErased } from './rows.ts'
import { SEAL_NONCE_BYTES, seal, unseal } from './rules.ts'

/**
 * Makes a write idempotent: a retry gets the stored answer. The transaction of the write stores the answer, so that both exist or neither.
 * A refused write stores nothing. The answer is valid until `sweep` deletes it. Throws IDEMPOTENCY_KEY_REUSED if another request used the
 * key, and ERASED if a text of the answer was erased.
 *
 * The answer has the newest sequence of its transaction. That is the sequence of the write itself, or of a later write of the same commit.
 * A store that has reached it contains the write.
 */
export const idempotent =
  <N extends WriteName>(operation: WriteOperation<N>): WriteOperation<N> =>
  async (tx, context, request) => {
    const { idempotency, body } = request
    if (idempotency === undefined) {
      const answer = await operation(tx, context, request)
      return { ...answer, sequence: (await tx.load(HEAD)).sequence }
    }
    await tx.lock(`idempotency ${idempotency.id}`)
    const [stored, served] = await Promise.all([findStoredAnswer(tx, idempotency.id), readServed(tx)])
    if (stored !== undefined) {
      if (stored.request !== idempotency.request) throw new Problem('IDEMPOTENCY_KEY_REUSED')
      const answer = unpack(unseal(idempotency, stored.answer), body) satisfies WriteAnswer
      if (await isAnswerErased(tx, answer.body)) throw new Problem('ERASED')
      return { ...answer, replayed: true }
    }
    const answer = { ...(await operation(tx, context, request)), sequence: (await tx.load(HEAD)).sequence }
    await insertStoredAnswer(tx, {
      id: idempotency.id,
      request: idempotency.request,
      answer: seal(idempotency, JSON.stringify(pack(answer, body)), context.randomBytes(SEAL_NONCE_BYTES)),
      created_at: context.at,
      served,
    })
    return answer
  }

/** An answer without the texts that equal those of the request. A retry sends them again. */
type Packed = Pick<WriteAnswer, 'etag' | 'location' | 'sequence'> & { members: Member[] }
type Member = [name: string] | [name: string, value: unknown]

function pack({ body, etag, location, sequence }: WriteAnswer, said: unknown): Packed {
  const given = said as Record<string, unknown>
  const members = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]): Member =>
        typeof value === 'string' && Object.hasOwn(given, name) && given[name] === value ? [name] : [name, value],
    )
  return {
    members,
    ...(etag === undefined ? {} : { etag }),
    ...(location === undefined ? {} : { location }),
    ...(sequence === undefined ? {} : { sequence }),
  }
}

function unpack(text: string, said: unknown): WriteAnswer {
  const { members, ...rest } = JSON.parse(text) as Packed
  const given = said as Record<string, unknown>
  return {
    ...rest,
    body: Object.fromEntries(members.map(([name, ...own]) => [name, own.length > 0 ? own[0] : given[name]])),
  }
}
