import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { CreateInput } from '../contract/inputs.ts'
import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem, type ProblemCode } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { Entry } from '../contract/resources.ts'
import { fenceOf } from '../guide/fence.ts'
import type { EntryCache } from '../memory/entries/cache.ts'
import { hintsOf } from '../memory/entries/create.ts'
import { Hinter } from '../memory/entries/hints.ts'
import { type IdempotencyKey, requestDigest } from '../memory/idempotency/rules.ts'
import type {
  Answer,
  CheckedWrite,
  ReadName,
  Reads,
  RemoteCaller,
  StreamName,
  WriteAnswer,
  WriteName,
} from '../memory/operation.ts'
import { plain } from '../memory/plain.ts'
import { runRead } from '../memory/run.ts'
import type { Limiter, Store, WriteEnvironment } from '../memory/store.ts'
import { coolsDown } from '../memory/write.ts'
import { acceptedType } from '../web/accepted-type.ts'
import { JSON_TYPE, MARKDOWN_TYPE } from '../web/page.ts'
import type { Admission, Admitted } from './admission.ts'
import { CHECKS, readJson } from './check.ts'
import { answerFields, bytesOf, type Compression, isCoded, isUnchanged, nextLink, sendCoded } from './compression.ts'
import type { Streams } from './events.ts'
import { type Exchange, type Fields, UNCHARGED } from './exchange.ts'
import type { Charges } from './limits.ts'
import type { Observer } from './observer.ts'
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

/** Problems of limits that are detected only after a request was charged. Its charges are then released. */
export const RELEASED: ReadonlySet<ProblemCode> = new Set(['COOLDOWN', 'RATE_LIMITED', 'TOO_MANY_STREAMS'])

