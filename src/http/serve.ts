import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { CreateInput } from '../contract/inputs.ts'
import { RATE_WINDOW_SECONDS } from '../contract/limits.ts'
import { codeOf } from '../contract/member-problems.ts'
import { type Kind, type NameOf, OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem, type ProblemCode } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { Entry } from '../contract/resources.ts'
import type { Awaitable } from '../engine/database.ts'
import { fenceOf } from '../guide/fence.ts'
import { andThen } from '../memory/encoded-json.ts'
import type { EntryCache } from '../memory/entries/cache.ts'
import { hintsOf } from '../memory/entries/create.ts'
import { Hinter } from '../memory/entries/hints.ts'
import { type IdempotencyKey, requestDigest } from '../memory/idempotency/rules.ts'
import type { Answer, CheckedWrite, ReadName, Reads, WriteAnswer, WriteName } from '../memory/operation.ts'
import { plain } from '../memory/plain.ts'
import { runRead } from '../memory/run.ts'
import type { Limiter, Store, WriteEnvironment } from '../memory/store.ts'
import { cooldownWait, coolsDown } from '../memory/write.ts'
import { acceptedType } from '../web/accepted-type.ts'
import { JSON_TYPE, MARKDOWN_TYPE } from '../web/page.ts'
import { type Admitted, createUnderWay, rateLimitFields, withCooldown } from './admission.ts'
import { CHECKS } from './check.ts'
import { answerFields, bytesOf, type Compression, isCoded, isUnchanged, nextLink, sendCoded } from './compression.ts'
import type { Streams } from './events.ts'
import { type Exchange, type Fields, UNCHARGED } from './exchange.ts'
import type { Observer, Visitor } from './observer.ts'
import { type Overload, WorkTurns } from './overload.ts'
import { sharedCacheFields, sharedCacheOf } from './shared-caches.ts'

/** Adds a link to the Link field of an answer. */
export const withLink = (fields: Fields, link: string): Fields => ({
  ...fields,
  link: fields.link === undefined ? link : `${fields.link}, ${link}`,
})

/**
 * Adds the Link to the licence of the content (RFC 4946) if CONTENT_LICENSE is set and the answer has content. An answer without
 * `operation` is a page, which shows at least titles.
 */
export const withLicense = (
  fields: Fields,
  { contentLicense }: Pick<Config, 'contentLicense'>,
  operation?: OperationName,
): Fields =>
  contentLicense !== undefined && (operation === undefined || 'licensed' in OPERATIONS[operation])
    ? withLink(fields, `<${contentLicense}>; rel="license"`)
    : fields

type Dependencies = {
  store: Store
  limiter: Limiter
  rates: Reads['rates']
  environment: (at?: number) => WriteEnvironment
  now: () => number
}

/** Problems of limits that are detected only after a request was charged. Its charges are then released. */
export const RELEASED: ReadonlySet<ProblemCode> = new Set(['COOLDOWN', 'RATE_LIMITED', 'TOO_MANY_STREAMS'])

/** The charges of admitted requests beyond their admission, and the fields of answers that report them. */
export class Charges {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Charges the calls that a list of items stands for, after the first. Throws RATE_LIMITED if the limits do not admit all of them. */
  async chargeItems({ chargedItems }: Operation, body: unknown, admitted: Admitted, exchange: Exchange): Promise<void> {
    const { charged } = admitted
    if (chargedItems === undefined || charged === undefined || charged === UNCHARGED) return
    const { member, perCall } = chargedItems
    const calls = Math.ceil(((body as Record<string, unknown[]>)[member]?.length ?? 0) / perCall)
    // A request for more calls than a minute admits would always be refused.
    if (charged.limits.some(({ quota }) => calls > quota)) throw new Problem(codeOf(member), { member })
    const { limiter, now } = this.#dependencies
    const at = now()
    const further = Array.from({ length: calls - 1 }, () => limiter.admit(charged.limits, at))
    const decisions = await Promise.all(further)
    admitted.more = decisions.filter(({ admitted }) => admitted)
    const last = decisions.at(-1)
    if (last !== undefined) exchange.set(rateLimitFields(last.limits))
    // After a whole window the limits admit all of them.
    if (admitted.more.length < calls - 1) throw new Problem('RATE_LIMITED', { retryAfter: RATE_WINDOW_SECONDS })
  }

  /** Releases all charges of a request. */
  async release({ charged, more = [] }: Admitted, exchange: Exchange): Promise<void> {
    const { limiter, now } = this.#dependencies
    for (const decision of charged === undefined || charged === UNCHARGED ? [] : [...more, charged]) {
      exchange.set(rateLimitFields(await limiter.release(decision, now())))
    }
  }

