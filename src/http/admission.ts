import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'
import { LIMITS, MIN_SEQUENCE, RATE_WINDOW_SECONDS } from '../contract/limits.ts'
import {
  issuesToken,
  OPERATIONS,
  type Operation,
  type OperationName,
  takesMinSequence,
} from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { Awaitable, Reader } from '../engine/database.ts'
import { readSettled } from '../memory/activity/rows.ts'
import type { OriginKeys } from '../memory/actors/rows.ts'
import { andThen } from '../memory/encoded-json.ts'
import { findStoredAnswer } from '../memory/idempotency/rows.ts'
import { type Idempotency, type IdempotencyKey, idempotencyKeyOf } from '../memory/idempotency/rules.ts'
import type { Charge, Decision, LimitState } from '../memory/limits/rules.ts'
import type { Limiter, Store } from '../memory/store.ts'
import { cooldownWait } from '../memory/write.ts'
import type { Secrets } from '../secrets.ts'
import { addressOf, targetOf } from '../web/page.ts'
import { assertJsonBody, CHECKS, parseJson, readBody } from './check.ts'
import { type Exchange, UNCHARGED } from './exchange.ts'
import { type ActorClaim, assertActor, assertActorIfSent, claimOf, createAdminCheck, type Origins } from './identify.ts'

type Fields = { 'ratelimit-policy': string; ratelimit: string }

/** The RateLimit-Policy and RateLimit fields: an item per limit. */
export function rateLimitFields(limits: readonly Omit<LimitState, 'bin'>[]): Fields {
  return {
    'ratelimit-policy': limits.map(({ policy, quota }) => `"${policy}";q=${quota};w=${RATE_WINDOW_SECONDS}`).join(', '),
    ratelimit: limits.map(({ policy, remaining, reset }) => `"${policy}";r=${remaining};t=${reset}`).join(', '),
  }
}

/** Adds an item for the cooldown to the fields: the next write of this kind must wait this many seconds. */
export function withCooldown(fields: Partial<Fields>, seconds: number, cooldownSeconds: number): Partial<Fields> {
  if (seconds <= 0) return fields
  const items = (own: string | undefined, item: string): string => [own, item].filter(Boolean).join(', ')
  return {
    'ratelimit-policy': items(fields['ratelimit-policy'], `"cooldown";q=1;w=${cooldownSeconds}`),
    ratelimit: items(fields.ratelimit, `"cooldown";r=0;t=${seconds}`),
  }
}

/** The caller that sends a key. Two callers may choose the same key. */
export type KeyOwner = { origin: OriginKeys; actor: number | null; tokenHash: string | undefined }

type Sent = Pick<IncomingMessage, 'headers'>

/** Recognises retries; `secret` is known to the nodes only. */
export function createIdempotency(reader: Reader, secret: () => string) {
  return {
    /** The key that recognises a retry of a request; undefined without a key, and for reads. Throws INVALID_IDEMPOTENCY_KEY. */
    keyFor(operation: Operation, request: Sent, owner: KeyOwner): IdempotencyKey | undefined {
      const key = idempotencyKeyFor(operation, request, owner, secret)
      if (key === 'invalid') throw new Problem('INVALID_IDEMPOTENCY_KEY')
      return key
    },
    /** Whether a token became invalid by the request that this one retries. */
    async replaced(operation: Operation, request: Sent, owner: KeyOwner): Promise<boolean> {
      if (owner.tokenHash === undefined || operation.access !== 'actor' || !issuesToken(operation)) return false
      const key = idempotencyKeyFor(operation, request, owner, secret)
      return typeof key === 'object' && (await findStoredAnswer(reader, key.id)) !== undefined
    },
  }
}

function idempotencyKeyFor(
  operation: Operation,
  request: Sent,
  owner: KeyOwner,
  secret: () => string,
): IdempotencyKey | 'invalid' | undefined {
  const field = request.headers['idempotency-key']
  if (operation.kind !== 'write' || field === undefined) return undefined
  const key = typeof field === 'string' ? keyIn(field) : undefined
  const least = issuesToken(operation) ? LIMITS.secretKeyCharacters : 1
  if (key === undefined || key.length < least || key.length > LIMITS.idempotencyKeyCharacters) {
    return 'invalid'
  }
  return idempotencyKeyOf(secret(), callerOf(operation, owner), key)
}

/**
 * The key in a field: the bare text, or a structured-field string (RFC 9651) with its escapes resolved. Undefined for two fields, which
 * Node joins with a comma and a space.
 */
