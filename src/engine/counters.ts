/**
 * Counters in shared memory, for the threads of a process: the committed record, the indexed record, stop and close flags, commits begun
 * and ended, the record that a search waits for, writes in those commits, reads, the index file with its reported damage, and the time that
 * the index thread has waited. Every change that a thread may wait for also counts as an event. A thread reads the number of events, checks its condition, and waits for the next event, so that it misses none.
 */
export type SharedCounters = BigInt64Array<SharedArrayBuffer>

const COMMITTED = 0
const INDEXED = 1
const STOPPING = 2
const BEGUN = 3
const ENDED = 4
const WANTED = 5
const WRITES = 6
const CLOSING = 7
const EVENTS = 8
const READS = 9
const INDEX_FILE = 10
const DAMAGED = 11
/** Nanoseconds that the index thread has waited, minus the monotonic time at which a wait in progress began. */
const WAITED = 12
const SIZE = 13

export const createSharedCounters = (): SharedCounters =>
  new BigInt64Array(new SharedArrayBuffer(SIZE * BigInt64Array.BYTES_PER_ELEMENT))

export const committed = (counters: SharedCounters): bigint => Atomics.load(counters, COMMITTED)
export const indexed = (counters: SharedCounters): bigint => Atomics.load(counters, INDEXED)
export const isStopping = (counters: SharedCounters): boolean => Atomics.load(counters, STOPPING) === 1n
export const isClosing = (counters: SharedCounters): boolean => Atomics.load(counters, CLOSING) === 1n
/** The number of events. Read it before the condition: an event after that ends the wait at once. */
export const eventsOf = (counters: SharedCounters): bigint => Atomics.load(counters, EVENTS)

function publish(counters: SharedCounters, place: number, value: bigint): void {
  Atomics.store(counters, place, value)
  Atomics.add(counters, EVENTS, 1n)
  Atomics.notify(counters, EVENTS)
}

/**
 * Blocks this thread until the counter at `place` is beyond a value, or until something else needs the thread; false after `patience`
 * milliseconds. A wait for the index ends when the store closes. Other waits end when the index is damaged or the stop flag is set.
 */
function awaitBeyond(counters: SharedCounters, place: number, value: bigint, patience: number): boolean {
  const deadline = performance.now() + patience
  for (;;) {
    const events = Atomics.load(counters, EVENTS)
    if (Atomics.load(counters, place) > value) return true
    const isEnded = place === INDEXED ? isClosing(counters) : isStopping(counters) || isDamaged(counters)
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

/** Resolves, without blocking, after an event beyond the first `events`, or after `patience` milliseconds. */
export async function eventAfter(counters: SharedCounters, events: bigint, patience: number): Promise<void> {
  await Atomics.waitAsync(counters, EVENTS, events, patience).value
}

/** The lower bits of a position, which are the record. */
const RECORD_BITS = 48n

/** The position of a record across all epochs of a store. Positions of a later epoch are larger. In an embedded store, it is the record. */
export const positionOf = ({ record, storeEpoch }: { record: number; storeEpoch: number }): bigint =>
  (BigInt(storeEpoch) << RECORD_BITS) | BigInt(record)

/** The number of records from one position to another. Across epochs, all records up to `to` count. */
const recordsBetween = (from: bigint, to: bigint): number =>
  Number(from >> RECORD_BITS === to >> RECORD_BITS ? to - from : BigInt.asUintN(Number(RECORD_BITS), to))

/** Publishes the committed record, and counts the writes that shared its commit. */
export function publishCommitted(counters: SharedCounters, record: number | bigint, writes = 0): void {
  Atomics.add(counters, WRITES, BigInt(writes))
  publish(counters, COMMITTED, BigInt(record))
}

/** Call it before each commit, and `countEnded` after it, even if it failed. */
export function countBegun(counters: SharedCounters): void {
  Atomics.add(counters, BEGUN, 1n)
}

export function countEnded(counters: SharedCounters): void {
  Atomics.store(counters, ENDED, Atomics.load(counters, BEGUN))
}

/** Publishes that the store closes, which ends all waits for the index. */
export const publishClosing = (counters: SharedCounters): void => publish(counters, CLOSING, 1n)

/** The number of commits; undefined during a commit, which a reader may or may not see. */
export function commitsOf(counters: SharedCounters): bigint | undefined {
  const ended = Atomics.load(counters, ENDED)
  return Atomics.load(counters, BEGUN) === ended ? ended : undefined
}

/** Counts a requested read, so that background threads yield to it. */
export function countRead(counters: SharedCounters): void {
  Atomics.add(counters, READS, 1n)
}

export const readsOf = (counters: SharedCounters): bigint => Atomics.load(counters, READS)

/** Counts since the start, and the number of records that the index has not reached. */
export const readCounts = (
  counters: SharedCounters,
): { commits: number; committedWrites: number; indexLag: number } => ({
  commits: Number(Atomics.load(counters, ENDED)),
  committedWrites: Number(Atomics.load(counters, WRITES)),
  indexLag: Math.max(0, recordsBetween(indexed(counters), committed(counters))),
})

export const publishIndexed = (counters: SharedCounters, record: number | bigint): void =>
  publish(counters, INDEXED, BigInt(record))

export const publishStop = (counters: SharedCounters): void => publish(counters, STOPPING, 1n)

/** The number of the index file. It is odd while the index thread replaces a damaged file. */
export const indexFileOf = (counters: SharedCounters): bigint => Atomics.load(counters, INDEX_FILE)

/** Call it before a damaged index file is deleted, and again when another one can be opened. */
export const publishIndexFile = (counters: SharedCounters): void =>
  publish(counters, INDEX_FILE, indexFileOf(counters) + 1n)

/** Reports to the index thread that the index file with this number is damaged. */
export const reportDamage = (counters: SharedCounters, file: bigint): void => publish(counters, DAMAGED, file + 1n)

/** Whether damage of the present index file was reported. */
export const isDamaged = (counters: SharedCounters): boolean =>
  Atomics.load(counters, DAMAGED) === Atomics.load(counters, INDEX_FILE) + 1n

/**
 * Blocks this thread until a later record than `seen` is committed, the index is damaged, or the stop flag is set; false after `patience`
 * milliseconds.
 */
export const awaitCommit = (counters: SharedCounters, seen: bigint, patience = Number.POSITIVE_INFINITY): boolean =>
  awaitBeyond(counters, COMMITTED, seen, patience)

/**
 * Blocks this thread for `patience` milliseconds, until a search waits for a record that is not indexed, the index is damaged, or the stop
 * flag is set.
 */
export const awaitWanted = (counters: SharedCounters, indexed: bigint, patience: number): boolean =>
  awaitBeyond(counters, WANTED, indexed, patience)

/** Publishes that a search waits for a record, unless another one waits for a later record. */
export function requestIndexed(counters: SharedCounters, record: bigint): void {
  for (;;) {
    const wanted = Atomics.load(counters, WANTED)
    if (wanted >= record) return
    if (Atomics.compareExchange(counters, WANTED, wanted, record) === wanted) break
  }
  Atomics.add(counters, EVENTS, 1n)
  Atomics.notify(counters, EVENTS)
}

/** Blocks this thread until the index has reached `record`; false after `patience` milliseconds, or if the store closes. */
export function awaitIndexed(counters: SharedCounters, record: bigint, patience: number): boolean {
  if (indexed(counters) >= record) return true
  requestIndexed(counters, record)
  awaitBeyond(counters, INDEXED, record - 1n, patience)
  return indexed(counters) >= record
}
