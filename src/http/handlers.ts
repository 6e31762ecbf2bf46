import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mediaOf, OPERATIONS, type Operation } from '../contract/operations.ts'
import { Problem } from '../contract/problems.ts'
import type { EntryCache } from '../operations/entry-cache.ts'
import { READS, type ReadName, type WriteName } from '../operations/index.ts'
import type { Limiter } from '../operations/limiter.ts'
import type { Answer, Reads } from '../operations/operation.ts'
import type { Store, Terms } from '../operations/store.ts'
import type { Admitted } from './admission.ts'
import { cacheFields, isUnchanged, nextLink } from './conditional.ts'
import type { Observer, Visitor } from './observer.ts'
import { rateLimitFields } from './rate-limit-fields.ts'
import { CHECKS } from './validate.ts'

type Parts = {
  store: Store
  entries: EntryCache
  limiter: Limiter
  observer: Observer
  rates: Reads['rates']
  readiness: Reads['readiness']
  terms: (at?: number) => Terms
  now: () => number
}

/** The body as it goes out. */
const bytesOf = ({ octets, body }: Answer): Buffer | string =>
  octets === undefined ? JSON.stringify(body) : Buffer.from(octets, 'latin1')

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Gives the two ways in which an admitted request is answered: by a read here, or by a write of the store; and what reads work on. */
export function createHandlers({ store, entries, limiter, observer, rates, readiness, terms, now }: Parts) {
  const readsFor = (visitor: Visitor): Reads => ({
    reader: store.reader,
    entries,
    search: store.search,
    readiness,
    rates,
    keepObserved: async observed => {
      if (observed !== undefined) observer.note(visitor, observed)
      await observer.flush()
    },
  })

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    operation: Operation,
    answer: Answer,
    fields: Record<string, string>,
  ): FastifyReply => {
    reply
      .code(operation.status)
      .headers(fields)
      .type(`${mediaOf(operation)}; charset=utf-8`)
    if (answer.pieces === undefined) return reply.send(bytesOf(answer))
    return request.method === 'HEAD' ? reply.send() : reply.send(Readable.from(answer.pieces, { objectMode: false }))
  }

  return {
    readsFor,

    async read(
      name: ReadName,
      admitted: Admitted,
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<FastifyReply> {
      const { at, origin, actor, params, query } = admitted
      const userAgent = request.headers['user-agent'] ?? ''
      const visitor: Visitor = { actor, origin, userAgent, requestId: request.id, at }
      const answer = await READS[name](readsFor(visitor), { params, query })
      const fields = cacheFields(answer, OPERATIONS[name])
      if (answer.etag !== undefined && isUnchanged(request.headers['if-none-match'], answer.etag)) {
        return reply.code(304).headers(fields).send()
      }
      if (answer.observed !== undefined) observer.note(visitor, answer.observed)
      if (answer.next !== undefined) reply.header('link', nextLink(request.raw.url ?? '', answer.next))
      return send(request, reply, OPERATIONS[name], answer, fields)
    },

    async write(
      name: WriteName,
      admitted: Admitted,
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<FastifyReply> {
      const { at, origin, actor, params, charged } = admitted
      // Without a body nothing was parsed.
      if (request.body === undefined) throw new Problem('MALFORMED_JSON')
      const body = CHECKS[name].body(request.body)
      limiter.beforeWrite()
      try {
        const caller = { requestId: request.id, actor, origin }
        const answer = await store.write(name, { params, body, caller }, terms(at))
        if (answer.location !== undefined) reply.header('location', answer.location)
        return send(request, reply, OPERATIONS[name], answer, cacheFields(answer, OPERATIONS[name]))
      } catch (error) {
        if (error instanceof Problem && error.code === 'COOLDOWN' && charged !== undefined) {
          reply.headers(rateLimitFields(await limiter.refund(charged, now())))
        }
        throw error
      }
    },
  }
}
