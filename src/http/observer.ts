import { hash } from 'node:crypto'
import { RATE_WINDOW_SECONDS } from '../contract/limits.ts'
import type { Observation } from '../operations/observe.ts'
import type { Observed } from '../operations/operation.ts'
import type { Store, Terms } from '../operations/store.ts'
import type { OriginKeys } from '../store/origin.ts'
import type { RateLimiter } from './rate-limit.ts'

const FLUSH_INTERVAL = 200
/** Distinct observations kept in memory while the store cannot take them; past it the newest are dropped and counted in the log. */
const PENDING_MAX = 50_000
const HOUR = 3_600_000

export type Visitor = { actor: number | null; origin: OriginKeys; userAgent: string; requestId: string; at: number }

export type Observer = ReturnType<typeof createObserver>

/**
 * Keeps what was observed and what limiters admitted off the path of requests: both are gathered and written together a few times a second.
 * `flush` resolves when everything noted so far is kept, or could not be: reads go on when the store takes no writes.
 */
export function createObserver(store: Store, limiter: RateLimiter, terms: () => Terms, onLoss: (lost: number) => void) {
  let pending = new Map<string, Observation>()
  let flushing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    const observations = [...pending.values()]
    pending = new Map()
    saveAdmissions().catch(() => {})
    if (observations.length === 0) return
    try {
      await store.keep('recordObservations', observations, terms())
    } catch {
      const lost = observations.reduce((count, observation) => count + (merge(observation) ? 0 : observation.times), 0)
      if (lost > 0) onLoss(lost)
    }
  }
  /** Hands over what limiters admitted; asked before a write goes out, so that both are kept by one commit. */
  const saveAdmissions = async (): Promise<void> => {
    const admissions = limiter.takeUnsaved()
    if (admissions.length === 0) return
    const now = terms()
    await store.keep('saveAdmissions', { admissions, beforeBin: now.at - 2 * RATE_WINDOW_SECONDS * 1_000 }, now)
  }
  const merge = (observation: Observation): boolean => {
    const { actor, origin, userAgent, action, entry, at, times } = observation
    const key = `${actor ?? `${origin.id} ${userAgent}`} ${action} ${entry} ${Math.floor(at / HOUR)}`
    const known = pending.get(key)
    if (known === undefined) {
      if (pending.size >= PENDING_MAX) return false
      pending.set(key, observation)
    } else {
      known.times += times
      known.at = Math.max(known.at, at)
    }
    return true
  }
  const flush = async (): Promise<void> => {
    // What is being written began before the newest note: wait for it, then write the rest.
    while (flushing !== undefined) await flushing
    if (pending.size === 0) return
    flushing = write().finally(() => {
      flushing = undefined
    })
    await flushing
  }
  const timer = setInterval(() => {
    if (flushing === undefined) flush().catch(() => {})
    saveAdmissions().catch(() => {})
  }, FLUSH_INTERVAL)
  timer.unref()

  return {
    note(visitor: Visitor, observed: Observed): void {
      const userAgent = visitor.actor === null ? hash('sha256', visitor.userAgent, 'base64url').slice(0, 22) : ''
      if (!merge({ ...visitor, userAgent, ...observed, times: 1 })) onLoss(1)
    },
    flush,
    saveAdmissions,
    async close(): Promise<void> {
      clearInterval(timer)
      await flush()
      await saveAdmissions().catch(() => {})
    },
  }
}
