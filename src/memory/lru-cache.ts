/** A value in the ring of a cache. `isUsed` says whether it was read since it was last considered for eviction. */
type Node<K, V> = {
  key: K
  value: V
  weight: number
  isUsed: boolean
  previous: Node<K, V>
  next: Node<K, V>
}

/** The maximum number of used values that one eviction passes over. Bounds its time. */
const PASSED_MAX = 64

/**
 * A cache that evicts values that were not used recently: the oldest one that was not used since it was last considered (the algorithm
 * CLOCK). The caller sets the weight of each value, 1 by default. A value that weighs more than half of `weightMax` is not cached.
 */
export class LruCache<K, V> {
  readonly #weightMax: number
  readonly #nodes = new Map<K, Node<K, V>>()
  #weight = 0
  /** The value that is considered next, which is the oldest one. The newest one is before it. */
  #hand: Node<K, V> | undefined

  constructor(weightMax: number) {
    this.#weightMax = weightMax
  }

  get(key: K): V | undefined {
    const node = this.#nodes.get(key)
    if (node === undefined) return undefined
    node.isUsed = true
    return node.value
  }

  set(key: K, value: V, weight = 1): void {
    this.delete(key)
    if (weight > this.#weightMax / 2) return
    while (this.#weight + weight > this.#weightMax) this.#evict()
    // The only value of a ring is its own neighbour.
    const node = { key, value, weight, isUsed: false } as Node<K, V>
    const next = this.#hand ?? node
    const previous = this.#hand?.previous ?? node
    node.previous = previous
    node.next = next
    previous.next = node
    next.previous = node
    this.#hand = next
    this.#nodes.set(key, node)
    this.#weight += weight
  }

  delete(key: K): void {
    const node = this.#nodes.get(key)
    if (node === undefined) return
    const { previous, next, weight } = node
    previous.next = next
    next.previous = previous
    if (this.#hand === node) this.#hand = next === node ? undefined : next
    this.#nodes.delete(key)
    this.#weight -= weight
  }

  clear(): void {
    this.#nodes.clear()
    this.#hand = undefined
    this.#weight = 0
  }

  #evict(): void {
    for (let passed = 0; passed < PASSED_MAX && this.#hand?.isUsed; passed++) {
      this.#hand.isUsed = false
      this.#hand = this.#hand.next
    }
    if (this.#hand !== undefined) this.delete(this.#hand.key)
  }
}
