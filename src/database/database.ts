import type { Sql, Value } from './sql.ts'

export type Row = Record<string, Value>

/** The result of an engine. An engine in this process returns a value, an engine across a network a promise. Callers always await. */
export type Awaitable<T> = T | Promise<T>

/** Reads committed data. One statement sees one state of the store. */
export type Reader = {
  one<R = Row>(statement: Sql): Awaitable<R | undefined>
  all<R = Row>(statement: Sql): Awaitable<R[]>
}

/** A value that the works of a transaction change. It is loaded on first use, changed in memory, and written once before the commit. */
export type Loadable<T> = {
  load(reader: Reader): Awaitable<T>
  save(saver: Saver, value: T): Awaitable<unknown>
}

/** Writes the loaded values. It may send all statements together, so `run` returns nothing. */
export type Saver = { run(statement: Sql): unknown }

/** Reads and writes inside one atomic transaction; `run` returns the number of changed rows. */
export type Transaction = Reader & {
  run(statement: Sql): Awaitable<number>
  /** Returns the value, to be changed in place. */
  load<T>(loadable: Loadable<T>): Promise<T>
  /**
   * Locks a key until this work has ended: other works of the same transaction wait for it. Returns true if this work had to wait; rows
   * that it read before may then have changed. Lock keys in this order: actor, network, entries (sorted), slug.
   */
  lock(key: string): Awaitable<boolean>
}

/**
 * Runs `work` in an atomic transaction and resolves with its result once that is durable. Several works may share one commit. If a work
 * throws, its changes are rolled back and the error is passed on. If the commit fails, every work of it rejects with a `StoreFault`.
 */
export type Write = <T>(work: (transaction: Transaction) => Awaitable<T>) => Promise<T>

/**
 * The engine failed. Nothing was stored, unless the outcome is unknown: a failed commit may exist after a restart. `full` ends when there
 * is free space again, `unavailable` when the database can be reached again; `broken` does not end.
 */
export class StoreFault extends Error {
  readonly kind: 'full' | 'broken' | 'unavailable'
  readonly outcomeUnknown: boolean

  constructor(kind: StoreFault['kind'], cause: unknown, { outcomeUnknown = false } = {}) {
    super(
      kind === 'full'
        ? 'The disk is full.'
        : `The store ${kind === 'broken' ? 'failed' : 'cannot be reached'}: ${(cause as Error).message}`,
      { cause },
    )
    this.name = 'StoreFault'
    this.kind = kind
    this.outcomeUnknown = outcomeUnknown
  }
}

/** The row of a statement that always has one, such as a count. Throws if it has none. */
export function only<R>(row: R | undefined): R {
  if (row === undefined) throw new Error('A statement that always has a row has none.')
  return row
}

/** The value of a key that a map always has. Throws if the map does not have it. */
export function getOrThrow<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const value = map.get(key)
  if (value === undefined) throw new Error('A map that always has a key does not have it.')
  return value
}

/** Whether an error ends when the database can be reached again. */
export const isUnavailable = (error: unknown): boolean => error instanceof StoreFault && error.kind === 'unavailable'
