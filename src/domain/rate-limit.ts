import { RATE_WINDOW_SECONDS } from '../contract/limits.ts'
import { Problem } from '../contract/problem.ts'

const WINDOW = RATE_WINDOW_SECONDS * 1_000
/** Up to this quota every admission is remembered by its millisecond; above it by tenths of a second, which errs towards refusing. */
const EXACT_QUOTA = 600
const COARSE_BIN = 100
/** A key that was not used for this many milliseconds has no admission left. */
const KEPT = WINDOW + COARSE_BIN

/** How many requests a key was admitted within one bin of time, which begins at `bin` milliseconds. */
export type Admission = { bin: number; key: string; count: number }
/** One limit that applies to a request: whose, how many in any 60 seconds. */
export type Charge = { policy: string; key: string; quota: number }
/** The state of a limit after a request: the remaining admissions, and the seconds until the next one expires. */
export type Standing = Charge & { remaining: number; reset: number }
export type Verdict = { admitted: boolean; standings: Standing[]; retryAfter: number; bins: number[] }

/**
 * How many admissions there are within the window, then these oldest first: the start of a bin in milliseconds, how many fell into it,
 * the next bin. One flat array, because a million keys with one admission each must fit into memory.
 */
type Log = number[]
const EMPTY: readonly number[] = [0]
const FIRST = 1

/**
 * A sliding log: at most `quota` admissions of a key in any 60 seconds, a burst of that many allowed.
 * A request is admitted by all of its keys or charged to none. Memory: about 600 bins per key at most, and keys of the last two minutes.
 */
export class RateLimiter {
  // Two generations: keys that were not used for a whole one are dropped with it at once, in any number.
  #logs = new Map<string, Log>()
  #older = new Map<string, Log>()
  #turnedAt: number | undefined
  #unsaved: Admission[] = []
  /** The newest unsaved admission of each key. */
  #newestUnsaved = new Map<string, Admission>()

  /** Admits a request at `at` (milliseconds) and charges it, or returns the whole seconds to wait. */
  admit(charges: readonly Charge[], at: number): Verdict {
    this.#turn(at)
    let wait = 0
    for (const one of charges) wait = Math.max(wait, this.waitOf(one, at))
    const bins = charges.map(({ quota }) => binOf(quota, at))
    if (wait === 0) for (const [index, { key }] of charges.entries()) this.#charge(key, bins[index] ?? at, 1)
    return {
      admitted: wait === 0,
      standings: charges.map(one => this.standingOf(one, at)),
      retryAfter: Math.max(1, Math.ceil(wait / 1_000)),
      bins,
    }
  }

  /** Charges a key with `count` further admissions. Returns their bin. */
  lease(one: Charge, at: number, count: number): number {
    const bin = binOf(one.quota, at)
    this.#charge(one.key, bin, count)
    return bin
  }

  /** Refunds one admission of a bin. */
  unlease(one: Charge, bin: number): void {
    this.#charge(one.key, bin, -1)
  }

  /** Milliseconds until the key admits one more. */
  waitOf(one: Charge, at: number): number {
    const log = this.#liveLogOf(one, at)
    let excess = totalOf(log) + 1 - one.quota
    for (let place = FIRST; excess > 0 && place < log.length; place += 2) {
      excess -= log[place + 1] ?? 0
      if (excess <= 0) return expiryOf(log[place] ?? at, one.quota) - at
    }
    return 0
  }

  /** The log of a key: bins alternating with counts, oldest first. */
  logOf(key: string): readonly number[] {
    return this.#find(key)?.slice(FIRST) ?? []
  }

  standingOf(one: Charge, at: number): Standing {
    const log = this.#liveLogOf(one, at)
    const oldest = log[FIRST]
    const reset =
      oldest === undefined ? RATE_WINDOW_SECONDS : Math.max(1, Math.ceil((expiryOf(oldest, one.quota) - at) / 1_000))
    return { ...one, remaining: Math.max(0, one.quota - totalOf(log)), reset }
  }

  /** Refunds an admission. Returns the new state of the limits. */
  refund({ standings, bins }: Verdict, at: number): Standing[] {
    for (const [index, { key }] of standings.entries()) this.#charge(key, bins[index] ?? at, -1)
    return standings.map(one => this.standingOf(one, at))
  }

