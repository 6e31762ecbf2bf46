import type { Carried, Reader, Transaction } from './database.ts'

/** The values that one transaction carries. */
export type Carrier = {
  carry<T>(carried: Carried<T>): Promise<T>
  /** Writes every value; to be called once, before the commit. */
  save(transaction: Pick<Transaction, 'run'>): Promise<void>
  /** Gives the function that brings the values back to what they are now. */
  mark(): Promise<() => void>
}

export function createCarrier(reader: Reader): Carrier {
  let values = new Map<Carried<unknown>, Promise<unknown>>()
  return {
    carry<T>(carried: Carried<T>): Promise<T> {
      let value = values.get(carried as Carried<unknown>)
      if (value === undefined) {
        value = Promise.resolve(carried.load(reader))
        values.set(carried as Carried<unknown>, value)
      }
      return value as Promise<T>
    },
    async save(transaction) {
      for (const [carried, value] of values) await carried.save(transaction, await value)
    },
    async mark() {
      const marked: typeof values = new Map()
      for (const [carried, value] of values) marked.set(carried, Promise.resolve(carried.copy(await value)))
      return () => {
        values = marked
      }
    },
  }
}
