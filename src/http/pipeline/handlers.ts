import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { CreateInput } from '../../contract/inputs.ts'
import { RATE_WINDOW_SECONDS } from '../../contract/limits.ts'
import {
  type Kind,
  mediaOf,
  type NameOf,
  OPERATIONS,
  type Operation,
  type OperationName,
} from '../../contract/operations.ts'
import { Problem, type ProblemCode } from '../../contract/problem.ts'
import { PROBLEMS } from '../../contract/problems.ts'
import type { Entry } from '../../contract/resources.ts'
import { type IdempotencyKey, requestDigest } from '../../domain/idempotency.ts'
import { plain } from '../../domain/invisible-characters.js'
import { fenceOf } from '../../guide/fence.ts'
import type { EntryCache } from '../../operations/entries/entry-cache.ts'
import { createHinter } from '../../operations/entries/hints.ts'
import type { Limiter } from '../../operations/limiter.ts'
import type { Answer, CheckedWrite, ReadName, Reads, WriteAnswer, WriteName } from '../../operations/operation.ts'
import { runRead } from '../../operations/reads.ts'
import type { Store, WriteEnvironment } from '../../operations/store.ts'
import { cooldownWait, coolsDown } from '../../operations/writing.ts'
import { answerFields, isUnchanged, nextLink } from '../caches/conditional.ts'
import { sharedCacheFields, sharedCacheOf } from '../caches/shared-cache.ts'
import type { Streams } from '../events/streams.ts'
import { rateLimitFields, withCooldown } from '../limits/rate-limit-fields.ts'
import { createEventLoopYield } from '../limits/yield-to-event-loop.ts'
import type { Observer, Visitor } from '../observation/observer.ts'
import type { Admitted } from './admission.ts'
import { bytesOf, type Compression, isCoded, sendCoded } from './compression.ts'
import { createUnderWay } from './idempotency.ts'
import { withLicense, withLink } from './license.ts'
import { CHECKS } from './validate.ts'

type Parts = {
  store: Store
  entries: EntryCache
  limiter: Limiter
  observer: Observer
  streams: Streams
  compression: Compression
  rates: Reads['rates']
  config: Pick<Config, 'sharedCacheSeconds' | 'contentLicense'>
  guideDigest: Reads['guideDigest']
  readiness: Reads['readiness']
  environment: (at?: number) => WriteEnvironment
  now: () => number
}

/** Whether the Accept field names Markdown and does not name JSON. */
const wantsMarkdown = (accept: string): boolean =>
  accept.includes('text/markdown') && !accept.includes('application/json')

/** Random bytes of the marker of a fence. */
const MARK_BYTES = 12

/** Sends untrusted Markdown in one fence with a random marker, with invisible characters named. */
function sendMarkdown(reply: FastifyReply, text: string): FastifyReply {
  const fenced = fenceOf(randomBytes(MARK_BYTES).toString('hex'), 'strangers', [plain(text)])
  return reply.type('text/markdown; charset=utf-8').send(`${fenced}\n`)
}

export const JSON_TYPE = 'application/json; charset=utf-8'

