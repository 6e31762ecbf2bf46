import { RATE_WINDOW_SECONDS } from '../../contract/limits.ts'
import { listAdmissions } from '../../memory/limits/rows.ts'
import { type Admission, RateLimiter } from '../../memory/limits/rules.ts'
import type { Limiter, WriteEnvironment } from '../../memory/store.ts'
import { DAY } from '../../memory/values.ts'
import type { EmbeddedStore } from './store.ts'

/** Milliseconds after which an admission is saved at the latest. A kill can lose those since the last save, except those of completed writes. */
const SAVE_AFTER_MS = 200

/** Opens the limiter of a store with the admissions that it has saved. */
export async function openEmbeddedLimiter(store: EmbeddedStore, now: () => number): Promise<EmbeddedLimiter> {
  const limiter = new EmbeddedLimiter(store, now)
  limiter.restore(await listAdmissions(store.reader, now() - DAY))
  return limiter
}

/** The limiter of one process. It decides in memory, and saves its admissions in the store so that a restart does not reset the limits. */
class EmbeddedLimiter extends RateLimiter implements Limiter {
  readonly #store: EmbeddedStore
  readonly #now: () => number
  /** Runs only while admissions wait. */
  protected override readonly saving: NodeJS.Timeout
  /** Whether the admissions until the end of this turn will be saved. */
  #isSaving = false

  constructor(store: EmbeddedStore, now: () => number) {
    super()
    this.#store = store
    this.#now = now
    this.saving = setTimeout(this.#onTimer, SAVE_AFTER_MS).unref()
  }

  /** The writes of one turn save their admissions with one command. */
  beforeWrite(): void {
    if (!this.#isSaving) this.#save().catch(() => {})
  }

  async close(): Promise<void> {
    clearTimeout(this.saving)
    await this.#save().catch(() => {})
  }

  readonly #onTimer = (): void => {
    this.#save().catch(() => {})
  }

  async #save(): Promise<void> {
    if (!this.hasUnsaved) return
    const environment: WriteEnvironment = { at: this.#now(), cooldown: 0, dataClass: 'INTERNAL' }
    const beforeBin = environment.at - 2 * RATE_WINDOW_SECONDS * 1_000
    let admissions: Admission[] = []
    const take = () => {
      this.#isSaving = false
      admissions = this.takeUnsaved()
      return { admissions, beforeBin }
    }
    this.#isSaving = true
    try {
      await this.#store.saveAdmissions(take, environment)
    } catch (error) {
      this.#isSaving = false
      this.returnUnsaved(admissions.filter(({ bin }) => bin >= beforeBin))
      this.saving.refresh()
      throw error
    }
  }
}
