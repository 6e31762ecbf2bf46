import { availableParallelism } from 'node:os'
import { readsOf, type SharedCounters } from './counters.ts'
import { blockThread } from './database.ts'

/** The time in milliseconds that a thread works before it checks for requested reads. */
const PIECE_MS = 0.5
/** For each requested read, the thread then rests for the maximum duration of a read, in total at most `REST_MAX_MS`; in milliseconds. */
const REST_PER_READ_MS = 0.05
const REST_MAX_MS = 3

/** The time and a rest, both in milliseconds, and the number of cores. */
export type Clock = { now(): number; rest(milliseconds: number): void; cores: number }

const CLOCK: Clock = {
  now: () => performance.now(),
  rest: blockThread,
  cores: availableParallelism(),
}

/**
 * Returns a function that a background thread calls between two pieces of its work. It blocks for as long as the reads take that were
 * requested since the last call. Threads on one core get time slices of some milliseconds regardless of priority, and a read would wait
 * for a whole slice; a rest after a short piece lets it run. Without reads, or with more cores, it does not block.
 */
export function createCpuYield(counters: SharedCounters, { now, rest, cores }: Clock = CLOCK): () => void {
  if (cores > 1) return () => {}
  let reads = readsOf(counters)
  let since = now()
  return () => {
    if (now() - since < PIECE_MS) return
    const asked = readsOf(counters)
    // Reads that are requested during the rest count for the next piece.
    if (asked !== reads) rest(Math.min(REST_MAX_MS, Number(asked - reads) * REST_PER_READ_MS))
    reads = asked
    since = now()
  }
}
