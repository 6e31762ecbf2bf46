import {
  type Awaitable,
  type Loadable,
  type Reader,
  type Row,
  type Saver,
  StoreFault,
  type Transaction,
} from './database.ts'
import type { Sql } from './sql.ts'

/** The outcome of a work that did not spoil its group: its result, or the error that refused it. */
export type Outcome = { result: unknown } | { error: unknown }

/** A work failed, and nothing of its group may be committed. `cause` is the error of the work. */
export class SpoiledGroup extends Error {}

const READS = /^\s*(?:SELECT|WITH)\b/

/**
 * A transaction for one work, within a transaction that several works share. After `end` every call throws: a statement that the work did
 * not await cannot run in a later transaction.
 */
export class WorkTransaction implements Transaction {
  readonly #shared: Transaction
  #hasEnded = false
  #hasWritten = false

  constructor(shared: Transaction) {
    this.#shared = shared
  }

  one<R = Row>(statement: Sql): Awaitable<R | undefined> {
    return this.#open(statement).one<R>(statement)
  }

  all<R = Row>(statement: Sql): Awaitable<R[]> {
    return this.#open(statement).all<R>(statement)
  }

  run(statement: Sql): Awaitable<number> {
    return this.#open(statement).run(statement)
  }

  async load<T>(loadable: Loadable<T>): Promise<T> {
    const value = await this.#open().load(loadable)
    this.#hasWritten = true
    this.#open()
    return value
  }

  lock(key: string): Awaitable<boolean> {
    return this.#open().lock(key)
  }

  /** Whether the work has changed anything. */
  wrote(): boolean {
    return this.#hasWritten
  }

  end(): void {
    this.#hasEnded = true
  }

  #open(statement?: Sql): Transaction {
    if (this.#hasEnded) throw new Error('The work of this transaction has ended; await everything that it does.')
    this.#hasWritten ||= statement !== undefined && !READS.test(statement.text)
    return this.#shared
  }
}

/**
 * Runs one work of a group. If the work throws before it wrote, and `isRefusal` accepts the error, the error is its outcome. Throws
 * StoreFault if the engine failed, and SpoiledGroup with any other error.
 */
export async function runWork(
  shared: Transaction,
  work: (tx: Transaction) => Awaitable<unknown>,
  isRefusal: (error: unknown) => boolean,
): Promise<Outcome> {
  const tx = new WorkTransaction(shared)
  try {
    return { result: await work(tx) }
  } catch (error) {
    if (error instanceof StoreFault) throw error
    if (!tx.wrote() && isRefusal(error)) return { error }
    throw new SpoiledGroup('A work failed after it had written, or by an error of the engine.', { cause: error })
  } finally {
    tx.end()
  }
}

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
