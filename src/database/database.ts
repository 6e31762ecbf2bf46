import type { Sql, Value } from './sql.ts'

export type Row = Record<string, Value>

/** An engine in this process answers at once, one across a network later; callers always await. */
export type Awaitable<T> = T | Promise<T>

/** Reads committed data. One statement sees one state of the store. */
export type Reader = {
  one<R = Row>(statement: Sql): Awaitable<R | undefined>
  all<R = Row>(statement: Sql): Awaitable<R[]>
}

/**
 * A value that a transaction carries in memory: loaded when it is first asked for, written once, before the commit.
 * For what every work of a group changes.
 */
export type Carried<T> = {
  load(reader: Reader): Awaitable<T>
  /** Gives the function that brings the value back to what it is now. */
  mark(value: T): () => void
  save(saver: Saver, value: T): Awaitable<unknown>
}

/** Writes values that were carried; perhaps all of them together once the last is known, so that nothing comes back. */
export type Saver = { run(statement: Sql): unknown }

/** Reads and writes inside one atomic transaction; `run` gives the number of rows it changed. */
export type Transaction = Reader & {
  run(statement: Sql): Awaitable<number>
  /** Gives the value, to be changed in place. */
  carry<T>(carried: Carried<T>): Promise<T>
  /**
   * Keeps other works of the same transaction that ask for this key waiting until this work has ended.
   * True when it had to wait itself: what was read before may have changed. Hold keys in the order actor, network, entries (sorted), slug.
   */
  hold(key: string): Awaitable<boolean>
}

/**
 * Runs `work` in an atomic transaction and resolves with its result once that is durable.
 * Several works may share one commit. When work throws, nothing of it remains and the error is passed on;
 * when the commit fails, every work of it rejects with a `StoreFault`.
 */
export type Write = <T>(work: (transaction: Transaction) => Awaitable<T>) => Promise<T>

/**
 * The engine could not do its work and nothing was stored: `full` passes when there is space again, `unavailable` when the
 * database can be reached again, `broken` does not pass.
 */
export class StoreFault extends Error {
  readonly kind: 'full' | 'broken' | 'unavailable'

  constructor(kind: StoreFault['kind'], cause: unknown) {
    super(
      kind === 'full'
        ? 'The disk is full.'
        : `The store ${kind === 'broken' ? 'failed' : 'cannot be reached'}: ${(cause as Error).message}`,
      { cause },
    )
    this.name = 'StoreFault'
    this.kind = kind
  }
}

/** Whether an error passes when the database can be reached again. */
export const isUnavailable = (error: unknown): boolean => error instanceof StoreFault && error.kind === 'unavailable'
