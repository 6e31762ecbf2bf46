import { RATE_WINDOW_SECONDS } from '../contract/limits.ts'
import { RateLimiter } from '../domain/rate-limit.ts'
import type { Limiter } from '../operations/limiter.ts'
import type { WriteEnvironment } from '../operations/store.ts'
import { listAdmissions } from '../store/limit.ts'
import type { EmbeddedStore } from './store.ts'

/** Interval in milliseconds at which admissions are saved. A kill can lose those since the last save, except those of completed writes. */
const SAVE_INTERVAL = 200
const DAY = 86_400_000

/** The limiter of one process. It decides in memory, and saves its admissions in the store so that a restart does not reset the limits. */
export async function openEmbeddedLimiter(store: EmbeddedStore, now: () => number): Promise<Limiter> {
  const limiter = new RateLimiter()
  limiter.restore(await listAdmissions(store.reader, now() - DAY))
  const save = async (): Promise<void> => {
    const admissions = limiter.takeUnsaved()
    if (admissions.length === 0) return
    const environment: WriteEnvironment = { at: now(), cooldown: 0, dataClass: 'INTERNAL' }
    const beforeBin = environment.at - 2 * RATE_WINDOW_SECONDS * 1_000
    try {
      await store.maintain('saveAdmissions', { admissions, beforeBin }, environment)
    } catch (error) {
      limiter.giveBack(admissions.filter(({ bin }) => bin >= beforeBin))
      throw error
    }
  }
  // The writes of one turn save their admissions with one command.
  let due = false
  store.beforeSend(() => {
    if (due) save().catch(() => {})
    due = false
  })
  const timer = setInterval(() => save().catch(() => {}), SAVE_INTERVAL)
  timer.unref()
  return {
    admit: (charges, at) => limiter.admit(charges, at),
    admitHere: (charges, at) => limiter.admit(charges, at),
    refund: (verdict, at) => limiter.refund(verdict, at),
    beforeWrite() {
      due = true
    },
    async close() {
      clearInterval(timer)
      await save().catch(() => {})
    },
  }
}
