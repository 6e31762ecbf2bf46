import { RATE_WINDOW_SECONDS } from '../../contract/limits.ts'
import { listAdmissions } from '../../memory/limits/rows.ts'
import { type Admission, type Charge, type Decision, type LimitState, RateLimiter } from '../../memory/limits/rules.ts'
import type { Limiter, WriteEnvironment } from '../../memory/store.ts'
import { DAY } from '../../memory/values.ts'
import type { EmbeddedStore } from './store.ts'

/** Interval in milliseconds at which admissions are saved. A kill can lose those since the last save, except those of completed writes. */
const SAVE_INTERVAL_MS = 200

/** Opens the limiter of a store with the admissions that it has saved. */
export async function openEmbeddedLimiter(store: EmbeddedStore, now: () => number): Promise<EmbeddedLimiter> {
  const limiter = new RateLimiter()
  limiter.restore(await listAdmissions(store.reader, now() - DAY))
  return new EmbeddedLimiter(store, limiter, now)
}

/** The limiter of one process. It decides in memory, and saves its admissions in the store so that a restart does not reset the limits. */
class EmbeddedLimiter implements Limiter {
  readonly #store: EmbeddedStore
  readonly #limiter: RateLimiter
  readonly #now: () => number
  readonly #timer: NodeJS.Timeout
  /** Whether the admissions until the end of this turn will be saved. */
  #isSaving = false

  constructor(store: EmbeddedStore, limiter: RateLimiter, now: () => number) {
    this.#store = store
    this.#limiter = limiter
    this.#now = now
    this.#timer = setInterval(() => this.#save().catch(() => {}), SAVE_INTERVAL_MS).unref()
  }

  admit(charges: readonly Charge[], at: number): Decision {
    return this.#limiter.admit(charges, at)
  }

  release(decision: Decision, at: number): LimitState[] {
    return this.#limiter.release(decision, at)
  }

  /** The writes of one turn save their admissions with one command. */
  beforeWrite(): void {
    if (!this.#isSaving) this.#save().catch(() => {})
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#save().catch(() => {})
  }

  async #save(): Promise<void> {
    if (!this.#limiter.hasUnsaved) return
    const environment: WriteEnvironment = { at: this.#now(), cooldown: 0, dataClass: 'INTERNAL' }
    const beforeBin = environment.at - 2 * RATE_WINDOW_SECONDS * 1_000
    let admissions: Admission[] = []
    const take = () => {
      this.#isSaving = false
      admissions = this.#limiter.takeUnsaved()
      return { admissions, beforeBin }
    }
    this.#isSaving = true
    try {
      await this.#store.saveAdmissions(take, environment)
    } catch (error) {
      this.#isSaving = false
      this.#limiter.returnUnsaved(admissions.filter(({ bin }) => bin >= beforeBin))
      throw error
    }
  }
}
