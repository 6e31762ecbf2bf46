import { Problem } from '../contract/problem.ts'
import { type Idempotency, SEAL_NONCE_BYTES, seal, unseal } from '../domain/idempotency.ts'
import { readServed } from '../store/head.ts'
import { findStoredAnswer, insertStoredAnswer } from '../store/idempotency.ts'
import type { WriteAnswer, WriteOperation } from './operation.ts'

/**
 * Makes a write operation answer a retry as it answered the first time. The answer is kept by the transaction that makes the change,
 * so that there is one exactly where there is the other; a write that is refused keeps nothing. It is valid until `sweep` deletes it.
 */
const idempotent =
  <B extends object>(operation: WriteOperation<B>): WriteOperation<B> =>
  async (tx, context, request) => {
    const { idempotency, body } = request
    if (idempotency === undefined) return operation(tx, context, request)
    await tx.lock(`idempotency ${idempotency.id}`)
    const [kept, served] = await Promise.all([findStoredAnswer(tx, idempotency.id), readServed(tx)])
    if (kept !== undefined) {
      if (kept.request !== idempotency.request) throw new Problem('IDEMPOTENCY_KEY_REUSED')
      return { ...(unpack(unseal(idempotency, kept.answer), body) satisfies WriteAnswer), replayed: true }
    }
    const answer = await operation(tx, context, request)
    await insertStoredAnswer(tx, {
      id: idempotency.id,
      request: idempotency.request,
      answer: sealed(idempotency, pack(answer, body), context.randomBytes(SEAL_NONCE_BYTES)),
      created_at: context.at,
      served,
    })
    return answer
  }

/** The same operations, each of which answers retries. */
export const allIdempotent = <W extends Record<string, WriteOperation<never>>>(operations: W): W =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, idempotent(operation as WriteOperation<object>)]),
  ) as unknown as W

const sealed = (idempotency: Idempotency, packed: Packed, nonce: Uint8Array): string =>
  seal(idempotency, JSON.stringify(packed), nonce)

/** An answer without the texts that the request says as well: a retry brings them along again. */
type Packed = Pick<WriteAnswer, 'etag' | 'location'> & { members: Member[] }
type Member = [name: string] | [name: string, value: unknown]

function pack({ body, etag, location }: WriteAnswer, said: object): Packed {
  const given = said as Record<string, unknown>
  const members = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]): Member =>
        typeof value === 'string' && Object.hasOwn(given, name) && given[name] === value ? [name] : [name, value],
    )
  return { members, ...(etag === undefined ? {} : { etag }), ...(location === undefined ? {} : { location }) }
}

function unpack(text: string, said: object): WriteAnswer {
  const { members, ...rest } = JSON.parse(text) as Packed
  const given = said as Record<string, unknown>
  return {
    ...rest,
    body: Object.fromEntries(members.map(([name, ...own]) => [name, own.length > 0 ? own[0] : given[name]])),
  }
}
