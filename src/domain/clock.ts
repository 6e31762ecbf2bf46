/** A time further ahead of the clock than this is wrong: the clock was set back, or another node has a wrong one. In milliseconds. */
const AHEAD_MAX = 60_000

/** The time of a write, in milliseconds: that of the clock, or the latest time that was given out if that is a little later. */
export const notBefore = (latest: number, clock: number): number =>
  latest - clock > AHEAD_MAX ? clock : Math.max(clock, latest)

/**
 * Milliseconds of service to count for a process that has run for `ran` milliseconds since it counted last, where the last count of any
 * process was at `countedAt`. A jump of the clock adds no more than `ran`; several processes count each moment once.
 */
export const servedSince = (countedAt: number, clock: number, ran: number): number =>
  Math.max(0, Math.min(ran, clock - countedAt))
