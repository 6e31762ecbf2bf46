import type { Config } from '../config.ts'
import { RATE_WINDOW_SECONDS } from '../contract/limits.ts'
import { codeOf } from '../contract/member-problems.ts'
import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { Awaitable } from '../engine/database.ts'
import type { OriginKeys } from '../memory/actors/rows.ts'
import type { Charge, Limit, LimitState } from '../memory/limits/rules.ts'
import type { RemoteCaller } from '../memory/operation.ts'
import type { Limiter, Store } from '../memory/store.ts'
import { cooldownWait } from '../memory/write.ts'
import type { Exchange } from './exchange.ts'
import type { AdminCheck } from './identify.ts'

type Fields = { 'ratelimit-policy': string; ratelimit: string }

/** The RateLimit-Policy and RateLimit fields: an item per limit. */
export function rateLimitFields(limits: readonly Omit<LimitState, 'bin'>[]): Partial<Fields> {
  if (limits.length === 0) return {}
  let policies = ''
  let ratelimit = ''
  for (const { policy, quota, remaining, reset } of limits) {
    const separator = ratelimit === '' ? '' : ', '
    policies += `${separator}"${policy}";q=${quota};w=${RATE_WINDOW_SECONDS}`
    ratelimit += `${separator}"${policy}";r=${remaining};t=${reset}`
  }
  return { 'ratelimit-policy': policies, ratelimit }
}

/** Adds an item for the cooldown to the fields: the next write of this kind must wait this many seconds. */
function withCooldown(fields: Partial<Fields>, seconds: number, cooldownSeconds: number): Partial<Fields> {
  if (seconds <= 0) return fields
  const items = (own: string | undefined, item: string): string => [own, item].filter(Boolean).join(', ')
  return {
    'ratelimit-policy': items(fields['ratelimit-policy'], `"cooldown";q=1;w=${cooldownSeconds}`),
    ratelimit: items(fields.ratelimit, `"cooldown";r=0;t=${seconds}`),
  }
}

/**
 * A request: its operation, its caller and its charges, the first one and one for each further call that its items stand for. A charge
 * has the limits that apply to the request. It has none for a free operation and for the local socket.
 */
export type ChargedRequest = { name: OperationName; caller: RemoteCaller; charged: Charge; more?: Charge[] }

/** The limit of the /48 of an IPv6 network, as a multiple of the limit of each /64: one customer has a /48 with 65,536 of them. */
const WIDER_TIMES = 16

const POLICIES = ['read', 'write'].flatMap(cost => ['origin', 'network', 'token'].map(of => `${cost}-${of}`))

type Dependencies = {
  config: Pick<Config, 'readPerMinute' | 'writePerMinute' | 'cooldownSeconds'>
  store: Pick<Store, 'reader'>
  limiter: Limiter
  admin: AdminCheck
  now: () => number
}

