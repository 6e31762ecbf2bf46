import { RATE_WINDOW_SECONDS } from '../../contract/limits.ts'
import { codeOf } from '../../contract/member-problems.ts'
import type { Operation } from '../../contract/operations.ts'
import { Problem, type ProblemCode } from '../../contract/problem.ts'
import type { Limiter } from '../../operations/limiter.ts'
import type { Reads, WriteName } from '../../operations/operation.ts'
import type { Store, WriteEnvironment } from '../../operations/store.ts'
import { cooldownWait } from '../../operations/writing.ts'
import type { Exchange } from '../exchange.ts'
import { rateLimitFields, withCooldown } from '../limits/rate-limit-fields.ts'
import type { Admitted } from './admission.ts'

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
    if (chargedItems === undefined || charged === undefined) return
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
    for (const decision of charged === undefined ? [] : [...more, charged]) {
      exchange.set(rateLimitFields(await limiter.release(decision, now())))
    }
  }

  /** Adds the remaining cooldown of this kind of write to the answer; `known` is that time in seconds, if it is known. */
  async addCooldown(name: WriteName, { actor, origin }: Admitted, exchange: Exchange, known?: number): Promise<void> {
    const { rates, environment, store, now } = this.#dependencies
    if (rates.cooldownSeconds === 0) return
    const { cooldown } = environment()
    const seconds = known ?? (await cooldownWait(store.reader, name, { actor, origin }, { cooldown, at: now() }))
    exchange.set(withCooldown(exchange.fields, seconds, rates.cooldownSeconds))
  }
}
