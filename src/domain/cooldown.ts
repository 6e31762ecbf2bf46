import { Problem } from '../contract/problem.ts'

/**
 * Milliseconds that are left of a cooldown, at most its whole length. It may begin a little in the future: the later of two requests may be
 * handled first, and nodes have clocks of their own. A cooldown that begins further ahead than its length is over: the clock was set back.
 */
export function cooldownLeft(beganAt: number | undefined, cooldown: number, now: number): number {
  if (beganAt === undefined) return 0
  const left = beganAt + cooldown - now
  return left > 2 * cooldown ? 0 : Math.min(cooldown, Math.max(0, left))
}

/** Refuses a write that comes within the cooldown of the last one of its kind. */
export function assertCooledDown(beganAt: number | undefined, cooldown: number, now: number): void {
  const left = cooldownLeft(beganAt, cooldown, now)
  if (left > 0) throw new Problem('COOLDOWN', { retryAfter: Math.ceil(left / 1_000) })
}