/** Charges requests to the limits of their callers. The answers have the state of these limits. */
export class Charges {
  readonly #dependencies: Dependencies
  /** The limits of anonymous reads, made once for each remembered origin. */
  readonly #ofReads = new WeakMap<OriginKeys, Limit[]>()
  /** Refused requests by the policy that had no admission left. Every policy begins at 0, because a rate needs an earlier value. */
  readonly refused = new Map(POLICIES.map(policy => [policy, 0]))

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Charges a request once. A read of a tool call is covered by the charge of its message to /mcp (`paid`). A wrong admin token is charged
   * as a write, so that guessing is slow.
   * Throws RATE_LIMITED.
   */
  charge(name: OperationName, caller: RemoteCaller, exchange: Exchange): Awaitable<Charge> {
    const { limiter, admin } = this.#dependencies
    const { cost, access }: Operation = OPERATIONS[name]
    const { paid } = exchange.arrival
    if (paid !== undefined && cost === 'read' && access !== 'admin') return paid
    const isGuess = access === 'admin' && !admin.isAdmin(exchange.headers.authorization)
    const charge = limiter.admit(this.#limitsOf(isGuess ? 'write' : cost, caller, exchange), caller.at)
    if (charge instanceof Promise || !charge.admitted) return this.#chargeLater(name, caller, exchange, charge)
    Object.assign(exchange.fields, rateLimitFields(charge.limits))
    return charge
  }

  /** Completes a charge that is a promise or a refusal. Throws RATE_LIMITED. */
  async #chargeLater(name: OperationName, caller: RemoteCaller, exchange: Exchange, charging: Awaitable<Charge>) {
    const charge = await charging
    exchange.set(rateLimitFields(charge.limits))
    if (charge.admitted) return charge
    for (const { policy, remaining } of charge.limits)
      if (remaining === 0) this.refused.set(policy, (this.refused.get(policy) ?? 0) + 1)
    // The reported wait must suffice: include a cooldown that lasts longer than the limit.
    const cooling = await this.#cooldownLeft(name, caller, caller.at)
    exchange.set(withCooldown(exchange.fields, cooling, this.#dependencies.config.cooldownSeconds))
    throw new Problem('RATE_LIMITED', { retryAfter: Math.max(charge.retryAfter, cooling) })
  }

  /**
   * Charges a list of items as one call for each `perCall` of them. The first call was charged with the request. Throws RATE_LIMITED if the
   * limits do not admit all calls.
   */
  async chargeItems(
    { member, perCall }: NonNullable<Operation['chargedItems']>,
    body: unknown,
    request: ChargedRequest,
    exchange: Exchange,
  ): Promise<void> {
    const { limits } = request.charged
    const calls = Math.ceil(((body as Record<string, unknown[]>)[member]?.length ?? 0) / perCall)
    // A request for more calls than a minute admits would always be refused.
    if (limits.some(({ quota }) => calls > quota)) throw new Problem(codeOf(member), { member })
    const { limiter, now } = this.#dependencies
    const at = now()
    const further = Array.from({ length: calls - 1 }, () => limiter.admit(limits, at))
    const decisions = await Promise.all(further)
    request.more = decisions.filter(({ admitted }) => admitted)
    exchange.set(rateLimitFields(decisions.at(-1)?.limits ?? []))
    // After a whole window the limits admit all of them.
    if (request.more.length < calls - 1) throw new Problem('RATE_LIMITED', { retryAfter: RATE_WINDOW_SECONDS })
  }

  /** Releases all charges of a request. */
  async release({ charged, more = [] }: ChargedRequest, exchange: Exchange): Promise<void> {
    const { limiter, now } = this.#dependencies
    for (const charge of [...more, charged]) {
      exchange.set(rateLimitFields(await limiter.release(charge, now())))
    }
  }

  /** The cooldown of a request in seconds; 0 if it has none. */
  cooldownOf({ arrival }: Exchange): number {
    return arrival.channel === 'local socket' ? 0 : this.#dependencies.config.cooldownSeconds
  }

  /** Adds the remaining cooldown of this kind of write to the RateLimit fields; `known` is that time in seconds, if it need not be read. */
  async addCooldownField({ name, caller }: ChargedRequest, exchange: Exchange, known?: number): Promise<void> {
    const cooldown = this.cooldownOf(exchange)
    if (cooldown === 0) return
    const seconds = known ?? (await this.#cooldownLeft(name, caller, this.#dependencies.now()))
    exchange.set(withCooldown(exchange.fields, seconds, cooldown))
  }

  /** The seconds for which the caller must wait before another write of this kind. */
  async #cooldownLeft(name: OperationName, caller: RemoteCaller, at: number): Promise<number> {
    const { store, config } = this.#dependencies
    return cooldownWait(store.reader, name, caller, { cooldown: config.cooldownSeconds * 1_000, at })
  }

  /** The limits of a request: those of its origin, of the /48 around an IPv6 origin, and of its token. */
  #limitsOf(cost: Operation['cost'], { origin, actor }: RemoteCaller, { arrival }: Exchange): Limit[] {
    if (cost === 'free' || arrival.channel === 'local socket') return []
    const isAnonymousRead = cost === 'read' && actor === null
    const known = isAnonymousRead ? this.#ofReads.get(origin) : undefined
    if (known !== undefined) return known
    const { readPerMinute, writePerMinute } = this.#dependencies.config
    const quota = cost === 'write' ? writePerMinute : readPerMinute
    const limits = [{ policy: `${cost}-origin`, key: `${cost}-origin:${origin.networkKey}`, quota }]
    if (origin.widerKey !== undefined) {
      limits.push({ policy: `${cost}-network`, key: `${cost}-network:${origin.widerKey}`, quota: quota * WIDER_TIMES })
    }
    if (actor !== null) limits.push({ policy: `${cost}-token`, key: `${cost}-token:${actor}`, quota })
    else if (isAnonymousRead) this.#ofReads.set(origin, limits)
    return limits
  }
}
