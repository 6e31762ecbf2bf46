import type { Awaitable } from '../database/database.ts'
import type { Charge, Decision, LimitState } from '../domain/rate-limit.ts'

/** Decides which requests are admitted, for one process or for all nodes. Rejects with a `StoreFault` if it cannot decide. */
export type Limiter = {
  /** Admits a request at `at` (milliseconds) and charges all of its keys, or charges none and returns how long to wait. */
  admit(charges: readonly Charge[], at: number): Awaitable<Decision>
  /** Releases the charges of an admission. Returns the new state of its limits. */
  release(decision: Decision, at: number): Awaitable<LimitState[]>
  /** Called before a write is sent, so that the same commit can store earlier admissions. */
  beforeWrite(): void
  /** Stores all admissions that are not stored yet. */
  close(): Promise<void>
}
