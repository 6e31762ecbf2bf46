/**
 * A cache that evicts the entries that were not used recently. It has two halves: when the young half is full, it becomes the old half, and
 * the previous old half is discarded. Weights are those of the caller, 1 by default; a value that weighs more than a half is not cached.
 */
export type LruCache<K, V> = {
  get(key: K): V | undefined
  set(key: K, value: V, weight?: number): void
  delete(key: K): void
  clear(): void
}

export function createLruCache<K, V>(weightMax: number): LruCache<K, V> {
  let young = new Map<K, { value: V; weight: number }>()
  let old: typeof young = new Map()
  /** The total weight of the young half. */
  let filled = 0
  const remove = (key: K): void => {
    old.delete(key)
    filled -= young.get(key)?.weight ?? 0
    young.delete(key)
  }
  /** Adds a key that is in neither half. */
  const put = (key: K, one: { value: V; weight: number }): void => {
    if (filled + one.weight > weightMax / 2) {
      old = young
      young = new Map()
      filled = 0
    }
    young.set(key, one)
    filled += one.weight
  }
  return {
    get(key) {
      const one = young.get(key)
      if (one !== undefined) return one.value
      const aged = old.get(key)
      if (aged === undefined) return undefined
      old.delete(key)
      put(key, aged)
      return aged.value
    },
    set(key, value, weight = 1) {
      remove(key)
      if (weight <= weightMax / 2) put(key, { value, weight })
    },
    delete: remove,
    clear() {
      young = new Map()
      old = new Map()
      filled = 0
    },
  }
}
