import { RATE_WINDOW_SECONDS } from '../contract/limits.ts'

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

export type RateLimiter = ReturnType<typeof createRateLimiter>

/**
 * A sliding log: at most `quota` admissions of a key in any 60 seconds, a burst of that many allowed.
 * A request is admitted by all of its keys or charged to none. Memory: about 600 bins per key at most, and keys of the last two minutes.
 */
export function createRateLimiter() {
  // Two generations: keys that were not used for a whole one are dropped with it at once, in any number.
  let logs = new Map<string, Log>()
  let older = new Map<string, Log>()
  let turnedAt: number | undefined
  let unsaved: Admission[] = []
  /** The newest unsaved admission of each key. */
  let newestUnsaved = new Map<string, Admission>()

  const turn = (at: number): void => {
    if (turnedAt === undefined || at < turnedAt) turnedAt = at
    const past = at - turnedAt
    if (past < KEPT) return
    older = past < 2 * KEPT ? logs : new Map()
    logs = new Map()
    turnedAt = at
  }
  const find = (key: string): Log | undefined => {
    const log = logs.get(key) ?? older.get(key)
    if (log !== undefined && older.delete(key)) logs.set(key, log)
    return log
  }
  const binOf = (quota: number, at: number): number => (quota <= EXACT_QUOTA ? at : at - (at % COARSE_BIN))
  const expiryOf = (bin: number, quota: number): number => bin + WINDOW + (quota <= EXACT_QUOTA ? 0 : COARSE_BIN)

  const logOf = ({ key, quota }: Charge, at: number): readonly number[] => {
    const log = find(key)
    if (log === undefined) return EMPTY
    let live = FIRST
    let gone = 0
    for (; live < log.length && expiryOf(log[live] ?? 0, quota) <= at; live += 2) gone += log[live + 1] ?? 0
    if (live > FIRST) log.splice(0, live, totalOf(log) - gone)
    // After the clock was set back, bins in the future count as now.
    for (let place = log.length - 2; place >= FIRST && (log[place] ?? 0) > at; place -= 2) log[place] = binOf(quota, at)
    return log
  }
  const totalOf = (log: readonly number[]): number => log[0] ?? 0
  const add = (key: string, bin: number, count: number): void => {
    const log = find(key)
    let place = (log?.length ?? 0) - 2
    while (place >= FIRST && log?.[place] !== bin) place -= 2
    // An expired bin needs no refund.
    if (place < FIRST && count <= 0) return
    if (log === undefined) {
      logs.set(key, [count, bin, count])
      return
    }
    log[0] = totalOf(log) + count
    if (place >= FIRST) log[place + 1] = (log[place + 1] ?? 0) + count
    else log.push(bin, count)
  }
  const leaveUnsaved = ({ key, bin, count }: Admission): void => {
    const known = newestUnsaved.get(key)
    if (known?.bin === bin) {
      known.count += count
      return
    }
    const admission = { bin, key, count }
    unsaved.push(admission)
    newestUnsaved.set(key, admission)
  }
  const charge = (key: string, bin: number, count: number): void => {
    add(key, bin, count)
    leaveUnsaved({ key, bin, count })
  }
  const standingOf = (one: Charge, at: number): Standing => {
    const log = logOf(one, at)
    const oldest = log[FIRST]
    const reset =
      oldest === undefined ? RATE_WINDOW_SECONDS : Math.max(1, Math.ceil((expiryOf(oldest, one.quota) - at) / 1_000))
    return { ...one, remaining: Math.max(0, one.quota - totalOf(log)), reset }
  }
  /** Milliseconds until the key admits one more. */
  const waitOf = (one: Charge, at: number): number => {
    const log = logOf(one, at)
    let excess = totalOf(log) + 1 - one.quota
    for (let place = FIRST; excess > 0 && place < log.length; place += 2) {
      excess -= log[place + 1] ?? 0
      if (excess <= 0) return expiryOf(log[place] ?? at, one.quota) - at
    }
    return 0
  }

  return {
    /** Admits a request at `at` (milliseconds) and charges it, or returns the whole seconds to wait. */
    admit(charges: readonly Charge[], at: number): Verdict {
      turn(at)
      let wait = 0
      for (const one of charges) wait = Math.max(wait, waitOf(one, at))
      const bins = charges.map(({ quota }) => binOf(quota, at))
      if (wait === 0) for (const [index, { key }] of charges.entries()) charge(key, bins[index] ?? at, 1)
      return {
        admitted: wait === 0,
        standings: charges.map(one => standingOf(one, at)),
        retryAfter: Math.max(1, Math.ceil(wait / 1_000)),
        bins,
      }
    },
    /** Charges a key with `count` further admissions. Returns their bin. */
    lease(one: Charge, at: number, count: number): number {
      const bin = binOf(one.quota, at)
      charge(one.key, bin, count)
      return bin
    },
    /** Refunds one admission of a bin. */
    unlease(one: Charge, bin: number): void {
      charge(one.key, bin, -1)
    },
    waitOf,
    /** The log of a key: bins alternating with counts, oldest first. */
    logOf: (key: string): readonly number[] => find(key)?.slice(FIRST) ?? [],
    standingOf,
    /** Refunds an admission. Returns the new state of the limits. */
    refund({ standings, bins }: Verdict, at: number): Standing[] {
      for (const [index, { key }] of standings.entries()) charge(key, bins[index] ?? at, -1)
      return standings.map(one => standingOf(one, at))
    },
    /** Returns the admissions since the last call, to be stored. */
    takeUnsaved(): Admission[] {
      const admissions = unsaved.filter(({ count }) => count !== 0)
      unsaved = []
      newestUnsaved = new Map()
      return admissions
    },
    /** Takes admissions that could not be stored; they are returned again. */
    giveBack(admissions: readonly Admission[]): void {
      for (const admission of admissions) leaveUnsaved(admission)
    },
    /** Remembers admissions of an earlier run, oldest first. */
    restore(admissions: readonly Admission[]): void {
      for (const { bin, key, count } of admissions) add(key, bin, count)
    },
  }
}