export type ServingDependencies = {
  admission: Admission
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
  environment: (at?: number) => WriteEnvironment
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

/** Serves the operations of the contract: reads and streams run here, writes in the store. */
export class Serving {
  readonly #dependencies: ServingDependencies
  /** The digests of the keyed writes in progress, by the id of the key. */
  readonly #underWay = new Map<string, string>()
  readonly #workTurns = new WorkTurns()
  readonly #hinter: Hinter
  /** The members that the contexts of all reads share. */
  readonly #shared: Omit<Reads, 'actor' | 'at' | 'flushObservations'>

  constructor(dependencies: ServingDependencies) {
    const { store, entries, rates, guideDigest, readiness, config, overload } = dependencies
    const yieldToRequests = () => overload.yieldToRequests()
    this.#dependencies = dependencies
    this.#hinter = new Hinter(store)
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

  /** Returns the context of the reads of a caller. */
  readsFor(caller: RemoteCaller): Reads {
    const { observer, overload } = this.#dependencies
    return {
      ...this.#shared,
      actor: caller.actor,
      at: caller.at,
      flushObservations: async observed => {
        if (observed !== undefined) observer.note(caller, observed)
        await observer.flush()
        await overload.yieldToRequests()
      },
    }
  }

  /**
   * Answers a request for an operation: identifies its caller, charges and checks it, runs it and sends the answer. If the operation refuses
   * it, the answer has the running cooldown, and a limit releases its charges.
   */
  async serve(name: OperationName, exchange: Exchange): Promise<void> {
    const { admission, streams } = this.#dependencies
    const admitted = await admission.admit(name, exchange)
    if (exchange.method === 'POST') exchange.body = await readJson(exchange)
    try {
      const { kind } = OPERATIONS[name]
      if (kind === 'read') await this.#read(name as ReadName, admitted, exchange)
      else if (kind === 'write') await this.#write(name as WriteName, admitted, exchange)
      else await streams.open(name as StreamName, admitted, exchange)
    } catch (error) {
      if (error instanceof Problem) await this.#settle(name, admitted, exchange, error)
      throw error
    }
  }

  /** Corrects the charges of a request that its operation refused. */
  async #settle(name: OperationName, admitted: Admitted, exchange: Exchange, { code, detail }: Problem): Promise<void> {
    const { charges } = this.#dependencies
    if (RELEASED.has(code)) await charges.release(admitted, exchange)
    if (!coolsDown(name) || PROBLEMS[code].status >= 500) return
    await charges.addCooldown(name, admitted, exchange, code === 'COOLDOWN' ? detail.retryAfter : undefined)
  }

  async #read(name: ReadName, admitted: Admitted, exchange: Exchange): Promise<void> {
    const { charges, observer, config } = this.#dependencies
    const { caller, params, query, charged } = admitted
    const operation: Operation = OPERATIONS[name]
    if (operation.body !== undefined && exchange.body === undefined) throw new Problem('MALFORMED_JSON')
    const body = CHECKS[name].body(exchange.body)
    // Operations without a charge, like /health, are not observed either.
    const room = charged === undefined ? undefined : observer.room()
    if (room !== undefined) await room
    if (operation.chargedItems !== undefined) await charges.chargeItems(operation, body, admitted, exchange)
    const reading = runRead(name, this.readsFor(caller), { params, query, body })
    const answer = reading instanceof Promise ? await reading : reading
    const shared = sharedCacheOf(config, exchange.request, name, params)
    const known = Object.assign(answerFields(answer, operation), sharedCacheFields(answer, shared))
    const fields = withLicense(known, config, name)
    if (answer.etag !== undefined && isUnchanged(exchange.headers['if-none-match'], answer.etag)) {
      return exchange.set(fields).send(304)
    }
    if (answer.observed !== undefined) observer.note(caller, answer.observed)
    for (const observed of answer.alsoObserved ?? []) observer.note(caller, observed)
    exchange.set(answer.next === undefined ? fields : withLink(fields, nextLink(exchange.url, answer.next)))
    await this.#send(exchange, operation, answer)
  }

  async #write(name: WriteName, admitted: Admitted, exchange: Exchange): Promise<void> {
    const { charges, limiter, rates, logger } = this.#dependencies
    const { caller, params, charged, idempotencyKey } = admitted
    // A request without a body was not parsed.
    if (exchange.body === undefined) throw new Problem('MALFORMED_JSON')
    await this.#workTurns.waitToBegin()
    const body = CHECKS[name].body(exchange.body)
    await charges.chargeItems(OPERATIONS[name], body, admitted, exchange)
    limiter.beforeWrite()
    const { requestId, actor, tokenHash, origin } = caller
    const request = { params, body, caller: { requestId, actor, tokenHash, origin } }
    const environment = this.#dependencies.environment(caller.at)
    if (charged === UNCHARGED) environment.cooldown = 0
    const answer = await this.#runWithHints(name, request, idempotencyKey, environment)
    await this.#workTurns.waitToBegin()
    // If all items were refused, no write has started the cooldown.
    const single = !('chargedItems' in OPERATIONS[name])
    const began = coolsDown(name) && single && !answer.replayed ? rates.cooldownSeconds : undefined
    await charges.addCooldown(name, admitted, exchange, began)
    if (answer.audit !== undefined) logger.info({ requestId, ...answer.audit }, 'audit')
    if (answer.sequence !== undefined) exchange.fields.sequence = String(answer.sequence)
    if (answer.replayed) exchange.fields['idempotency-replayed'] = 'true'
    if (answer.location !== undefined) exchange.fields.location = answer.location
    exchange.set(answerFields(answer, OPERATIONS[name]))
    await this.#send(exchange, OPERATIONS[name], answer)
  }

  /** Runs a write, and adds hints to its answer. A retry gets the first answer, so a write with a key stores the hints with it. */
  async #runWithHints(
    name: WriteName,
    request: CheckedWrite,
    key: IdempotencyKey | undefined,
    environment: WriteEnvironment,
  ): Promise<WriteAnswer> {
    if (OPERATIONS[name].response !== 'Published') return this.#run(name, request, key, environment)
    const similar = this.#hinter.similarTo(request.body as CreateInput)
    if (key !== undefined) return this.#run(name, { ...request, similar: await similar }, key, environment)
    const answer = await this.#run(name, request, key, environment)
    return { ...answer, body: { ...answer.body, hints: hintsOf(answer.body as Entry, await similar) } }
  }

  /**
   * Runs a write. Throws REQUEST_IN_PROGRESS while the same request runs, and IDEMPOTENCY_KEY_REUSED while another one with its key runs.
   */
  async #run(
    name: WriteName,
    request: CheckedWrite,
    key: IdempotencyKey | undefined,
    environment: WriteEnvironment,
  ): Promise<WriteAnswer> {
    const { store } = this.#dependencies
    if (key === undefined) return store.write(name, request, environment)
    const digest = requestDigest(key, name, request.params, request.body)
    const other = this.#underWay.get(key.id)
    if (other === digest) throw new Problem('REQUEST_IN_PROGRESS', { retryAfter: 1 })
    if (other !== undefined) throw new Problem('IDEMPOTENCY_KEY_REUSED')
    this.#underWay.set(key.id, digest)
    try {
      return await store.write(name, { ...request, idempotency: { ...key, request: digest } }, environment)
    } finally {
      this.#underWay.delete(key.id)
    }
  }

  async #send(exchange: Exchange, operation: Operation, answer: Answer): Promise<void> {
    const { status } = operation
    exchange.fields['content-type'] = typeOf(operation)
    if (answer.markdown !== undefined) {
      exchange.fields.vary = 'Origin, Accept'
      if (wantsMarkdown(exchange.headers.accept ?? '')) return sendMarkdown(exchange, status, answer.markdown())
    }
    if (answer.pieces !== undefined) {
      if (exchange.method === 'HEAD') return exchange.send(status)
      return exchange.stream(status, Readable.from(answer.pieces, { objectMode: false }))
    }
    const encoding = bytesOf(answer, this.#shared)
    const bytes = encoding instanceof Promise ? await encoding : encoding
    if (isCoded(operation, answer)) return sendCoded(this.#dependencies.compression, exchange, status, bytes)
    return exchange.send(status, bytes)
  }
}