type Handler<N> = (name: N, admitted: Admitted, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Problems of limits that are known only after a request was charged. The charges are then taken back. */
const REFUNDED: ReadonlySet<ProblemCode> = new Set(['COOLDOWN', 'RATE_LIMITED', 'TOO_MANY_STREAMS'])

/** Returns the handlers of admitted requests: reads and streams run here, writes in the store. */
export function createHandlers(parts: Parts) {
  const { store, entries, limiter, observer, streams, compression, rates, guideDigest, readiness } = parts
  const { environment, now, config } = parts
  const underWay = createUnderWay()
  const yieldTurn = createEventLoopYield()
  const hint = createHinter(store)
  const readsFor = (visitor: Visitor): Reads => ({
    reader: store.reader,
    actor: visitor.actor,
    at: visitor.at,
    entries,
    search: store.search,
    persistCheckpoint: store.persistCheckpoint,
    readiness,
    rates,
    guideDigest,
    contentLicense: config.contentLicense,
    flushObservations: async observed => {
      if (observed !== undefined) observer.note(visitor, observed)
      await observer.flush()
    },
  })

  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    operation: Operation,
    answer: Answer,
    fields: Record<string, string>,
  ): Promise<FastifyReply> => {
    reply
      .code(operation.status)
      .headers(fields)
      .type(`${mediaOf(operation)}; charset=utf-8`)
    if (answer.markdown !== undefined) {
      reply.header('vary', 'Origin, Accept')
      if (wantsMarkdown(request.headers.accept ?? '')) return sendMarkdown(reply, answer.markdown())
    }
    if (isCoded(operation, answer)) return sendCoded(compression, request, reply, bytesOf(answer))
    if (answer.pieces === undefined) return reply.send(bytesOf(answer))
    return request.method === 'HEAD' ? reply.send() : reply.send(Readable.from(answer.pieces, { objectMode: false }))
  }

  const read: Handler<ReadName> = async (name, admitted, request, reply) => {
    const { at, origin, actor, params, query } = admitted
    const userAgent = request.headers['user-agent'] ?? ''
    const visitor: Visitor = { actor, origin, userAgent, requestId: request.id, at }
    // Operations without a charge, like /health, are not observed either.
    if (admitted.charged !== undefined) await observer.room()
    const operation: Operation = OPERATIONS[name]
    if (operation.body !== undefined && request.body === undefined) throw new Problem('MALFORMED_JSON')
    const body = CHECKS[name].body(request.body)
    const answer = await runRead(name, readsFor(visitor), { params, query, body })
    const shared = sharedCacheOf(config, request.raw, name, params)
    const known = { ...answerFields(answer, OPERATIONS[name]), ...sharedCacheFields(answer, shared) }
    let fields = withLicense(known, config, name)
    if (answer.etag !== undefined && isUnchanged(request.headers['if-none-match'], answer.etag)) {
      return reply.code(304).headers(fields).send()
    }
    if (answer.observed !== undefined) observer.note(visitor, answer.observed)
    for (const observed of answer.alsoObserved ?? []) observer.note(visitor, observed)
    if (answer.next !== undefined) fields = withLink(fields, nextLink(request.raw.url ?? '', answer.next))
    return send(request, reply, OPERATIONS[name], answer, fields)
  }

  /** Runs a write. Of several with the same key only one runs. */
  const run = (
    name: WriteName,
    request: CheckedWrite,
    key: IdempotencyKey | undefined,
    at: number,
  ): Promise<WriteAnswer> => {
    if (key === undefined) return store.write(name, request, environment(at))
    const idempotency = { ...key, request: requestDigest(key, name, request.params, request.body) }
    return underWay.alone(idempotency, () => store.write(name, { ...request, idempotency }, environment(at)))
  }

  /** Runs a write, and adds to its answer what is no part of what is written, also to one that is given again. */
  const completed = async (
    name: WriteName,
    { body }: CheckedWrite,
    written: () => Promise<WriteAnswer>,
  ): Promise<WriteAnswer> => {
    if (OPERATIONS[name].response !== 'Published') return written()
    const hints = hint(body as CreateInput)
    const answer = await written()
    return { ...answer, body: { ...answer.body, ...(await hints(answer.body as Entry)) } }
  }

  /** Charges the items of a body after the first. Throws RATE_LIMITED if the limits do not admit all of them. */
  const chargeItems = async (
    { chargedItems }: Operation,
    body: unknown,
    admitted: Admitted,
    reply: FastifyReply,
  ): Promise<void> => {
    const { charged } = admitted
    if (chargedItems === undefined || charged === undefined) return
    const { length } = (body as Record<string, unknown[]>)[chargedItems] ?? []
    // More items than a minute admits would always be refused.
    if (charged.standings.some(({ quota }) => length > quota))
      throw new Problem('INVALID_ITEMS', { member: chargedItems })
    const at = now()
    const further = Array.from({ length: length - 1 }, () => limiter.admit(charged.standings, at))
    const verdicts = await Promise.all(further)
    admitted.more = verdicts.filter(verdict => verdict.admitted)
    const last = verdicts.at(-1)
    if (last !== undefined) reply.headers(rateLimitFields(last.standings))
    // After a whole window the limits admit all of them.
    if (admitted.more.length < length - 1) throw new Problem('RATE_LIMITED', { retryAfter: RATE_WINDOW_SECONDS })
  }

  /** Takes back all charges of a request. */
  const refund = async ({ charged, more = [] }: Admitted, reply: FastifyReply): Promise<void> => {
    for (const verdict of charged === undefined ? [] : [...more, charged]) {
      reply.headers(rateLimitFields(await limiter.refund(verdict, now())))
    }
  }

  /** Adds the running cooldown of this kind of write: the cooldown that the write started, or an earlier one. */
  const addCooldown = async (
    name: WriteName,
    { actor, origin }: Admitted,
    reply: FastifyReply,
    known?: number,
  ): Promise<void> => {
    if (rates.cooldownSeconds === 0) return
    const { cooldown } = environment()
    const seconds = known ?? (await cooldownWait(store.reader, name, { actor, origin }, { cooldown, at: now() }))
    const fields = reply.getHeaders() as Parameters<typeof withCooldown>[0]
    reply.headers(withCooldown(fields, seconds, rates.cooldownSeconds))
  }

  const write: Handler<WriteName> = async (name, admitted, request, reply) => {
    const { at, origin, actor, tokenHash, params, idempotencyKey } = admitted
    // A request without a body was not parsed.
    if (request.body === undefined) throw new Problem('MALFORMED_JSON')
    await yieldTurn()
    const body = CHECKS[name].body(request.body)
    await chargeItems(OPERATIONS[name], body, admitted, reply)
    limiter.beforeWrite()
    const caller = { requestId: request.id, actor, tokenHash, origin }
    const asked = { params, body, caller }
    const answer = await completed(name, asked, () => run(name, asked, idempotencyKey, at))
    await yieldTurn()
    // If all items were refused, none has started it.
    const single = !('chargedItems' in OPERATIONS[name])
    const began = coolsDown(name) && single && !answer.replayed ? rates.cooldownSeconds : undefined
    await addCooldown(name, admitted, reply, began)
    if (answer.audit !== undefined) request.log.info({ requestId: request.id, ...answer.audit }, 'audit')
    if (answer.sequence !== undefined) reply.header('sequence', String(answer.sequence))
    if (answer.replayed) reply.header('idempotency-replayed', 'true')
    if (answer.location !== undefined) reply.header('location', answer.location)
    return send(request, reply, OPERATIONS[name], answer, answerFields(answer, OPERATIONS[name]))
  }

  const byKind: { [K in Kind]: Handler<NameOf<K>> } = { read, write, stream: streams.open }

  const answer: Handler<OperationName> = async (name, admitted, request, reply) => {
    try {
      const handle = byKind[OPERATIONS[name].kind] as Handler<OperationName>
      return await handle(name, admitted, request, reply)
    } catch (error) {
      if (error instanceof Problem && REFUNDED.has(error.code)) await refund(admitted, reply)
      if (error instanceof Problem && coolsDown(name) && PROBLEMS[error.code].status < 500) {
        const left = error.code === 'COOLDOWN' ? error.detail.retryAfter : undefined
        await addCooldown(name as WriteName, admitted, reply, left)
      }
      throw error
    }
  }
  return { readsFor, answer }
}
