import type { Awaitable } from '../database/database.ts'
import type { Charge, Standing, Verdict } from '../domain/rate-limit.ts'

/** Decides which requests are admitted, for one process or for all nodes. Rejects with a `StoreFault` when it cannot tell. */
export type Limiter = {
  /** Admits a request at `at` (milliseconds) by all of its keys and charges it, or charges none and says how long to wait. */
  admit(charges: readonly Charge[], at: number): Awaitable<Verdict>
  /** The same where it can be decided at once, without asking anybody. */
  admitHere(charges: readonly Charge[], at: number): Verdict | undefined
  /** Takes an admission back, and gives how the limits stand then. */
  refund(verdict: Verdict, at: number): Awaitable<Standing[]>
  /** Told before a write goes out, so that what was admitted before it can be kept by the same commit. */
  beforeWrite(): void
  /** Keeps what is still to be kept. */
  close(): Promise<void>
}
