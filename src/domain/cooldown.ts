import { Problem } from '../contract/problems.ts'

/**
 * Milliseconds that are left of a cooldown. One that begins in the future, because the clock was set back since, is over:
 * waiting longer than a whole cooldown would be asked of nobody.
 */
export function cooldownLeft(beganAt: number | undefined, cooldown: number, now: number): number {
  if (beganAt === undefined) return 0
  const left = beganAt + cooldown - now
  return left > cooldown ? 0 : Math.max(0, left)
}

/** Refuses a write that comes within the cooldown of the last one of its kind. */
export function assertCooledDown(beganAt: number | undefined, cooldown: number, now: number): void {
  const left = cooldownLeft(beganAt, cooldown, now)
  if (left > 0) throw new Problem('COOLDOWN', { retryAfter: Math.ceil(left / 1_000) })
}
