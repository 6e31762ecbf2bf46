import type { Config } from '../config.ts'
import { RATE_WINDOW_SECONDS } from '../contract/limits.ts'
import { codeOf } from '../contract/member-problems.ts'
import type { Operation, OperationName } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { Awaitable } from '../engine/database.ts'
import type { OriginKeys } from '../memory/actors/rows.ts'
import type { Charge, Decision, LimitState } from '../memory/limits/rules.ts'
import type { RemoteCaller } from '../memory/operation.ts'
import type { Limiter, Store } from '../memory/store.ts'
import { cooldownWait } from '../memory/write.ts'
import { type Exchange, UNCHARGED } from './exchange.ts'

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

/** Reads and writes have separate limits. */
export type ChargeKind = 'read' | 'write'
/** The caller of a request, and its charges: the first one, and one for each further call that its items stand for. */
export type ChargedRequest = { caller: RemoteCaller; charged: Decision | undefined; more?: Decision[] }

/** The limit of the /48 of an IPv6 network, as a multiple of the limit of each /64: one customer has a /48 with 65,536 of them. */
const WIDER_TIMES = 16

type Dependencies = {
  config: Pick<Config, 'readPerMinute' | 'writePerMinute' | 'cooldownSeconds'>
  store: Pick<Store, 'reader'>
  limiter: Limiter
  now: () => number
}

/** Charges requests to the limits of their callers. The answers have the state of these limits. */
export class Charges {
  readonly #dependencies: Dependencies
  /** The limits of anonymous reads, made once for each remembered origin. */
  readonly #ofReads = new WeakMap<OriginKeys, Charge[]>()

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Charges a request once. Requests of the local socket have no limits. Throws RATE_LIMITED. */
  charge(name: OperationName, kind: ChargeKind, caller: RemoteCaller, exchange: Exchange): Awaitable<Decision> {
    if (exchange.paid === UNCHARGED) return UNCHARGED
    const decision = this.#dependencies.limiter.admit(this.#limitsOf(kind, caller), caller.at)
    if (decision instanceof Promise || !decision.admitted) return this.#decideLater(name, caller, exchange, decision)
    exchange.set(rateLimitFields(decision.limits))
    return decision
  }

  /** Ends a charge that the limiter decides later, or has refused. */
  async #decideLater(name: OperationName, caller: RemoteCaller, exchange: Exchange, deciding: Awaitable<Decision>) {
    const decision = await deciding
    exchange.set(rateLimitFields(decision.limits))
    if (decision.admitted) return decision
    // The reported wait must suffice: include a cooldown that lasts longer than the limit.
    const cooling = await this.#cooldownOf(name, caller, caller.at)
    exchange.set(withCooldown(exchange.fields, cooling, this.#dependencies.config.cooldownSeconds))
    throw new Problem('RATE_LIMITED', { retryAfter: Math.max(decision.retryAfter, cooling) })
  }

  /** Charges the calls that a list of items stands for, after the first. Throws RATE_LIMITED if the limits do not admit all of them. */
  async chargeItems(
    { chargedItems }: Operation,
    body: unknown,
    request: ChargedRequest,
    exchange: Exchange,
  ): Promise<void> {
    const { charged } = request
    if (chargedItems === undefined || charged === undefined || charged === UNCHARGED) return
    const { member, perCall } = chargedItems
    const calls = Math.ceil(((body as Record<string, unknown[]>)[member]?.length ?? 0) / perCall)
    // A request for more calls than a minute admits would always be refused.
    if (charged.limits.some(({ quota }) => calls > quota)) throw new Problem(codeOf(member), { member })
    const { limiter, now } = this.#dependencies
    const at = now()
    const further = Array.from({ length: calls - 1 }, () => limiter.admit(charged.limits, at))
    const decisions = await Promise.all(further)
    request.more = decisions.filter(({ admitted }) => admitted)
    const last = decisions.at(-1)
    if (last !== undefined) exchange.set(rateLimitFields(last.limits))
    // After a whole window the limits admit all of them.
    if (request.more.length < calls - 1) throw new Problem('RATE_LIMITED', { retryAfter: RATE_WINDOW_SECONDS })
  }

  /** Releases all charges of a request. */
  async release({ charged, more = [] }: ChargedRequest, exchange: Exchange): Promise<void> {
    const { limiter, now } = this.#dependencies
    for (const decision of charged === undefined || charged === UNCHARGED ? [] : [...more, charged]) {
      exchange.set(rateLimitFields(await limiter.release(decision, now())))
    }
  }

  /** Adds the remaining cooldown of this kind of write to the answer; `known` is that time in seconds, if it is known. */
  async addCooldown(name: OperationName, request: ChargedRequest, exchange: Exchange, known?: number): Promise<void> {
    const { config, now } = this.#dependencies
    if (config.cooldownSeconds === 0 || request.charged === UNCHARGED) return
    const seconds = known ?? (await this.#cooldownOf(name, request.caller, now()))
    exchange.set(withCooldown(exchange.fields, seconds, config.cooldownSeconds))
  }

  /** The seconds for which the caller must wait before another write of this kind. */
  async #cooldownOf(name: OperationName, caller: RemoteCaller, at: number): Promise<number> {
    const { store, config } = this.#dependencies
    return cooldownWait(store.reader, name, caller, { cooldown: config.cooldownSeconds * 1_000, at })
  }

  /** The limits of a request: those of its origin, of the /48 around an IPv6 origin, and of its token. */
  #limitsOf(kind: ChargeKind, { origin, actor }: RemoteCaller): Charge[] {
    const isAnonymousRead = kind === 'read' && actor === null
    const known = isAnonymousRead ? this.#ofReads.get(origin) : undefined
    if (known !== undefined) return known
    const { readPerMinute, writePerMinute } = this.#dependencies.config
    const quota = kind === 'write' ? writePerMinute : readPerMinute
    const limits = [{ policy: `${kind}-origin`, key: `${kind}-origin:${origin.networkKey}`, quota }]
    if (origin.widerKey !== undefined) {
      limits.push({ policy: `${kind}-network`, key: `${kind}-network:${origin.widerKey}`, quota: quota * WIDER_TIMES })
    }
    if (actor !== null) limits.push({ policy: `${kind}-token`, key: `${kind}-token:${actor}`, quota })
    else if (isAnonymousRead) this.#ofReads.set(origin, limits)
    return limits
  }
}