  /** Adds the remaining cooldown of this kind of write to the answer; `known` is that time in seconds, if it is known. */
  async addCooldown(name: WriteName, admitted: Admitted, exchange: Exchange, known?: number): Promise<void> {
    const { rates, environment, store, now } = this.#dependencies
    const { actor, origin, charged } = admitted
    if (rates.cooldownSeconds === 0 || charged === UNCHARGED) return
    const { cooldown } = environment()
    const seconds = known ?? (await cooldownWait(store.reader, name, { actor, origin }, { cooldown, at: now() }))
    exchange.set(withCooldown(exchange.fields, seconds, rates.cooldownSeconds))
  }
}

export type HandlerDependencies = {
  logger: Logger
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
  overload: Pick<Overload, 'yieldToRequests' | 'yieldIfOverBudget'>
}

const wantsMarkdown = (accept: string): boolean =>
  acceptedType(accept, ['application/json', 'text/markdown']) === 'text/markdown'

/** Random bytes of the marker of a fence. */
const MARK_BYTES = 12

/** Sends untrusted Markdown in one fence with a random marker, with invisible characters named. */
function sendMarkdown(exchange: Exchange, status: number, text: string): void {
  const fenced = fenceOf(randomBytes(MARK_BYTES).toString('hex'), 'strangers', [plain(text)])
  exchange.set({ 'content-type': MARKDOWN_TYPE }).send(status, Buffer.from(`${fenced}\n`))
}

/** The Content-Type of the answers of an operation. */
const typeOf = ({ media }: Operation): string => (media === undefined ? JSON_TYPE : `${media}; charset=utf-8`)

type Handler<N> = (name: N, admitted: Admitted, exchange: Exchange) => Awaitable<void>

/** Answers admitted requests: reads and streams run here, writes in the store. */
export class Handlers {
  readonly #dependencies: HandlerDependencies
  readonly #charges: Charges
  readonly #underWay = createUnderWay()
  readonly #workTurns = new WorkTurns()
  readonly #hinter: Hinter
  readonly #byKind: { [K in Kind]: Handler<NameOf<K>> }
  /** The members that the contexts of all reads share. */
  readonly #shared: Omit<Reads, 'actor' | 'at' | 'flushObservations'>

