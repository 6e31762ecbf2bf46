import type { Loadable, Reader, Saver } from './database.ts'

/** The values that one transaction loads once and writes once. */
export type UnitOfWork = {
  load<T>(loadable: Loadable<T>): Promise<T>
  /** Writes every value; to be called once, before the commit. */
  save(saver: Saver): Promise<void>
}

export function createUnitOfWork(reader: Reader): UnitOfWork {
  const values = new Map<Loadable<unknown>, Promise<unknown>>()
  return {
    load<T>(loadable: Loadable<T>): Promise<T> {
      let value = values.get(loadable as Loadable<unknown>)
      if (value === undefined) {
        value = Promise.resolve(loadable.load(reader))
        values.set(loadable as Loadable<unknown>, value)
      }
      return value as Promise<T>
    },
    async save(saver) {
      await Promise.all([...values].map(async ([loadable, value]) => loadable.save(saver, await value)))
    },
  }
}