function keyIn(field: string): string | undefined {
  if (/^[!#-~][!-~]*$/.test(field)) return field
  const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/.exec(field)?.[1]
  return quoted?.replaceAll(/\\(.)/g, '$1')
}

/**
 * The caller of a key. A retry of a request for a new token has the old token, which is invalid by then, so the hash of that token
 * identifies the caller. Without a token, the network identifies the caller.
 */
function callerOf(operation: Operation, { origin, actor, tokenHash }: KeyOwner): string {
  if (operation.access === 'admin') return 'admin'
  if (operation.access === 'anyone') return `network ${origin.networkKey}`
  return issuesToken(operation) ? `token ${tokenHash}` : `actor ${actor}`
}

/** Tracks the requests with a key that are in progress in this process. */
export function createUnderWay() {
  const requests = new Map<string, string>()
  return {
    /** Runs `work`. Throws REQUEST_IN_PROGRESS while the same request runs, IDEMPOTENCY_KEY_REUSED while another with its key runs. */
    async alone<T>(idempotency: Idempotency, work: () => Promise<T>): Promise<T> {
      const other = requests.get(idempotency.id)
      if (other === idempotency.request) throw new Problem('REQUEST_IN_PROGRESS', { retryAfter: 1 })
      if (other !== undefined) throw new Problem('IDEMPOTENCY_KEY_REUSED')
      requests.set(idempotency.id, idempotency.request)
      try {
        return await work()
      } finally {
        requests.delete(idempotency.id)
      }
    },
  }
}

type Waiter = { sequence: number; resolve(): void; reject(error: unknown): void }
type Bounds = { seconds: number; waiters: number }

const DIGITS = new RegExp(`^\\d{1,${LIMITS.cursorDigits}}$`)

/**
 * Delays reads with a Min-Sequence until the store has that sequence, so that a client reads its own writes at any node or mirror. The
 * sequence of the store is read for all waiting requests together.
 */
export class MinSequence {
  readonly #store: Pick<Store, 'reader' | 'onCommit'>
  readonly #bounds: Bounds
  readonly #waiters = new Set<Waiter>()
  /** The highest sequence that was read. Sequences of a store only rise. */
  #known = 0
  #isReading = false
  /** Whether there may be a newer sequence than the last one that was read. */
  #isDue = false
  #endListening = (): void => {}

  constructor(store: Pick<Store, 'reader' | 'onCommit'>, bounds: Bounds = MIN_SEQUENCE) {
    this.#store = store
    this.#bounds = bounds
  }

  /**
   * Resolves once the store has the sequence in the field. Throws INVALID_MIN_SEQUENCE. Throws NOT_READY after `MIN_SEQUENCE.seconds`, and
   * at once if `MIN_SEQUENCE.waiters` requests wait already.
   */
  reached({ 'min-sequence': field }: IncomingHttpHeaders): Awaitable<void> {
    if (field === undefined) return
    if (typeof field !== 'string' || !DIGITS.test(field)) throw new Problem('INVALID_MIN_SEQUENCE')
    return Number(field) > this.#known ? this.#wait(Number(field)) : undefined
  }

  async #wait(sequence: number): Promise<void> {
    if (this.#waiters.size >= this.#bounds.waiters) throw notReady()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { sequence, resolve, reject }
    const timer = setTimeout(() => reject(notReady()), this.#bounds.seconds * 1_000)
    if (this.#waiters.size === 0) this.#endListening = this.#store.onCommit(() => void this.#read())
    this.#waiters.add(waiter)
    void this.#read()
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiters.delete(waiter)
      if (this.#waiters.size === 0) this.#endListening()
    }
  }

  /** Reads the sequence of the store, and again if there was a commit during the read. */
  async #read(): Promise<void> {
    this.#isDue = true
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isDue && this.#waiters.size > 0) {
        this.#isDue = false
        this.#known = Math.max(this.#known, await readSettled(this.#store.reader))
        for (const waiter of this.#waiters) if (waiter.sequence <= this.#known) waiter.resolve()
      }
    } catch (error) {
      for (const waiter of this.#waiters) waiter.reject(error)
    } finally {
      this.#isReading = false
    }
  }
}

const notReady = (): Problem =>
  new Problem('NOT_READY', { retryAfter: 1, reason: 'the store has not reached Min-Sequence' })

/** The properties of an admitted request that do not need its body. */
export type Admitted = {
  at: number
  origin: OriginKeys
  actor: number | null
  /** The hash of the sent token. */
  tokenHash: string | undefined
  /** Identifies a retry; undefined without a key. */
  idempotencyKey: IdempotencyKey | undefined
  /** The state of its limits; undefined if it is not charged. */
  charged: Decision | undefined
  /** The charges for further items of its body. */
  more?: Decision[]
  params: Record<string, string>
  query: Record<string, string | number>
}

type Dependencies = {
  config: Config
  reader: Reader
  limiter: Limiter
  minSequence: MinSequence
  origins: Origins
  secrets: () => Secrets
  now: () => number
  /** The original server, if this server is a copy. Only the original accepts writes and knows tokens. */
  original?: string | undefined
}

const numberOf = (claim: ActorClaim): number | null => (claim.kind === 'actor' ? claim.number : null)
const NO_CLAIM = { kind: 'none' } as const
const NO_ORIGIN: OriginKeys = { id: '', day: '', networkKey: '', voice: '' }

/**
 * Returns the function that admits a request to its operation or throws the problem, in the order of the contract:
 * limit 429, token 401, path, query and Idempotency-Key 400, type 415. A read with a Min-Sequence is admitted once the store has that
 * sequence. `search` is the part of the query for the operation.
 */
export function createAdmission(dependencies: Dependencies) {
  const { reader, minSequence, secrets } = dependencies
  const idempotency = createIdempotency(reader, () => secrets().originKey)
  const identify = createIdentification(dependencies, idempotency)
  const check = (
    name: OperationName,
    exchange: Exchange,
    search: string,
    identified: Identified,
  ): Awaitable<Admitted> => {
    const params = CHECKS[name].params(exchange.params)
    const query = CHECKS[name].query(search)
    const idempotencyKey = idempotency.keyFor(OPERATIONS[name], exchange, identified)
    if ('body' in OPERATIONS[name]) assertJsonBody(exchange.headers)
    const admitted = { ...identified, params, query, idempotencyKey }
    if (!takesMinSequence(OPERATIONS[name])) return admitted
    return andThen(minSequence.reached(exchange.headers), () => admitted)
  }
  return (name: OperationName, exchange: Exchange, search = targetOf(exchange.url).search): Awaitable<Admitted> =>
    andThen(identify(name, exchange), identified => check(name, exchange, search, identified))
}

type Identified = Omit<Admitted, 'params' | 'query' | 'idempotencyKey'>

/** Returns the function that charges a request and finds its origin and actor. On a mirror, writes throw WRITE_AT_ORIGINAL. */
function createIdentification(dependencies: Dependencies, idempotency: ReturnType<typeof createIdempotency>) {
  const { reader, origins, secrets, now, original } = dependencies
  const admin = createAdminCheck(() => secrets().adminDigest)
  const charge = createCharge(dependencies)
  const asAdmin = (name: OperationName, exchange: Exchange, { at, origin }: Arrived): Awaitable<Identified> => {
    const credential = exchange.headers.authorization
    // A wrong admin token is charged as a write, so that guessing is slow.
    const kind = OPERATIONS[name].cost === 'write' || !admin.isAdmin(credential) ? 'write' : 'read'
    return andThen(charge(name, kind, { origin, actor: null, at }, exchange), charged => {
      admin.assertAdmin(credential)
      return { at, origin, actor: null, tokenHash: undefined, charged }
    })
  }
  const asActor = (name: OperationName, exchange: Exchange, { at, origin }: Arrived, claim: ActorClaim) => {
    const operation: Operation = OPERATIONS[name]
    const kind = operation.cost === 'write' ? 'write' : 'read'
    const paid = kind === 'read' ? exchange.paid : undefined
    return andThen(paid ?? charge(name, kind, { origin, actor: numberOf(claim), at }, exchange), charged => {
      if (original !== undefined && kind === 'write') throw writeAtOriginal(original, exchange)
      const tokenHash = claim.kind === 'none' ? undefined : claim.tokenHash
      const assertKnown = (): Identified => {
        const actor = operation.access === 'actor' ? assertActor(claim) : assertActorIfSent(claim)
        return { at, origin, actor, tokenHash, charged }
      }
      if (claim.kind !== 'bad') return assertKnown()
      const owner = { origin, actor: null, tokenHash }
      return idempotency
        .replaced(operation, exchange, owner)
        .then(replaced => (replaced ? { ...owner, at, charged } : assertKnown()))
    })
  }
  return (name: OperationName, exchange: Exchange): Awaitable<Identified> => {
    const { cost, access }: Operation = OPERATIONS[name]
    const at = now()
    if (cost === 'free') return { at, origin: NO_ORIGIN, actor: null, tokenHash: undefined, charged: undefined }
    return andThen(origins.originOf(exchange.request, at), origin => {
      if (access === 'admin') return asAdmin(name, exchange, { at, origin })
      const claim = original === undefined ? claimOf(reader, exchange.headers['x-actor-token']) : NO_CLAIM
      return andThen(claim, known => asActor(name, exchange, { at, origin }, known))
    })
  }
}

type Arrived = Pick<Admitted, 'at' | 'origin'>

/**
 * The answer of a mirror to a write: a redirect to the same address at the server that it copies. If that server is a mirror too, it
 * redirects to its own original, so each redirect is one step closer to the server that accepts the write.
 */
function writeAtOriginal(original: string, { url }: Exchange): Problem {
  return new Problem('WRITE_AT_ORIGINAL', { original, location: `${original}${addressOf(url)}` })
}

/**
 * Returns the function that charges a request outside the contract as a read: to its origin, and to its token if it has one. The function
 * returns the charge.
 */
export function createReadCharge(dependencies: Dependencies) {
  const { reader, origins, now, original } = dependencies
  const charge = createCharge(dependencies)
  return async (exchange: Exchange): Promise<Decision> => {
    const at = now()
    const origin = await origins.originOf(exchange.request, at)
    const claim = original === undefined ? await claimOf(reader, exchange.headers['x-actor-token']) : NO_CLAIM
    return charge('readDiscovery', 'read', { origin, actor: numberOf(claim), at }, exchange)
  }
}

/** Returns the function that charges a request or throws RATE_LIMITED. In both cases the answer has the state of the limits. */
function createCharge({ config, reader, limiter }: Pick<Dependencies, 'config' | 'reader' | 'limiter'>) {
  const cooldown = config.cooldownSeconds * 1_000
  const refuse = async (
    name: OperationName,
    { origin, actor, at }: Charged,
    decision: Decision,
    exchange: Exchange,
  ) => {
    // The reported wait must suffice: include a cooldown that lasts longer than the limit.
    const cooling = await cooldownWait(reader, name, { actor, origin }, { cooldown, at })
    const fields = rateLimitFields(decision.limits)
    exchange.set(withCooldown(fields, cooling, config.cooldownSeconds))
    throw new Problem('RATE_LIMITED', { retryAfter: Math.max(decision.retryAfter, cooling) })
  }
  /** The charges of anonymous reads, made once for each remembered origin. */
  const ofReads = new WeakMap<OriginKeys, Charge[]>()
  const chargesFor = (kind: ChargeKind, to: Charged): Charge[] => {
    const isAnonymousRead = kind === 'read' && to.actor === null
    const made = (isAnonymousRead ? ofReads.get(to.origin) : undefined) ?? chargesOf(config, kind, to)
    if (isAnonymousRead) ofReads.set(to.origin, made)
    return made
  }
  return (name: OperationName, kind: ChargeKind, to: Charged, exchange: Exchange): Awaitable<Decision> => {
    if (exchange.paid === UNCHARGED) return UNCHARGED
    return andThen(limiter.admit(chargesFor(kind, to), to.at), decision => {
      exchange.set(rateLimitFields(decision.limits))
      return decision.admitted ? decision : refuse(name, to, decision, exchange)
    })
  }
}

/** Reads and writes have separate limits. */
type ChargeKind = 'read' | 'write'
type Charged = Pick<Admitted, 'origin' | 'actor' | 'at'>

/** The limit of the /48 of an IPv6 network, as a multiple of the limit of each /64: one customer has a /48 with 65,536 of them. */
const WIDER_TIMES = 16

/** The limits of a request: those of its origin, of the /48 around an IPv6 origin, and of its token. */
function chargesOf(
  config: Pick<Config, 'readPerMinute' | 'writePerMinute'>,
  kind: ChargeKind,
  { origin, actor }: Pick<Charged, 'origin' | 'actor'>,
): Charge[] {
  const quota = kind === 'write' ? config.writePerMinute : config.readPerMinute
  const charges = [{ policy: `${kind}-origin`, key: `${kind}-origin:${origin.networkKey}`, quota }]
  if (origin.widerKey !== undefined) {
    charges.push({ policy: `${kind}-network`, key: `${kind}-network:${origin.widerKey}`, quota: quota * WIDER_TIMES })
  }
  if (actor !== null) charges.push({ policy: `${kind}-token`, key: `${kind}-token:${actor}`, quota })
  return charges
}

/** Answers requests that are admitted before their body is read. */
export const admitted =
  (
    admit: (exchange: Exchange) => Awaitable<Admitted>,
    answer: (admitted: Admitted, exchange: Exchange) => Awaitable<void>,
  ) =>
  (exchange: Exchange): Awaitable<void> =>
    andThen(admit(exchange), known => {
      if (exchange.method !== 'POST') return answer(known, exchange)
      return andThen(readBody(exchange), bytes => {
        exchange.body = bytes === undefined ? undefined : parseJson(bytes)
        return answer(known, exchange)
      })
    })
