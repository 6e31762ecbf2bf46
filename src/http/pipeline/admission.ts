import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { OPERATIONS, type Operation, type OperationName, takesMinSequence } from '../../contract/operations.ts'
import { Problem } from '../../contract/problem.ts'
import type { Reader } from '../../database/database.ts'
import type { IdempotencyKey } from '../../domain/idempotency.ts'
import type { Charge, Verdict } from '../../domain/rate-limit.ts'
import type { Limiter } from '../../operations/limiter.ts'
import { cooldownWait } from '../../operations/writing.ts'
import type { Secrets } from '../../secrets.ts'
import type { OriginKeys } from '../../store/origin.ts'
import { addressOf, targetOf } from '../../web/target.ts'
import { rateLimitFields, withCooldown } from '../limits/rate-limit-fields.ts'
import { type ActorClaim, assertActor, claimOf, createAdminCheck } from './authenticate.ts'
import { assertJsonBody } from './body.ts'
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
  charged: Verdict | undefined
  /** The charges for further items of its body. */
  more?: Verdict[]
  params: Record<string, string>
  query: Record<string, string | number>
}

type Parts = {
  config: Config
  reader: Reader
  limiter: Limiter
  minSequence: MinSequence
  origins: Origins
  secrets: () => Secrets
  now: () => number
  /** The original server, if this server is a copy. Only the original accepts writes and knows tokens. */
  original?: string | undefined
  /** The charges for a request before it was routed. */
  charged: WeakMap<IncomingMessage, Verdict>
}

const numberOf = (claim: ActorClaim): number | null => (claim.kind === 'actor' ? claim.number : null)
const NO_CLAIM = { kind: 'none' } as const
const NOWHERE: OriginKeys = { id: '', day: '', networkKey: '' }

/**
 * Returns the function that admits a request to its operation or throws the problem, in the order of the contract:
 * limit 429, token 401, path, query and Idempotency-Key 400, type 415. A read with a Min-Sequence is admitted once the store has that
 * sequence. `search` is the part of the query for the operation.
 */
export function createAdmission(parts: Parts) {
  const { reader, minSequence, secrets } = parts
  const idempotency = createIdempotency(reader, () => secrets().originKey)
  const identify = createIdentification(parts, idempotency)
  return async (
    name: OperationName,
    request: FastifyRequest,
    reply: FastifyReply,
    search = targetOf(request.raw.url ?? '').search,
  ): Promise<Admitted> => {
    const identified = await identify(name, request, reply)
    const params = CHECKS[name].params(request.params as Record<string, string>)
    const query = CHECKS[name].query(search)
    const idempotencyKey = idempotency.keyFor(OPERATIONS[name], request.raw, identified)
    if ('body' in OPERATIONS[name]) assertJsonBody(request.headers)
    if (takesMinSequence(OPERATIONS[name])) await minSequence.reached(request.headers)
    return { ...identified, params, query, idempotencyKey }
  }
}

/** Returns the function that charges a request and finds its origin and its actor. A mirror refuses writes there. */
function createIdentification(parts: Parts, idempotency: ReturnType<typeof createIdempotency>) {
  const { reader, origins, secrets, now, original } = parts
  const admin = createAdminCheck(() => secrets().adminDigest)
  const charge = createCharge(parts)
  return async (
    name: OperationName,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Omit<Admitted, 'params' | 'query' | 'idempotencyKey'>> => {
    const operation: Operation = OPERATIONS[name]
    const at = now()
    if (operation.cost === 'free') return { at, origin: NOWHERE, actor: null, tokenHash: undefined, charged: undefined }
    const origin = await origins.originOf(request, at)
    const writes = operation.cost === 'write'
    if (operation.access === 'admin') {
      const credential = request.headers.authorization
      // A wrong admin token is charged as a write, so that guessing is slow.
      const charged = await charge(name, writes || !admin.isAdmin(credential), { origin, actor: null, at }, reply)
      admin.assertAdmin(credential)
      return { at, origin, actor: null, tokenHash: undefined, charged }
    }
    const claim = original === undefined ? await claimOf(reader, request.headers['x-actor-token']) : NO_CLAIM
    const charged = await charge(name, writes, { origin, actor: numberOf(claim), at }, reply)
    if (original !== undefined && writes) throw writeAtOriginal(original, request)
    const tokenHash = claim.kind === 'none' ? undefined : claim.tokenHash
    if (
      claim.kind === 'bad' &&
      (await idempotency.replaced(operation, request.raw, { origin, actor: null, tokenHash }))
    ) {
      return { at, origin, actor: null, tokenHash, charged }
    }
    return { at, origin, actor: assertActor(claim, operation.access === 'actor'), tokenHash, charged }
  }
}

/**
 * The answer of a mirror to a write: the same request belongs to the server that it copies. That address was named when the mirror was made;
 * if it is a mirror too, it names its own original, so that each redirect is one step nearer to the writer.
 */
function writeAtOriginal(original: string, { raw: { url = '' } }: FastifyRequest): Problem {
  return new Problem('WRITE_AT_ORIGINAL', { original, location: `${original}${addressOf(url)}` })
}

/** Returns the function that charges a request outside the contract as a read: to its origin, and to its token if it has one. */
export function createReadCharge(parts: Parts) {
  const { reader, origins, now, original } = parts
  const charge = createCharge(parts)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const at = now()
    const origin = await origins.originOf(request, at)
    const claim = original === undefined ? await claimOf(reader, request.headers['x-actor-token']) : NO_CLAIM
    await charge('readDiscovery', false, { origin, actor: numberOf(claim), at }, reply)
  }
}

/** Returns the function that charges a request or throws RATE_LIMITED. In both cases the answer has the state of the limits. */
function createCharge({ config, reader, limiter, charged }: Pick<Parts, 'config' | 'reader' | 'limiter' | 'charged'>) {
  const cooldown = config.cooldownSeconds * 1_000
  return async (
    name: OperationName,
    writing: boolean,
    { origin, actor, at }: Pick<Admitted, 'origin' | 'actor' | 'at'>,
    reply: FastifyReply,
  ): Promise<Verdict> => {
    const verdict =
      charged.get(reply.request.raw) ?? (await limiter.admit(chargesOf(config, writing, origin, actor), at))
    reply.headers(rateLimitFields(verdict.standings))
    if (verdict.admitted) return verdict
    // The reported wait must suffice: include a cooldown that lasts longer than the limit.
    const cooling = await cooldownWait(reader, name, { actor, origin }, { cooldown, at })
    const fields = rateLimitFields(verdict.standings)
    reply.headers(withCooldown(fields, cooling, config.cooldownSeconds))
    throw new Problem('RATE_LIMITED', { retryAfter: Math.max(verdict.retryAfter, cooling) })
  }
}

/** The limits of a request: those of its origin, and those of its token. */
export function chargesOf(
  config: Pick<Config, 'readPerMinute' | 'writePerMinute'>,
  writing: boolean,
  origin: OriginKeys,
  actor: number | null,
): Charge[] {
  const kind = writing ? 'write' : 'read'
  const quota = writing ? config.writePerMinute : config.readPerMinute
  const charges = [{ policy: `${kind}-origin`, key: `${kind}-origin:${origin.networkKey}`, quota }]
  if (actor !== null) charges.push({ policy: `${kind}-token`, key: `${kind}-token:${actor}`, quota })
  return charges
}
