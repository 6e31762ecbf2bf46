import { Problem } from '../contract/problems.ts'

/** Refuses a write that comes within the cooldown of the last one of its kind; all times in milliseconds. */
export function assertCooledDown(beganAt: number | undefined, cooldown: number, now: number): void {
  if (beganAt === undefined || cooldown === 0) return
  const wait = beganAt + cooldown - now
  if (wait > 0) throw new Problem('COOLDOWN', { retryAfter: Math.ceil(wait / 1000) })
}
