/**
 * What the threads of the embedded store tell each other without messages, in shared memory:
 * the record number that is committed, the one that the search index has reached, that it is time to stop, how many commits
 * were begun and ended, the record number that a search waits for, how many writes shared those commits, and how many reads were asked for.
 * Whatever somebody may wait for counts as an event too, and all wait for the next one: what is told between a look and the wait wakes them.
 */
export type Signals = BigInt64Array<SharedArrayBuffer>

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
const SIZE = 10

export const createSignals = (): Signals =>
  new BigInt64Array(new SharedArrayBuffer(SIZE * BigInt64Array.BYTES_PER_ELEMENT))

export const committed = (signals: Signals): bigint => Atomics.load(signals, COMMITTED)
export const indexed = (signals: Signals): bigint => Atomics.load(signals, INDEXED)
export const isStopping = (signals: Signals): boolean => Atomics.load(signals, STOPPING) === 1n
export const isClosing = (signals: Signals): boolean => Atomics.load(signals, CLOSING) === 1n
/** How many events there were: to be asked for before looking, so that what is told after the look is not slept through. */
export const eventsOf = (signals: Signals): bigint => Atomics.load(signals, EVENTS)

function tell(signals: Signals, place: number, value: bigint): void {
  Atomics.store(signals, place, value)
  tellEvent(signals)
}

function tellEvent(signals: Signals): void {
  Atomics.add(signals, EVENTS, 1n)
  Atomics.notify(signals, EVENTS)
}

/** Blocks this thread until something holds; false when that takes longer than `patience` milliseconds. */
function awaitUntil(signals: Signals, patience: number, holds: () => boolean): boolean {
  const deadline = performance.now() + patience
  for (;;) {
    const events = eventsOf(signals)
    if (holds()) return true
    const left = deadline - performance.now()
    if (left <= 0) return false
    Atomics.wait(signals, EVENTS, events, left)
  }
}

/** Resolves, without blocking, once there was an event after the first `events`, or after `patience` milliseconds. */
export async function eventAfter(signals: Signals, events: bigint, patience: number): Promise<void> {
  await Atomics.waitAsync(signals, EVENTS, events, patience).value
}

/** Bits of a position that are the record. */
const RECORD_BITS = 48n

/** A place in the course of a store: every record of a later history comes after all of an earlier one. On an embedded store it is the record. */
export const positionOf = ({ record, history }: { record: number; history: number }): bigint =>
  (BigInt(history) << RECORD_BITS) | BigInt(record)

/** How many records one position is before another; of another history, all records count. */
const recordsBetween = (from: bigint, to: bigint): number =>
  Number(from >> RECORD_BITS === to >> RECORD_BITS ? to - from : BigInt.asUintN(Number(RECORD_BITS), to))

export const tellCommitted = (signals: Signals, record: number | bigint): void =>
  tell(signals, COMMITTED, BigInt(record))

/** To be called before each commit; `tellEnded` after it, whatever became of it. */
export function tellBegun(signals: Signals): void {
  Atomics.add(signals, BEGUN, 1n)
}

export function tellEnded(signals: Signals): void {
  Atomics.store(signals, ENDED, Atomics.load(signals, BEGUN))
}

/** Says that the store closes: all waits for the index end. */
export const tellClosing = (signals: Signals): void => tell(signals, CLOSING, 1n)

/** How many commits there were; undefined while one is under way: a reader may see it or not. */
export function commitsOf(signals: Signals): bigint | undefined {
  const ended = Atomics.load(signals, ENDED)
  return Atomics.load(signals, BEGUN) === ended ? ended : undefined
}

/** Counts the writes that shared a commit. */
export function countWrites(signals: Signals, writes: number): void {
  Atomics.add(signals, WRITES, BigInt(writes))
}

/** Counts a read that was asked for: who works behind the thread that answers gives way to it. */
export function countRead(signals: Signals): void {
  Atomics.add(signals, READS, 1n)
}

export const readsOf = (signals: Signals): bigint => Atomics.load(signals, READS)

/** What was counted since the start, and how many records the index is behind. */
export const countedSignals = (signals: Signals): { commits: number; committedWrites: number; indexLag: number } => ({
  commits: Number(Atomics.load(signals, ENDED)),
  committedWrites: Number(Atomics.load(signals, WRITES)),
  indexLag: Math.max(0, recordsBetween(indexed(signals), committed(signals))),
})

export const tellIndexed = (signals: Signals, record: number | bigint): void => tell(signals, INDEXED, BigInt(record))

export const tellStop = (signals: Signals): void => tell(signals, STOPPING, 1n)

/** Blocks this thread until something else than `seen` is committed, or it is time to stop; false when that takes longer than `patience` milliseconds. */
export const awaitCommit = (signals: Signals, seen: bigint, patience = Number.POSITIVE_INFINITY): boolean =>
  awaitUntil(signals, patience, () => committed(signals) !== seen || isStopping(signals))

/** Blocks this thread for `patience` milliseconds, until a search waits for more than is indexed, or it is time to stop. */
export function awaitWanted(signals: Signals, indexed: bigint, patience: number): void {
  awaitUntil(signals, patience, () => Atomics.load(signals, WANTED) > indexed || isStopping(signals))
}

/** Says that a search waits for a record; a later one that somebody else waits for stays. */
export function want(signals: Signals, record: bigint): void {
  for (;;) {
    const wanted = Atomics.load(signals, WANTED)
    if (wanted >= record) return
    if (Atomics.compareExchange(signals, WANTED, wanted, record) === wanted) break
  }
  tellEvent(signals)
}

/** Blocks this thread until the index has reached `record`; false when that takes longer than `patience` milliseconds, or the store closes. */
export function awaitIndexed(signals: Signals, record: bigint, patience: number): boolean {
  const reached = (): boolean => indexed(signals) >= record
  if (!reached()) want(signals, record)
  awaitUntil(signals, patience, () => reached() || isClosing(signals))
  return reached()
}
