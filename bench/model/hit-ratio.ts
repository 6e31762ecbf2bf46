import type { Chance } from './chance.ts'
import { meanByZipf, sumOverRanks, zipfRanks } from './zipf.ts'

/** A population of entries whose popularity follows Zipf's law with this exponent. `perSecond` is the total rate of reads. */
export type Readers = { entries: number; exponent: number; perSecond: number }
/**
 * A cache with `capacity` entries. An answer expires `lifetime` seconds after it was stored, and is removed when its entry changes.
 * `changes` is the total rate of changes per second; changed entries have the same distribution as read entries.
 */
export type Cache = { capacity: number; lifetime: number; changes: number }

/** Relative precision of the characteristic time, and of the sum over all ranks. */
const PRECISION = 1e-4
const EXCESS = 1e-3

export const NO_EXPIRY: Omit<Cache, 'capacity'> = { lifetime: Number.POSITIVE_INFINITY, changes: 0 }

/**
 * The share of the time in which a cache contains an entry that is read and changed at these rates, and discarded after `time` without a
 * read.
 */
const presence = (rate: number, changed: number, time: number): number =>
  (rate / (rate + changed)) * (time === Number.POSITIVE_INFINITY ? 1 : -Math.expm1(-(rate + changed) * time))

/**
 * The time in seconds that an unread entry stays in a full LRU cache, for which the expected number of cached entries is the capacity (Che,
 * Tung and Wang, "Hierarchical web caching systems", 2002). Infinite if all unchanged entries fit.
 */
export function characteristicTime(readers: Readers, { capacity, changes }: Omit<Cache, 'lifetime'>): number {
  const { entries, exponent, perSecond } = readers
  const cached = (time: number): number =>
    sumOverRanks(entries, exponent, popularity => presence(popularity * perSecond, popularity * changes, time))
  if (cached(Number.POSITIVE_INFINITY) <= capacity * (1 + EXCESS)) return Number.POSITIVE_INFINITY
  let [low, high] = [0, 1]
  while (cached(high) < capacity) [low, high] = [high, high * 4]
  for (let step = 0; step < 60 && high - low > PRECISION * high; step++) {
    const middle = (low + high) / 2
    if (cached(middle) < capacity) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/**
 * The share of reads that an LRU cache answers, by Che's approximation. A read hits if the time since the previous read of its entry is
 * below the characteristic time and the entry did not change in between. With a lifetime T, the share r T / (1 + r T) of the reads at a
 * rate r then hits.
 */
export function hitRatio(readers: Readers, cache: Cache): number {
  const { capacity, lifetime, changes } = cache
  if (capacity <= 0) return 0
  const time = characteristicTime(readers, cache)
  return meanByZipf(readers.entries, readers.exponent, popularity => {
    const rate = popularity * readers.perSecond
    const unexpired = lifetime === Number.POSITIVE_INFINITY ? 1 : (rate * lifetime) / (1 + rate * lifetime)
    return presence(rate, popularity * changes, time) * unexpired
  })
}

/** A cache of `capacity` keys that discards the least recently used key. */
export class SimulatedLru {
  readonly #capacity: number
  readonly #keys = new Set<number>()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Uses a key. Returns whether the cache contained it. */
  use(key: number): boolean {
    const isThere = this.#keys.delete(key)
    this.#keys.add(key)
    if (this.#keys.size > this.#capacity) this.#keys.delete(this.#keys.values().next().value as number)
    return isThere
  }

  delete(key: number): void {
    this.#keys.delete(key)
  }
}

/**
 * The share of hits in a simulated LRU cache without expiry, after the same number of reads has filled it. A change may follow each read.
 */
export function simulatedHitRatio(
  { entries, exponent, perSecond }: Readers,
  { capacity, changes }: Omit<Cache, 'lifetime'>,
  reads: number,
  chance: Chance,
): number {
  const cache = new SimulatedLru(capacity)
  const draw = zipfRanks(entries, exponent, chance)
  let hits = 0
  for (let read = 0; read < 2 * reads; read++) {
    if (cache.use(draw()) && read >= reads) hits++
    if (chance() < changes / perSecond) cache.delete(draw())
  }
  return hits / reads
}
