/**
 * A map that remembers what was used lately, in bounded memory: when one half of what it may weigh is full, what was not used since the
 * last time goes. Weights are the caller's, 1 each where none is given.
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
  let filled = 0
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
      old.delete(key)
      put(key, { value, weight })
    },
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
    clear() {
      young = new Map()
      old = new Map()
      filled = 0
    },
  }
}
