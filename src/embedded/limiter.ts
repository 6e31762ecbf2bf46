import { RATE_WINDOW_SECONDS } from '../contract/limits.ts'
import { createRateLimiter } from '../domain/rate-limit.ts'
import type { Limiter } from '../operations/limiter.ts'
import type { WriteEnvironment } from '../operations/store.ts'
import { listAdmissions } from '../store/limit.ts'
import type { EmbeddedStore } from './store.ts'

/** How often admissions are kept, in milliseconds: what a kill can make forgotten, but for those of writes that went through. */
const SAVE_INTERVAL = 200
const DAY = 86_400_000

/** The limiter of one process: it decides in memory, and keeps its admissions in the store so that no restart refills it. */
export async function openEmbeddedLimiter(store: EmbeddedStore, now: () => number): Promise<Limiter> {
  const limiter = createRateLimiter()
  limiter.restore(await listAdmissions(store.reader, now() - DAY))
  const save = async (): Promise<void> => {
    const admissions = limiter.takeUnsaved()
    if (admissions.length === 0) return
    const environment: WriteEnvironment = { at: now(), cooldown: 0, dataClass: 'INTERNAL' }
    const beforeBin = environment.at - 2 * RATE_WINDOW_SECONDS * 1_000
    try {
      await store.keep('saveAdmissions', { admissions, beforeBin }, environment)
    } catch (error) {
      limiter.giveBack(admissions.filter(({ bin }) => bin >= beforeBin))
      throw error
    }
  }
  // All writes of a turn have one save, which goes with them.
  let due = false
  store.beforeSend(() => {
    if (due) save().catch(() => {})
    due = false
  })
  const timer = setInterval(() => save().catch(() => {}), SAVE_INTERVAL)
  timer.unref()
  return {
    admit: limiter.admit,
    admitHere: limiter.admit,
    refund: limiter.refund,
    beforeWrite() {
      due = true
    },
    async close() {
      clearInterval(timer)
      await save().catch(() => {})
    },
  }
}
