import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { CreateInput, FeedbackInput } from '../contract/inputs.ts'
import { OPERATIONS, type Operation, type OperationName, takesMinSequence } from '../contract/operations.ts'
import { Problem, type ProblemCode } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { Awaitable } from '../engine/database.ts'
import { fenceOf } from '../guide/fence.ts'
import { bytesOf } from '../memory/encoded-json.ts'
import type { EntryCache } from '../memory/entries/cache.ts'
import { Hinter } from '../memory/entries/similar.ts'
import { handleOf, revisionOfHandle } from '../memory/evidence/judge.ts'
import { type Idempotency, type IdempotencyKey, requestDigest } from '../memory/idempotency/rules.ts'
import type { Charge } from '../memory/limits/rules.ts'
import type {
  Answer,
  CheckedRead,
  CheckedWrite,
  ReadName,
  Reads,
  RemoteCaller,
  WriteAnswer,
  WriteName,
} from '../memory/operation.ts'
import { plain } from '../memory/plain.ts'
import { READS_BY_NAME } from '../memory/run.ts'
import type { Limiter, Store, WriteEnvironment } from '../memory/store.ts'
import { acceptedType } from '../web/accepted-type.ts'
import { JSON_TYPE, MARKDOWN_TYPE } from '../web/page.ts'
import {
  type Admitted,
  type Admitting,
  assertAllowed,
  CHECKS,
  checkParts,
  MinSequence,
  parseJson,
  readBody,
} from './check.ts'
import { type Compression, isCoded, sendCoded } from './compression.ts'
import type { Streams } from './events.ts'
import { answerFields, type Exchange, type Fields, isUnchanged, nextLink } from './exchange.ts'
import { type Identifying, identify } from './identify.ts'
import type { Charges } from './limits.ts'
import type { Observer } from './observer.ts'
import { type Overload, WorkTurns } from './overload.ts'
import { sharedCacheFields, sharedCacheOf } from './shared-caches.ts'

/** Adds a link to the Link field of an answer. */
function addLink(fields: Fields, link: string): void {
  fields.link = fields.link === undefined ? link : `${fields.link}, ${link}`
}

/**
 * Adds the Link to the licence of the content (RFC 4946) if CONTENT_LICENSE is set and the answer has content. An answer without
 * `operation` is a page, which shows at least titles.
 */
export function addLicense(
  fields: Fields,
  { contentLicense }: Pick<Config, 'contentLicense'>,
  operation?: OperationName,
): void {
  const isLicensed = contentLicense !== undefined && (operation === undefined || 'licensed' in OPERATIONS[operation])
  if (isLicensed) addLink(fields, `<${contentLicense}>; rel="license"`)
}

/**
 * Problems of limits that are detected only after a request was charged. Its charges are then released. After another refusal,
 * such as STALE_REVISION, they stay.
 */
const RELEASED: ReadonlySet<ProblemCode> = new Set(['COOLDOWN', 'RATE_LIMITED', 'TOO_MANY_STREAMS'])

