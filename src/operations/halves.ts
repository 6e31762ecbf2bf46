/**
 * A map that remembers what was used lately, in bounded memory: when one half of what it may weigh is full, what was not used since the
 * last time goes. Weights are the caller's, 1 each where none is given; what weighs more than a half is not kept.
 */
export type Halves<K, V> = {
  get(key: K): V | undefined
  set(key: K, value: V, weight?: number): void
  delete(key: K): void
  clear(): void
}

export function createHalves<K, V>(weightMax: number): Halves<K, V> {
  let young = new Map<K, { value: V; weight: number }>()
  let old: typeof young = new Map()
  /** The weight of the young half. */
  let filled = 0
  const remove = (key: K): void => {
    old.delete(key)
    filled -= young.get(key)?.weight ?? 0
    young.delete(key)
  }
  /** Adds a key that neither half has. */
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
