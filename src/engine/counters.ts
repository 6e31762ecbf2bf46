/**
 * Counters in shared memory, for the threads of a process. Read one with `Atomics.load(counters, COMMITTED)`. Every change that a thread may
 * wait for is published, and then also counts as an event. A thread reads the number of events, checks its condition, and waits for the next
 * event, so that it misses none.
 */
export type SharedCounters = BigInt64Array<SharedArrayBuffer>

/** The positions of the newest record in the store, and in the index. */
export const COMMITTED = 0
export const INDEXED = 1
/** 1 once the background threads shall end, and once the store closes, which ends all waits for the index. */
export const STOPPING = 2
export const CLOSING = 3
/** Commits that have begun and ended, and the writes in them. */
export const BEGUN = 4
export const ENDED = 5
export const WRITES = 6
/** The latest position that a search waits for. */
export const WANTED = 7
/** The number of events. Read it before the condition: an event after that ends the wait at once. */
export const EVENTS = 8
/** Requested reads, to which background threads yield. */
export const READS = 9
/** The number of the index file, which is odd while the index thread replaces a damaged file; and one more than that of the last damaged file. */
export const INDEX_FILE = 10
export const DAMAGED = 11
/** Nanoseconds that the index thread has waited, minus the monotonic time at which a wait in progress began. */
const WAITED = 12
const SIZE = 13

export const createSharedCounters = (): SharedCounters =>
  new BigInt64Array(new SharedArrayBuffer(SIZE * BigInt64Array.BYTES_PER_ELEMENT))

/** Sets a counter, and wakes the threads that wait. */
export function publish(counters: SharedCounters, place: number, value: bigint): void {
  Atomics.store(counters, place, value)
  Atomics.add(counters, EVENTS, 1n)
  Atomics.notify(counters, EVENTS)
}

/**
 * Blocks this thread until the counter at `place` is beyond a value, or until something else needs the thread; false after `patience`
 * milliseconds. A wait for the index ends when the store closes. Other waits end when the index is damaged or the stop flag is set.
 */
export function awaitBeyond(
  counters: SharedCounters,
  place: number,
  value: bigint,
  patience = Number.POSITIVE_INFINITY,
): boolean {
  const deadline = performance.now() + patience
  for (;;) {
    const events = Atomics.load(counters, EVENTS)
    if (Atomics.load(counters, place) > value) return true
    const isEnded =
      place === INDEXED
        ? Atomics.load(counters, CLOSING) === 1n
        : Atomics.load(counters, STOPPING) === 1n || isDamaged(counters)
    if (isEnded) return true
    const left = deadline - performance.now()
    if (left <= 0) return false
    // Only the index thread waits for something else than the index.
    if (place !== INDEXED) Atomics.sub(counters, WAITED, process.hrtime.bigint())
    Atomics.wait(counters, EVENTS, events, left)
    if (place !== INDEXED) Atomics.add(counters, WAITED, process.hrtime.bigint())
  }
}

/** Milliseconds that the index thread has been blocked because it had no work, a wait in progress included. */
export function waitedOf(counters: SharedCounters): number {
  const waited = Atomics.load(counters, WAITED)
  return Number(waited < 0n ? waited + process.hrtime.bigint() : waited) / 1e6
}

/** The lower bits of a position, which are the record. */
const RECORD_BITS = 48n

/** The position of a record across all epochs of a store. Positions of a later epoch are larger. In an embedded store, it is the record. */
export const positionOf = ({ record, storeEpoch }: { record: number; storeEpoch: number }): bigint =>
  (BigInt(storeEpoch) << RECORD_BITS) | BigInt(record)

/** The number of records from one position to another. Across epochs, all records up to `to` count. */
const recordsBetween = (from: bigint, to: bigint): number =>
  Number(from >> RECORD_BITS === to >> RECORD_BITS ? to - from : BigInt.asUintN(Number(RECORD_BITS), to))

/** The number of commits; undefined during a commit, which a reader may or may not see. */
export function commitsOf(counters: SharedCounters): bigint | undefined {
  const ended = Atomics.load(counters, ENDED)
  return Atomics.load(counters, BEGUN) === ended ? ended : undefined
}

/** Counts since the start, and the number of records that the index has not reached. */
export const readCounts = (
  counters: SharedCounters,
): { commits: number; committedWrites: number; indexLag: number } => ({
  commits: Number(Atomics.load(counters, ENDED)),
  committedWrites: Number(Atomics.load(counters, WRITES)),
  indexLag: Math.max(0, recordsBetween(Atomics.load(counters, INDEXED), Atomics.load(counters, COMMITTED))),
})

/** Call it before a damaged index file is deleted, and again when another one can be opened. */
export const publishIndexFile = (counters: SharedCounters): void =>
  publish(counters, INDEX_FILE, Atomics.load(counters, INDEX_FILE) + 1n)

/** Whether damage of the present index file was reported. */
export const isDamaged = (counters: SharedCounters): boolean =>
  Atomics.load(counters, DAMAGED) === Atomics.load(counters, INDEX_FILE) + 1n

/** Publishes that a search waits for a position, unless another one waits for a later one. */
export function requestIndexed(counters: SharedCounters, position: bigint): void {
  for (;;) {
    const wanted = Atomics.load(counters, WANTED)
    if (wanted >= position) return
    if (Atomics.compareExchange(counters, WANTED, wanted, position) === wanted) break
  }
  Atomics.add(counters, EVENTS, 1n)
  Atomics.notify(counters, EVENTS)
}

/** Blocks this thread until the index has reached `position`; false after `patience` milliseconds, or if the store closes. */
export function awaitIndexed(counters: SharedCounters, position: bigint, patience: number): boolean {
  if (Atomics.load(counters, INDEXED) >= position) return true
  requestIndexed(counters, position)
  awaitBeyond(counters, INDEXED, position - 1n, patience)
  return Atomics.load(counters, INDEXED) >= position
}