  /** Returns the admissions since the last call, to be stored. */
  takeUnsaved(): Admission[] {
    const admissions = this.#unsaved.filter(({ count }) => count !== 0)
    this.#unsaved = []
    this.#newestUnsaved = new Map()
    return admissions
  }

  /** Takes admissions that could not be stored; they are returned again. */
  giveBack(admissions: readonly Admission[]): void {
    for (const admission of admissions) this.#leaveUnsaved(admission)
  }

  /** Remembers admissions of an earlier run, oldest first. */
  restore(admissions: readonly Admission[]): void {
    for (const { bin, key, count } of admissions) this.#add(key, bin, count)
  }

  #turn(at: number): void {
    if (this.#turnedAt === undefined || at < this.#turnedAt) this.#turnedAt = at
    const past = at - this.#turnedAt
    if (past < KEPT) return
    this.#older = past < 2 * KEPT ? this.#logs : new Map()
    this.#logs = new Map()
    this.#turnedAt = at
  }

  #find(key: string): Log | undefined {
    const log = this.#logs.get(key) ?? this.#older.get(key)
    if (log !== undefined && this.#older.delete(key)) this.#logs.set(key, log)
    return log
  }

  /** The log of a key without what has expired. */
  #liveLogOf({ key, quota }: Charge, at: number): readonly number[] {
    const log = this.#find(key)
    if (log === undefined) return EMPTY
    let live = FIRST
    let gone = 0
    for (; live < log.length && expiryOf(log[live] ?? 0, quota) <= at; live += 2) gone += log[live + 1] ?? 0
    if (live > FIRST) log.splice(0, live, totalOf(log) - gone)
    // After the clock was set back, bins in the future count as now.
    for (let place = log.length - 2; place >= FIRST && (log[place] ?? 0) > at; place -= 2) log[place] = binOf(quota, at)
    return log
  }

  #add(key: string, bin: number, count: number): void {
    const log = this.#find(key)
    let place = (log?.length ?? 0) - 2
    while (place >= FIRST && log?.[place] !== bin) place -= 2
    // An expired bin needs no refund.
    if (place < FIRST && count <= 0) return
    if (log === undefined) {
      this.#logs.set(key, [count, bin, count])
      return
    }
    log[0] = totalOf(log) + count
    if (place >= FIRST) log[place + 1] = (log[place + 1] ?? 0) + count
    else log.push(bin, count)
  }

  #leaveUnsaved({ key, bin, count }: Admission): void {
    const known = this.#newestUnsaved.get(key)
    if (known?.bin === bin) {
      known.count += count
      return
    }
    const admission = { bin, key, count }
    this.#unsaved.push(admission)
    this.#newestUnsaved.set(key, admission)
  }

  #charge(key: string, bin: number, count: number): void {
    this.#add(key, bin, count)
    this.#leaveUnsaved({ key, bin, count })
  }
}

const binOf = (quota: number, at: number): number => (quota <= EXACT_QUOTA ? at : at - (at % COARSE_BIN))
const expiryOf = (bin: number, quota: number): number => bin + WINDOW + (quota <= EXACT_QUOTA ? 0 : COARSE_BIN)
const totalOf = (log: readonly number[]): number => log[0] ?? 0

/**
 * Milliseconds that are left of a cooldown, at most its whole length. It may begin a little in the future: the later of two requests may be
 * handled first, and nodes have clocks of their own. A cooldown that begins further ahead than its length is over: the clock was set back.
 */
export function cooldownLeft(beganAt: number | undefined, cooldown: number, now: number): number {
  if (beganAt === undefined) return 0
  const left = beganAt + cooldown - now
  return left > 2 * cooldown ? 0 : Math.min(cooldown, Math.max(0, left))
}

/** Refuses a write that comes within the cooldown of the last one of its kind. */
export function assertCooledDown(beganAt: number | undefined, cooldown: number, now: number): void {
  const left = cooldownLeft(beganAt, cooldown, now)
  if (left > 0) throw new Problem('COOLDOWN', { retryAfter: Math.ceil(left / 1_000) })
}
