import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { CreateInput } from '../../contract/inputs.ts'
import {
  type Kind,
  mediaOf,
  type NameOf,
  OPERATIONS,
  type Operation,
  type OperationName,
} from '../../contract/operations.ts'
import { Problem } from '../../contract/problem.ts'
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
import { coolsDown } from '../../operations/writing.ts'
import { answerFields, isUnchanged, nextLink } from '../caches/conditional.ts'
import { sharedCacheFields, sharedCacheOf } from '../caches/shared-cache.ts'
import type { Streams } from '../events/streams.ts'
import { createEventLoopYield } from '../limits/yield-to-event-loop.ts'
import type { Observer, Visitor } from '../observation/observer.ts'
import type { Admitted } from './admission.ts'
import { Charges, REFUNDED } from './charges.ts'
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

/** Answers admitted requests: reads and streams run here, writes in the store. */
export class Handlers {
  readonly #parts: Parts
  readonly #charges: Charges
  readonly #underWay = createUnderWay()
  readonly #yieldTurn = createEventLoopYield()
  readonly #hint: ReturnType<typeof createHinter>
  readonly #byKind: { [K in Kind]: Handler<NameOf<K>> }
  /** What all reads of this process have in common. */
  readonly #shared: Omit<Reads, 'actor' | 'at' | 'flushObservations'>

  constructor(parts: Parts) {
    const { store, entries, rates, guideDigest, readiness, config } = parts
    this.#parts = parts
    this.#charges = new Charges(parts)
    this.#hint = createHinter(store)
    this.#byKind = {
      read: (...request) => this.#read(...request),
      write: (...request) => this.#write(...request),
      stream: parts.streams.open,
    }
    this.#shared = {
      reader: store.reader,
      entries,
      search: request => store.search(request),
      persistCheckpoint: note => store.persistCheckpoint(note),
      readiness,
      rates,
      guideDigest,
      contentLicense: config.contentLicense,
    }
  }

  /** The surroundings of the reads of a visitor. */
  readsFor(visitor: Visitor): Reads {
    const { observer } = this.#parts
    return {
      ...this.#shared,
      actor: visitor.actor,
      at: visitor.at,
      flushObservations: async observed => {
        if (observed !== undefined) observer.note(visitor, observed)
        await observer.flush()
      },
    }
  }

  /** Runs an operation. Gives charges back that a limit turned out to refuse, and adds the running cooldown to a refusal. */
  async answer(
    name: OperationName,
    admitted: Admitted,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    try {
      const handle = this.#byKind[OPERATIONS[name].kind] as Handler<OperationName>
      return await handle(name, admitted, request, reply)
    } catch (error) {
      if (error instanceof Problem && REFUNDED.has(error.code)) await this.#charges.refund(admitted, reply)
      if (error instanceof Problem && coolsDown(name) && PROBLEMS[error.code].status < 500) {
        const left = error.code === 'COOLDOWN' ? error.detail.retryAfter : undefined
        await this.#charges.addCooldown(name as WriteName, admitted, reply, left)
      }
      throw error
    }
  }

  async #read(name: ReadName, admitted: Admitted, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { observer, config } = this.#parts
    const { at, origin, actor, params, query } = admitted
    const userAgent = request.headers['user-agent'] ?? ''
    const visitor: Visitor = { actor, origin, userAgent, requestId: request.id, at }
    // Operations without a charge, like /health, are not observed either.
    if (admitted.charged !== undefined) await observer.room()
    const operation: Operation = OPERATIONS[name]
    if (operation.body !== undefined && request.body === undefined) throw new Problem('MALFORMED_JSON')
    const body = CHECKS[name].body(request.body)
    const answer = await runRead(name, this.readsFor(visitor), { params, query, body })
    const shared = sharedCacheOf(config, request.raw, name, params)
    const known = { ...answerFields(answer, OPERATIONS[name]), ...sharedCacheFields(answer, shared) }
    let fields = withLicense(known, config, name)
    if (answer.etag !== undefined && isUnchanged(request.headers['if-none-match'], answer.etag)) {
      return reply.code(304).headers(fields).send()
    }
    if (answer.observed !== undefined) observer.note(visitor, answer.observed)
    for (const observed of answer.alsoObserved ?? []) observer.note(visitor, observed)
    if (answer.next !== undefined) fields = withLink(fields, nextLink(request.raw.url ?? '', answer.next))
    return this.#send(request, reply, OPERATIONS[name], answer, fields)
  }

  async #write(
    name: WriteName,
    admitted: Admitted,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { limiter, rates } = this.#parts
    const { at, origin, actor, tokenHash, params, idempotencyKey } = admitted
    // A request without a body was not parsed.
    if (request.body === undefined) throw new Problem('MALFORMED_JSON')
    await this.#yieldTurn()
    const body = CHECKS[name].body(request.body)
    await this.#charges.chargeItems(OPERATIONS[name], body, admitted, reply)
    limiter.beforeWrite()
    const caller = { requestId: request.id, actor, tokenHash, origin }
    const checked = { params, body, caller }
    const answer = await this.#withHints(name, checked, () => this.#run(name, checked, idempotencyKey, at))
    await this.#yieldTurn()
    // If all items were refused, none has started it.
    const single = !('chargedItems' in OPERATIONS[name])
    const began = coolsDown(name) && single && !answer.replayed ? rates.cooldownSeconds : undefined
    await this.#charges.addCooldown(name, admitted, reply, began)
    if (answer.audit !== undefined) request.log.info({ requestId: request.id, ...answer.audit }, 'audit')
    if (answer.sequence !== undefined) reply.header('sequence', String(answer.sequence))
    if (answer.replayed) reply.header('idempotency-replayed', 'true')
    if (answer.location !== undefined) reply.header('location', answer.location)
    return this.#send(request, reply, OPERATIONS[name], answer, answerFields(answer, OPERATIONS[name]))
  }

  /** Runs a write. Of several with the same key only one runs. */
  #run(name: WriteName, request: CheckedWrite, key: IdempotencyKey | undefined, at: number): Promise<WriteAnswer> {
    const { store, environment } = this.#parts
    if (key === undefined) return store.write(name, request, environment(at))
    const idempotency = { ...key, request: requestDigest(key, name, request.params, request.body) }
    const run = () => store.write(name, { ...request, idempotency }, environment(at))
    return this.#underWay.alone(idempotency, run)
  }

  /** Runs a write, and adds hints to its answer, also to one that is given again. They are no part of what is written. */
  async #withHints(name: WriteName, { body }: CheckedWrite, run: () => Promise<WriteAnswer>): Promise<WriteAnswer> {
    if (OPERATIONS[name].response !== 'Published') return run()
    const hints = this.#hint(body as CreateInput)
    const answer = await run()
    return { ...answer, body: { ...answer.body, ...(await hints(answer.body as Entry)) } }
  }

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    operation: Operation,
    answer: Answer,
    fields: Record<string, string>,
  ): Promise<FastifyReply> {
    reply
      .code(operation.status)
      .headers(fields)
      .type(`${mediaOf(operation)}; charset=utf-8`)
    if (answer.markdown !== undefined) {
      reply.header('vary', 'Origin, Accept')
      if (wantsMarkdown(request.headers.accept ?? '')) return sendMarkdown(reply, answer.markdown())
    }
    if (isCoded(operation, answer)) return sendCoded(this.#parts.compression, request, reply, bytesOf(answer))
    if (answer.pieces === undefined) return reply.send(bytesOf(answer))
    return request.method === 'HEAD' ? reply.send() : reply.send(Readable.from(answer.pieces, { objectMode: false }))
  }
}
