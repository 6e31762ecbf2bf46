import type { Carried, Reader, Saver } from './database.ts'

/** The values that one transaction loads once and writes once. */
export type Carrier = {
  carry<T>(carried: Carried<T>): Promise<T>
  /** Writes every value; to be called once, before the commit. */
  save(saver: Saver): Promise<void>
  /** Returns the function that restores the present values. */
  mark(): Promise<() => void>
}

export function createCarrier(reader: Reader): Carrier {
  const values = new Map<Carried<unknown>, Promise<unknown>>()
  return {
    carry<T>(carried: Carried<T>): Promise<T> {
      let value = values.get(carried as Carried<unknown>)
      if (value === undefined) {
        value = Promise.resolve(carried.load(reader))
        values.set(carried as Carried<unknown>, value)
      }
      return value as Promise<T>
    },
    async save(saver) {
      await Promise.all([...values].map(async ([carried, value]) => carried.save(saver, await value)))
    },
    async mark() {
      const known = new Set(values.keys())
      const undos: (() => void)[] = []
      for (const [carried, value] of values) undos.push(carried.mark(await value))
      return () => {
        for (const undo of undos) undo()
        for (const carried of values.keys()) if (!known.has(carried)) values.delete(carried)
      }
    },
  }
}
