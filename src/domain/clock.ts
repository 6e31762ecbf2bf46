/**
 * A stored time that is more than this many milliseconds ahead of the clock is wrong: the clock was set back, or another node has a wrong
 * clock.
 */
const AHEAD_MAX = 60_000

/** The time of a write in milliseconds: `clock`, or `latest` (the latest assigned time) if that is at most AHEAD_MAX later. */
export const notBefore = (latest: number, clock: number): number =>
  latest - clock > AHEAD_MAX ? clock : Math.max(clock, latest)

/**
 * The milliseconds of service to add at `clock`. `countedAt` is the last count of any process; `ran` is the running time of this process
 * since its own last count. A jump of the clock adds at most `ran`. Several processes count each moment once.
 */
export const servedSince = (countedAt: number, clock: number, ran: number): number =>
  Math.max(0, Math.min(ran, clock - countedAt))
