/**
 * A cache that evicts the entries that were not used recently. It has two halves: when the young half is full, it becomes the old half, and
 * the previous old half is discarded. The caller sets the weight of each value, 1 by default. A value that weighs more than half of
 * `weightMax` is not cached.
 */
export class LruCache<K, V> {
  readonly #weightMax: number
  #young = new Map<K, { value: V; weight: number }>()
  #old = new Map<K, { value: V; weight: number }>()
  /** The total weight of the young half. */
  #filled = 0

  constructor(weightMax: number) {
    this.#weightMax = weightMax
  }

  get(key: K): V | undefined {
    const one = this.#young.get(key)
    if (one !== undefined) return one.value
    const aged = this.#old.get(key)
    if (aged === undefined) return undefined
    this.#old.delete(key)
    this.set(key, aged.value, aged.weight)
    return aged.value
  }

  set(key: K, value: V, weight = 1): void {
    this.delete(key)
    if (weight > this.#weightMax / 2) return
    if (this.#filled + weight > this.#weightMax / 2) {
      this.#old = this.#young
      this.#young = new Map()
      this.#filled = 0
    }
    this.#young.set(key, { value, weight })
    this.#filled += weight
  }

  delete(key: K): void {
    this.#old.delete(key)
    const one = this.#young.get(key)
    if (one === undefined) return
    this.#filled -= one.weight
    this.#young.delete(key)
  }

  clear(): void {
    this.#young = new Map()
    this.#old = new Map()
    this.#filled = 0
  }
}
