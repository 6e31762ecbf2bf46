import type { Charge, Decision, LimitState, RateLimiter } from '../domain/rate-limit.ts'

/**
 * Admissions of a key that a node may grant without a round trip: their number, the expiry, and the state of the limit including their bin.
 */
type Lease = { left: number; until: number; state: LimitState }
export type Leases = Map<string, Lease>

/** How long a lease is valid, in milliseconds. Admissions that expire unused stay charged. */
const LEASE_LIFE_MS = 2_000
/** Maximum number of leases. When it is reached, all leases are dropped. */
const LEASES_MAX = 50_000
/** Up to this quota, writes are leased one at a time. Above it, a lease has one thousandth of the quota. */
const WRITES_EXACT = 1_000
/**
 * A lease of reads has at most 1/READ_SHARE of the quota and 1/LEFT_SHARE of the remaining reads, so that other nodes can lease the rest.
 */
const READ_SHARE = 30
const LEFT_SHARE = 6
/** A clock that is behind the newest charge by more than this was set back. A smaller difference is one between the clocks of nodes. */
const SKEW_MAX_MS = 60_000

/**
 * Decides a request by the leases of this node. If they do not suffice, leases the missing admissions from `limiter`, which has the windows
 * of the keys; without a limiter, returns undefined. A request is charged to all of its keys or to none.
 */
export function decide(
  leases: Leases,
  charges: readonly Charge[],
  now: number,
  limiter?: RateLimiter,
): Decision | undefined {
  const lacking = charges.filter(one => (liveLease(leases, one.key, now)?.left ?? 0) < 1)
  if (lacking.length > 0) {
    if (limiter === undefined) return undefined
    const at = timeOf(limiter, lacking, now)
    const wait = Math.max(0, ...lacking.map(one => limiter.waitOf(one, at)))
    if (wait > 0) {
      return {
        admitted: false,
        limits: charges.map(one => stateOf(leases, one, limiter, at)),
        retryAfter: Math.max(1, Math.ceil((wait + at - now) / 1_000)),
      }
    }
    if (leases.size >= LEASES_MAX) leases.clear()
    for (const one of lacking) {
      const size = pieceOf(one, limiter.stateOf(one, at).remaining)
      limiter.lease(one, at, size)
      leases.set(one.key, { left: size, until: now + LEASE_LIFE_MS, state: limiter.stateOf(one, at) })
    }
  }
  const used = charges.map(({ key }) => leases.get(key) as Lease)
  for (const lease of used) lease.left -= 1
  return {
    admitted: true,
    limits: used.map(({ state, left }) => ({ ...state, remaining: state.remaining + left })),
    retryAfter: 1,
  }
}

/** Reverses an admission. Returns the new state of its limits, including leases. */
export function release(leases: Leases, decision: Decision, now: number, limiter: RateLimiter): LimitState[] {
  const at = timeOf(limiter, decision.limits, now)
  return limiter
    .release(decision, at)
    .map(state => ({ ...state, remaining: state.remaining + (liveLease(leases, state.key, now)?.left ?? 0) }))
}

function liveLease(leases: Leases, key: string, now: number): Lease | undefined {
  const lease = leases.get(key)
  if (lease === undefined) return undefined
  if (now < lease.until && lease.until - now <= LEASE_LIFE_MS) return lease
  leases.delete(key)
  return undefined
}

/** The time of a decision. It is never before the time of a charge by another node, whose clock may be slightly ahead. */
function timeOf(limiter: RateLimiter, charges: readonly Charge[], now: number): number {
  const newest = Math.max(now, ...charges.map(({ key }) => limiter.windowOf(key).at(-2) ?? 0))
  return newest - now > SKEW_MAX_MS ? now : newest
}

const stateOf = (leases: Leases, one: Charge, limiter: RateLimiter, at: number): LimitState => {
  const known = leases.get(one.key)
  return known === undefined
    ? limiter.stateOf(one, at)
    : { ...known.state, remaining: known.state.remaining + known.left }
}

/** The number of admissions in one lease. `left` is the number that the limit still admits. */
function pieceOf({ policy, quota }: Charge, left: number): number {
  if (policy.startsWith('write')) return quota <= WRITES_EXACT ? 1 : Math.min(left, Math.floor(quota / WRITES_EXACT))
  return Math.max(1, Math.min(Math.floor(quota / READ_SHARE), Math.floor(left / LEFT_SHARE)))
}