  constructor(dependencies: HandlerDependencies) {
    const { store, entries, rates, guideDigest, readiness, config, overload } = dependencies
    const yieldToRequests = () => overload.yieldToRequests()
    this.#dependencies = dependencies
    this.#charges = new Charges(dependencies)
    this.#hinter = new Hinter(store)
    this.#byKind = {
      read: (...request) => this.#read(...request),
      write: (...request) => this.#write(...request),
      stream: (...request) => dependencies.streams.open(...request),
    }
    this.#shared = {
      reader: store.reader,
      entries,
      yieldToRequests,
      yieldIfOverBudget: () => overload.yieldIfOverBudget(),
      async search(request) {
        const found = await store.search(request)
        await yieldToRequests()
        return found
      },
      persistCheckpoint: note => store.persistCheckpoint(note),
      readiness,
      rates,
      guideDigest,
      contentLicense: config.contentLicense,
    }
  }

  /** Returns the context of the reads of a visitor. */
  readsFor(visitor: Visitor): Reads {
    const { observer, overload } = this.#dependencies
    return {
      ...this.#shared,
      actor: visitor.actor,
      at: visitor.at,
      flushObservations: async observed => {
        if (observed !== undefined) observer.note(visitor, observed)
        await observer.flush()
        await overload.yieldToRequests()
      },
    }
  }

  /** Runs an operation. Releases the charges if a limit then refuses it, and adds the running cooldown to a refusal. */
  answer(name: OperationName, admitted: Admitted, exchange: Exchange): Awaitable<void> {
    const handle = this.#byKind[OPERATIONS[name].kind] as Handler<OperationName>
    try {
      const running = handle(name, admitted, exchange)
      return running?.catch(error => this.#settle(name, admitted, exchange, error))
    } catch (error) {
      return this.#settle(name, admitted, exchange, error)
    }
  }

  /** Corrects the charges of a request that failed, and throws its error. */
  async #settle(name: OperationName, admitted: Admitted, exchange: Exchange, error: unknown): Promise<never> {
    if (error instanceof Problem && RELEASED.has(error.code)) await this.#charges.release(admitted, exchange)
    if (error instanceof Problem && coolsDown(name) && PROBLEMS[error.code].status < 500) {
      const left = error.code === 'COOLDOWN' ? error.detail.retryAfter : undefined
      await this.#charges.addCooldown(name as WriteName, admitted, exchange, left)
    }
    throw error
  }

  #read(name: ReadName, admitted: Admitted, exchange: Exchange): Awaitable<void> {
    const { at, origin, actor, params, query } = admitted
    const visitor = { actor, origin, userAgent: exchange.headers['user-agent'] ?? '', requestId: exchange.id, at }
    const operation: Operation = OPERATIONS[name]
    if (operation.body !== undefined && exchange.body === undefined) throw new Problem('MALFORMED_JSON')
    const body = CHECKS[name].body(exchange.body)
    // Operations without a charge, like /health, are not observed either.
    const room = admitted.charged === undefined ? undefined : this.#dependencies.observer.room()
    const read = () => runRead(name, this.readsFor(visitor), { params, query, body })
    const chargedRead =
      operation.chargedItems === undefined
        ? read
        : () => this.#charges.chargeItems(operation, body, admitted, exchange).then(read)
    return andThen(andThen(room, chargedRead), answer => this.#sendRead(name, visitor, params, answer, exchange))
  }

  #sendRead(
    name: ReadName,
    visitor: Visitor,
    params: Admitted['params'],
    answer: Answer,
    exchange: Exchange,
  ): Awaitable<void> {
    const { observer, config } = this.#dependencies
    const shared = sharedCacheOf(config, exchange.request, name, params)
    const known = Object.assign(answerFields(answer, OPERATIONS[name]), sharedCacheFields(answer, shared))
    const fields = withLicense(known, config, name)
    if (answer.etag !== undefined && isUnchanged(exchange.headers['if-none-match'], answer.etag)) {
      return exchange.set(fields).send(304)
    }
    if (answer.observed !== undefined) observer.note(visitor, answer.observed)
    for (const observed of answer.alsoObserved ?? []) observer.note(visitor, observed)
    const { next } = answer
    const linked = next === undefined ? fields : withLink(fields, nextLink(exchange.url, next))
    return this.#send(exchange, OPERATIONS[name], answer, linked)
  }

  async #write(name: WriteName, admitted: Admitted, exchange: Exchange): Promise<void> {
    const { limiter, rates, logger } = this.#dependencies
    const { origin, actor, tokenHash, params, idempotencyKey } = admitted
    // A request without a body was not parsed.
    if (exchange.body === undefined) throw new Problem('MALFORMED_JSON')
    await this.#workTurns.waitToBegin()
    const body = CHECKS[name].body(exchange.body)
    await this.#charges.chargeItems(OPERATIONS[name], body, admitted, exchange)
    limiter.beforeWrite()
    const caller = { requestId: exchange.id, actor, tokenHash, origin }
    const checked = { params, body, caller }
    const answer = await this.#withHints(name, checked, idempotencyKey, request => this.#run(name, request, admitted))
    await this.#workTurns.waitToBegin()
    // If all items were refused, no write has started the cooldown.
    const single = !('chargedItems' in OPERATIONS[name])
    const began = coolsDown(name) && single && !answer.replayed ? rates.cooldownSeconds : undefined
    await this.#charges.addCooldown(name, admitted, exchange, began)
    if (answer.audit !== undefined) logger.info({ requestId: exchange.id, ...answer.audit }, 'audit')
    if (answer.sequence !== undefined) exchange.fields.sequence = String(answer.sequence)
    if (answer.replayed) exchange.fields['idempotency-replayed'] = 'true'
    if (answer.location !== undefined) exchange.fields.location = answer.location
    return this.#send(exchange, OPERATIONS[name], answer, answerFields(answer, OPERATIONS[name]))
  }

  /** Runs a write. Of concurrent writes with the same key, only one runs. */
  #run(name: WriteName, request: CheckedWrite, { idempotencyKey: key, at, charged }: Admitted): Promise<WriteAnswer> {
    const { store } = this.#dependencies
    const environment = this.#dependencies.environment(at)
    if (charged === UNCHARGED) environment.cooldown = 0
    if (key === undefined) return store.write(name, request, environment)
    const idempotency = { ...key, request: requestDigest(key, name, request.params, request.body) }
    const run = () => store.write(name, { ...request, idempotency }, environment)
    return this.#underWay.alone(idempotency, run)
  }

  /** Runs a write, and adds hints to its answer. A retry gets the first answer, so a write with a key stores the hints with it. */
  async #withHints(
    name: WriteName,
    request: CheckedWrite,
    key: IdempotencyKey | undefined,
    run: (request: CheckedWrite) => Promise<WriteAnswer>,
  ): Promise<WriteAnswer> {
    if (OPERATIONS[name].response !== 'Published') return run(request)
    const similar = this.#hinter.similarTo(request.body as CreateInput)
    if (key !== undefined) return run({ ...request, similar: await similar })
    const answer = await run(request)
    return { ...answer, body: { ...answer.body, hints: hintsOf(answer.body as Entry, await similar) } }
  }

  #send(exchange: Exchange, operation: Operation, answer: Answer, fields: Fields): Awaitable<void> {
    const { status } = operation
    exchange.set(fields).fields['content-type'] = typeOf(operation)
    if (answer.markdown !== undefined) {
      exchange.fields.vary = 'Origin, Accept'
      if (wantsMarkdown(exchange.headers.accept ?? '')) return sendMarkdown(exchange, status, answer.markdown())
    }
    const { compression } = this.#dependencies
    if (answer.pieces === undefined) {
      return andThen(bytesOf(answer, this.#shared), bytes =>
        isCoded(operation, answer) ? sendCoded(compression, exchange, status, bytes) : exchange.send(status, bytes),
      )
    }
    if (exchange.method === 'HEAD') return exchange.send(status)
    return exchange.stream(status, Readable.from(answer.pieces, { objectMode: false }))
  }
}
