import type { Config } from '../../config.ts'
import { OPERATIONS, type Operation, type OperationName, takesMinSequence } from '../../contract/operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { Awaitable, Reader } from '../../database/database.ts'
import type { IdempotencyKey } from '../../domain/idempotency.ts'
import type { Charge, Decision } from '../../domain/rate-limit.ts'
import { andThen } from '../../operations/awaitable.ts'
import type { Limiter } from '../../operations/limiter.ts'
import { cooldownWait } from '../../operations/writing.ts'
import type { Secrets } from '../../secrets.ts'
import type { OriginKeys } from '../../store/origin.ts'
import { addressOf, targetOf } from '../../web/target.ts'
import type { Exchange } from '../exchange.ts'
import { rateLimitFields, withCooldown } from '../limits/rate-limit-fields.ts'
import { type ActorClaim, assertActor, assertActorIfSent, claimOf, createAdminCheck } from './authenticate.ts'
import { assertJsonBody, parseJson, readBody } from './body.ts'
import { createIdempotency } from './idempotency.ts'
import type { MinSequence } from './min-sequence.ts'
import type { Origins } from './origin.ts'
import { CHECKS } from './validate.ts'

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
  return (name: OperationName, kind: ChargeKind, to: Charged, exchange: Exchange): Awaitable<Decision> =>
    andThen(limiter.admit(chargesFor(kind, to), to.at), decision => {
      exchange.set(rateLimitFields(decision.limits))
      return decision.admitted ? decision : refuse(name, to, decision, exchange)
    })
}

/** Reads and writes have separate limits. */
type ChargeKind = 'read' | 'write'
type Charged = Pick<Admitted, 'origin' | 'actor' | 'at'>

/** The limits of a request: those of its origin, and those of its token. */
function chargesOf(
  config: Pick<Config, 'readPerMinute' | 'writePerMinute'>,
  kind: ChargeKind,
  { origin, actor }: Pick<Charged, 'origin' | 'actor'>,
): Charge[] {
  const quota = kind === 'write' ? config.writePerMinute : config.readPerMinute
  const charges = [{ policy: `${kind}-origin`, key: `${kind}-origin:${origin.networkKey}`, quota }]
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
