import { RATE_WINDOW_SECONDS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'

const WINDOW_MS = RATE_WINDOW_SECONDS * 1_000
/** How admissions are counted: by bins of `binMs`, each of which expires `lifeMs` after its start. */
type Counting = { binMs: number; lifeMs: number }
/**
 * Up to this quota, admissions are counted by the millisecond. Above it, they are counted by bins of 100 ms, which can refuse more, never
 * admit more.
 */
const EXACT_QUOTA = 600
const EXACT: Counting = { binMs: 1, lifeMs: WINDOW_MS }
const COARSE: Counting = { binMs: 100, lifeMs: WINDOW_MS + 100 }
const countingOf = (quota: number): Counting => (quota <= EXACT_QUOTA ? EXACT : COARSE)
/** The length of a generation: an unused key has no admission left after it. */
const GENERATION_MS = COARSE.lifeMs

/** The admissions of a key within one bin of time. `bin` is the start of the bin in milliseconds. */
export type Admission = { bin: number; key: string; count: number }
/** A limit that applies to a request: at most `quota` admissions of `key` in any 60 seconds. */
export type Limit = { policy: string; key: string; quota: number }
/** The state of a limit after a request: the bin of the request, the remaining admissions, and the seconds until the next one expires. */
export type LimitState = Limit & { bin: number; remaining: number; reset: number }
/** Whether a request was admitted, the limits that applied to it, and the seconds after which a refused one may be admitted. */
export type Charge = { admitted: boolean; limits: LimitState[]; retryAfter: number }

/**
 * The number of admissions within the window, then for each bin, oldest first, its start in milliseconds and its admissions. One flat
 * array, because a million keys with one admission each must fit into memory.
 */
type SlidingWindow = number[]
const EMPTY: readonly number[] = [0]
const TOTAL = 0
const FIRST = 1

/**
 * A limiter with a sliding window: at most `quota` admissions of a key in any 60 seconds, of which all may arrive at once. A request is
 * charged to all of its keys or to none. Memory: at most about 600 bins for each key, and only keys of the last two minutes.
 */
export class RateLimiter {
  // Two generations: keys that were not used for a whole generation are dropped together with it.
  #windows = new Map<string, SlidingWindow>()
  #older = new Map<string, SlidingWindow>()
  #turnedAt: number | undefined
  #unsaved: Admission[] = []
  /** Refreshed when there is an unsaved admission after there was none. */
  protected readonly saving?: { refresh(): unknown }
  /** The newest unsaved admission of each key. */
  #newestUnsaved = new Map<string, Admission>()

  /** Admits a request at `at` (milliseconds) and charges it, or returns the whole seconds to wait. */
  admit(requested: readonly Limit[], at: number): Charge {
    if (this.#turnedAt === undefined || at < this.#turnedAt) this.#turnedAt = at
    const past = at - this.#turnedAt
    if (past >= GENERATION_MS) {
      this.#older = past < 2 * GENERATION_MS ? this.#windows : new Map()
      this.#windows = new Map()
      this.#turnedAt = at
    }
    const limits: LimitState[] = []
    let wait = 0
    for (const one of requested) {
      const state = this.stateOf(one, at)
      if (state.remaining === 0) wait = Math.max(wait, this.waitOf(one, at))
      limits.push(state)
    }
    if (wait > 0) return { admitted: false, limits, retryAfter: Math.ceil(wait / 1_000) }
    for (const state of limits) {
      this.#add(state.key, state.bin, 1)
      this.#leaveUnsaved(state.key, state.bin, 1)
      state.remaining -= 1
    }
    return { admitted: true, limits, retryAfter: 1 }
  }

  /** Charges a key with `count` further admissions. */
  lease({ key, quota }: Limit, at: number, count: number): void {
    const bin = at - (at % countingOf(quota).binMs)
    this.#add(key, bin, count)
    this.#leaveUnsaved(key, bin, count)
  }

  /** Milliseconds until the key admits one more. */
  waitOf(one: Limit, at: number): number {
    const window = this.#liveWindowOf(one, at)
    let excess = (window[TOTAL] as number) + 1 - one.quota
    for (let place = FIRST; excess > 0 && place < window.length; place += 2) {
      excess -= window[place + 1] as number
      if (excess <= 0) return (window[place] as number) + countingOf(one.quota).lifeMs - at
    }
    return 0
  }

  /** The admissions of a key: bins alternating with counts, oldest first. */
  windowOf(key: string): readonly number[] {
    return this.#find(key)?.slice(FIRST) ?? []
  }

  /** The state of a limit. Without admissions, `reset` is the time in which one that is made now expires. */
  stateOf(one: Limit, at: number): LimitState {
    const { policy, key, quota } = one
    const window = this.#liveWindowOf(one, at)
    const { binMs, lifeMs } = countingOf(quota)
    const bin = at - (at % binMs)
    const reset = Math.max(1, Math.ceil(((window[FIRST] ?? bin) + lifeMs - at) / 1_000))
    return { policy, key, quota, bin, remaining: Math.max(0, quota - (window[TOTAL] as number)), reset }
  }

  /** Undoes an admission. Returns the new state of its limits. */
  release({ limits }: Charge, at: number): LimitState[] {
    for (const { key, bin } of limits) {
      this.#add(key, bin, -1)
      this.#leaveUnsaved(key, bin, -1)
    }
    return limits.map(one => this.stateOf(one, at))
  }

  get hasUnsaved(): boolean {
    return this.#unsaved.length > 0
  }

  /** Returns the admissions since the last call, to be stored. The count of one that was undone since is 0, and nothing is stored for it. */
  takeUnsaved(): Admission[] {
    const admissions = this.#unsaved
    this.#unsaved = []
    this.#newestUnsaved = new Map()
    return admissions
  }

  /** Accepts admissions that could not be stored. The next `takeUnsaved` returns them again. */
  returnUnsaved(admissions: readonly Admission[]): void {
    for (const { key, bin, count } of admissions) this.#leaveUnsaved(key, bin, count)
  }

  /** Remembers admissions of an earlier run, oldest first. */
  restore(admissions: readonly Admission[]): void {
    for (const { bin, key, count } of admissions) this.#add(key, bin, count)
  }

  #find(key: string): SlidingWindow | undefined {
    const window = this.#windows.get(key) ?? this.#older.get(key)
    if (window !== undefined && this.#older.delete(key)) this.#windows.set(key, window)
    return window
  }

  /** The window of a key without the expired admissions. */
  #liveWindowOf({ key, quota }: Limit, at: number): readonly number[] {
    const window = this.#find(key)
    if (window === undefined) return EMPTY
    const { binMs, lifeMs } = countingOf(quota)
    let live = FIRST
    let gone = 0
    for (; live < window.length && (window[live] as number) + lifeMs <= at; live += 2)
      gone += window[live + 1] as number
    if (live > FIRST) window.splice(0, live, (window[TOTAL] as number) - gone)
    // After the clock was set back, bins in the future count as now.
    for (let place = window.length - 2; place >= FIRST && (window[place] as number) > at; place -= 2)
      window[place] = at - (at % binMs)
    return window
  }

  #add(key: string, bin: number, count: number): void {
    const window = this.#find(key)
    let place = (window?.length ?? 0) - 2
    while (place >= FIRST && window?.[place] !== bin) place -= 2
    // An expired bin needs no release.
    if (place < FIRST && count <= 0) return
    if (window === undefined) {
      this.#windows.set(key, [count, bin, count])
      return
    }
    window[TOTAL] = (window[TOTAL] as number) + count
    if (place >= FIRST) window[place + 1] = (window[place + 1] as number) + count
    else window.push(bin, count)
  }

  #leaveUnsaved(key: string, bin: number, count: number): void {
    const known = this.#newestUnsaved.get(key)
    if (known?.bin === bin) {
      known.count += count
      return
    }
    const admission = { bin, key, count }
    if (this.#unsaved.push(admission) === 1) this.saving?.refresh()
    this.#newestUnsaved.set(key, admission)
  }
}

/**
 * The milliseconds left of a cooldown, at most its length. `beganAt` may be slightly in the future: the later of two requests may be
 * handled first, and each node has its own clock. A cooldown that begins further ahead than its length is over: the clock was set back.
 */
export function cooldownLeft(beganAt: number | undefined, cooldown: number, now: number): number {
  if (beganAt === undefined) return 0
  const left = beganAt + cooldown - now
  return left > 2 * cooldown ? 0 : Math.min(cooldown, Math.max(0, left))
}

/** Throws COOLDOWN for a write within the cooldown of the last write of its kind. Times are milliseconds. */
export function assertCooledDown(beganAt: number | undefined, cooldown: number, now: number): void {
  const left = cooldownLeft(beganAt, cooldown, now)
  if (left > 0) throw new Problem('COOLDOWN', { retryAfter: Math.ceil(left / 1_000) })
}