export type ServingDependencies = Identifying &
  Admitting & {
    charges: Charges
    logger: Logger
    store: Store
    entries: EntryCache
    limiter: Pick<Limiter, 'beforeWrite'>
    observer: Observer
    streams: Streams
    compression: Compression
    rates: Reads['rates']
    config: Pick<Config, 'sharedCacheSeconds' | 'contentLicense'>
    guideDigest: Reads['guideDigest']
    readiness: Reads['readiness']
    writing: Omit<WriteEnvironment, 'at'>
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

/** Runs a request that may run. Returns its answer; undefined if it has sent the answer. */
type Run = (request: Admitted, exchange: Exchange) => Awaitable<Answer | undefined>
/** Changes how an operation is served: `search` is the part of the query that it reads, and `run` runs in its place, after its checks. */
type Served = { search?: string; run?: Run }

/** Serves the operations of the contract: reads and streams run here, writes in the store. */
export class Serving {
  readonly #dependencies: ServingDependencies
  /** The digests of the keyed writes in progress, by the id of the key. */
  readonly #underWay = new Map<string, string>()
  readonly #workTurns = new WorkTurns()
  readonly #hinter: Hinter
  readonly #minSequence: MinSequence
  /** The key of the handles of feedback, once it was needed. */
  #handleKey: string | undefined
  /** The members that the contexts of all reads share. */
  readonly #shared: Omit<Reads, 'actor' | 'at' | 'flushObservations'>

  constructor(dependencies: ServingDependencies) {
    const { store, entries, rates, guideDigest, readiness, config, overload } = dependencies
    const { yieldToRequests, yieldIfOverBudget } = overload
    this.#dependencies = dependencies
    this.#hinter = new Hinter(store)
    this.#minSequence = new MinSequence(store)
    this.#shared = {
      reader: store.reader,
      entries,
      yieldToRequests,
      yieldIfOverBudget,
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

  /** Returns the context of the reads of a caller. */
  readsFor(caller: RemoteCaller): Reads {
    const { observer, overload, store, config } = this.#dependencies
    const isShared = caller.actor === null && config.sharedCacheSeconds > 0
    return {
      ...this.#shared,
      actor: caller.actor,
      at: caller.at,
      // Only the original of a mirror accepts feedback.
      handleOf:
        isShared || store.original !== undefined
          ? undefined
          : revision => {
              this.#handleKey ??= this.#dependencies.secrets().originKey
              return handleOf(this.#handleKey, revision, caller)
            },
      flushObservations: async observed => {
        if (observed !== undefined) observer.note(caller, observed)
        await observer.flush()
        await overload.yieldToRequests()
      },
    }
  }

  /** Charges a request outside the contract as a read, and returns the charge. Throws RATE_LIMITED. */
  async chargeRead(exchange: Exchange): Promise<Charge> {
    const caller = await identify(this.#dependencies, 'readDiscovery', exchange)
    return this.#dependencies.charges.charge('readDiscovery', caller, exchange)
  }

  /**
   * Answers a request in the order of the contract: identifies its caller, charges it, checks it, runs its operation, and sends the answer.
   * If the operation refuses it, the answer reports the remaining cooldown; if a limit refused it, its charges are released. A cached read
   * awaits no promise.
   */
  async serve(name: OperationName, exchange: Exchange, { search, run }: Served = {}): Promise<void> {
    const { charges, streams } = this.#dependencies
    const operation: Operation = OPERATIONS[name]
    const identifying = identify(this.#dependencies, name, exchange)
    const caller = identifying instanceof Promise ? await identifying : identifying
    const charging = charges.charge(name, caller, exchange)
    const charged = charging instanceof Promise ? await charging : charging
    const allowing = assertAllowed(this.#dependencies, name, caller, exchange)
    if (allowing !== undefined) await allowing
    const parts = checkParts(this.#dependencies, name, caller, exchange, search ?? exchange.search)
    if (exchange.headers['min-sequence'] !== undefined && takesMinSequence(operation))
      await this.#minSequence.reached(exchange.headers)
    if (exchange.method === 'POST') exchange.body = parseJson(await readBody(exchange))
    const request: Admitted = { name, caller, charged, ...parts }
    try {
      const running =
        run !== undefined
          ? run(request, exchange)
          : operation.kind === 'read'
            ? this.#read(request, exchange)
            : operation.kind === 'write'
              ? this.#write(request, exchange)
              : streams.open(request, exchange)
      const answer = running instanceof Promise ? await running : running
      const sending = answer === undefined ? undefined : this.#send(request, answer, exchange)
      if (sending instanceof Promise) await sending
    } catch (error) {
      if (error instanceof Problem) await this.#correctCharges(request, exchange, error)
      throw error
    }
  }

  /** Releases the charges of a request that a limit refused while its operation ran, and reports the cooldown in the answer. */
  async #correctCharges(request: Admitted, exchange: Exchange, { code, detail }: Problem): Promise<void> {
    const { charges } = this.#dependencies
    if (RELEASED.has(code)) await charges.release(request, exchange)
    const { cooldown }: Operation = OPERATIONS[request.name]
    if (cooldown === undefined || PROBLEMS[code].status >= 500) return
    await charges.addCooldownField(request, exchange, code === 'COOLDOWN' ? detail.retryAfter : undefined)
  }

  #read(request: Admitted, exchange: Exchange): Awaitable<Answer> {
    const { caller, params, query } = request
    const name = request.name as ReadName
    const operation: Operation = OPERATIONS[name]
    const body = exchange.method === 'POST' ? CHECKS[name].body(exchange.body) : undefined
    const read = { params, query, body }
    // Free operations, like /health, are not observed.
    const room = operation.cost === 'free' ? undefined : this.#dependencies.observer.room()
    return room === undefined && operation.chargedItems === undefined
      ? READS_BY_NAME[name](this.readsFor(caller), read)
      : this.#readLater(request, exchange, read, room)
  }

  /** Runs a read that waits until its observation has room, or is charged for each of its items. */
  async #readLater(request: Admitted, exchange: Exchange, read: CheckedRead, room: Promise<void> | undefined) {
    await room
    const { chargedItems }: Operation = OPERATIONS[request.name]
    if (chargedItems !== undefined)
      await this.#dependencies.charges.chargeItems(chargedItems, read.body, request, exchange)
    return READS_BY_NAME[request.name as ReadName](this.readsFor(request.caller), read)
  }

  /** Runs a write in the store, and adds hints to the answer of a publication. */
  async #write(admitted: Admitted, exchange: Exchange): Promise<Answer> {
    const { charges, limiter, rates, logger, secrets, store, writing } = this.#dependencies
    const { caller, params, idempotencyKey: key } = admitted
    const name = admitted.name as WriteName
    const { chargedItems, response, cooldown }: Operation = OPERATIONS[name]
    await this.#workTurns.waitToBegin()
    const body = CHECKS[name].body(exchange.body)
    if (chargedItems !== undefined) await charges.chargeItems(chargedItems, body, admitted, exchange)
    limiter.beforeWrite()
    const { handle } = body as Partial<FeedbackInput>
    // Undefined if the handle is refused.
    const judged = handle === undefined ? {} : { judged: revisionOfHandle(secrets().originKey, handle, caller) }
    const environment = { ...writing, at: caller.at, cooldown: charges.cooldownOf(exchange) * 1_000 }
    const { requestId, actor, tokenHash, origin } = caller
    const sender = { requestId, actor, tokenHash, origin }
    // In progress from here until the write has ended.
    const idempotency = key === undefined ? {} : { idempotency: this.#begin(key, name, params, body) }
    const request: CheckedWrite = { params, body, caller: sender, ...judged, ...idempotency }
    let answer: WriteAnswer
    try {
      answer =
        response === 'Published'
          ? await this.#hinter.publish(body as CreateInput, { isKeyed: key !== undefined }, found =>
              store.write(name, { ...request, ...found }, environment),
            )
          : await store.write(name, request, environment)
    } finally {
      if (key !== undefined) this.#underWay.delete(key.id)
    }
    await this.#workTurns.waitToBegin()
    // If all items were refused, no write has started the cooldown.
    const startsCooldown = cooldown !== undefined && chargedItems === undefined && !answer.replayed
    await charges.addCooldownField(admitted, exchange, startsCooldown ? rates.cooldownSeconds : undefined)
    if (answer.audit !== undefined) logger.info({ requestId, ...answer.audit }, 'audit')
    return answer
  }

  /**
   * Notes that the request of a key is in progress, and returns the key with the digest of the request. Throws REQUEST_IN_PROGRESS while the
   * same request runs, and IDEMPOTENCY_KEY_REUSED while another one with its key runs.
   */
  #begin(key: IdempotencyKey, name: WriteName, params: CheckedWrite['params'], body: unknown): Idempotency {
    const request = requestDigest(key, name, params, body)
    const other = this.#underWay.get(key.id)
    if (other === request) throw new Problem('REQUEST_IN_PROGRESS', { retryAfter: 1 })
    if (other !== undefined) throw new Problem('IDEMPOTENCY_KEY_REUSED')
    this.#underWay.set(key.id, request)
    return { ...key, request }
  }

  /** Sends the answer of an operation, and notes what it shows. */
  #send(request: Admitted, answer: Answer, exchange: Exchange): Awaitable<void> {
    const { observer, compression, config } = this.#dependencies
    const { name, params, caller } = request
    const operation: Operation = OPERATIONS[name]
    const { status, media } = operation
    Object.assign(exchange.fields, answerFields(answer, operation))
    if (operation.kind === 'read') {
      // Only the answers to reads may be cached.
      if (config.sharedCacheSeconds > 0)
        exchange.set(sharedCacheFields(answer, sharedCacheOf(config, exchange.request, name, params)))
      if (config.contentLicense !== undefined) addLicense(exchange.fields, config, name)
      if (answer.next !== undefined) addLink(exchange.fields, nextLink(exchange, answer.next))
      const match = exchange.headers['if-none-match']
      if (match !== undefined && answer.etag !== undefined && isUnchanged(match, answer.etag)) return exchange.send(304)
    }
    if (answer.observed !== undefined) observer.note(caller, answer.observed)
    for (const observed of answer.alsoObserved ?? []) observer.note(caller, observed)
    exchange.fields['content-type'] = media === undefined ? JSON_TYPE : `${media}; charset=utf-8`
    if (answer.markdown !== undefined) {
      exchange.fields.vary = 'Origin, Accept'
      if (wantsMarkdown(exchange.headers.accept ?? '')) return sendMarkdown(exchange, status, answer.markdown())
    }
    if (answer.pieces !== undefined) {
      if (exchange.method === 'HEAD') return exchange.send(status)
      return exchange.stream(status, Readable.from(answer.pieces, { objectMode: false }))
    }
    const bytes = answer.json === undefined ? bytesOf(answer.body, this.#shared.yieldIfOverBudget) : answer.json
    const isList = answer.etag === undefined && isCoded(operation, answer)
    if (bytes instanceof Promise) return this.#sendLater(exchange, status, bytes, isList)
    return isList ? sendCoded(compression, exchange, status, bytes) : exchange.send(status, bytes)
  }

  async #sendLater(exchange: Exchange, status: number, encoding: Promise<Buffer | string>, isList: boolean) {
    const bytes = await encoding
    await (isList ? sendCoded(this.#dependencies.compression, exchange, status, bytes) : exchange.send(status, bytes))
  }
}
