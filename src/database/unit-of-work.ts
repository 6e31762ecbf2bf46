import type { Loadable, Reader, Saver } from './database.ts'

/** The values that one transaction loads once and writes once. */
export class UnitOfWork {
  readonly #reader: Reader
  readonly #values = new Map<Loadable<unknown>, Promise<unknown>>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  load<T>(loadable: Loadable<T>): Promise<T> {
    let value = this.#values.get(loadable as Loadable<unknown>)
    if (value === undefined) {
      value = Promise.resolve(loadable.load(this.#reader))
      this.#values.set(loadable as Loadable<unknown>, value)
    }
    return value as Promise<T>
  }

  /** Writes every value. Call it once, before the commit. */
  async save(saver: Saver): Promise<void> {
    await Promise.all([...this.#values].map(async ([loadable, value]) => loadable.save(saver, await value)))
  }
}
