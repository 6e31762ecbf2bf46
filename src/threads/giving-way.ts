import { availableParallelism } from 'node:os'
import { readsOf, type Signals } from './signals.ts'

/** A thread works for so long, in milliseconds, before it looks whether reads were asked for meanwhile. */
const PIECE = 0.5
/** It then rests for each of them as long as a read takes at most, and for all together no longer than this; in milliseconds. */
const REST_PER_READ = 0.05
const REST_MAX = 3

/** What time it is, how to rest, both in milliseconds, and how many cores there are. */
export type Clock = { now(): number; rest(milliseconds: number): void; cores: number }

const nobody = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
const CLOCK: Clock = {
  now: () => performance.now(),
  rest: milliseconds => void Atomics.wait(nobody, 0, 0, milliseconds),
  cores: availableParallelism(),
}

/**
 * Gives a function for a thread that works behind the one that answers, to be called between two pieces of its work: it blocks for as long
 * as the reads take that were asked for meanwhile. Threads that share their one core take turns of some milliseconds, whatever their priority,
 * and a read waits for all of one; who rests after a short piece lets it through. Where nobody reads, or there are more cores, nobody rests.
 */
export function createGivingWay(signals: Signals, { now, rest, cores }: Clock = CLOCK): () => void {
  if (cores > 1) return () => {}
  let reads = readsOf(signals)
  let since = now()
  return () => {
    if (now() - since < PIECE) return
    const asked = readsOf(signals)
    // Those that are asked for while it rests count for the next piece.
    if (asked !== reads) rest(Math.min(REST_MAX, Number(asked - reads) * REST_PER_READ))
    reads = asked
    since = now()
  }
}
