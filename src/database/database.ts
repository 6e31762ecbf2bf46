import type { Sql, Value } from './sql.ts'

export type Row = Record<string, Value>
/** An engine in this process answers at once, one across a network later; callers always await. */
export type Awaitable<T> = T | Promise<T>

/** Reads committed data. One statement sees one state of the store. */
export type Reader = {
  one<R = Row>(statement: Sql): Awaitable<R | undefined>
  all<R = Row>(statement: Sql): Awaitable<R[]>
}

/** Reads and writes inside one atomic transaction; `run` gives the number of rows it changed. */
export type Transaction = Reader & {
  run(statement: Sql): Awaitable<number>
}

/**
 * Runs `work` in an atomic transaction and resolves with its result once that is durable.
 * Several works may share one commit. When work throws, nothing of it remains and the error is passed on;
 * when the commit fails, every work of it rejects with a `StoreFault`.
 */
export type Write = <T>(work: (transaction: Transaction) => Awaitable<T>) => Promise<T>

/** The engine could not do its work: `full` passes when there is space again, `broken` does not pass. */
export class StoreFault extends Error {
  readonly kind: 'full' | 'broken'

  constructor(kind: 'full' | 'broken', cause: unknown) {
    super(kind === 'full' ? 'The disk is full.' : `The store failed: ${(cause as Error).message}`, { cause })
    this.name = 'StoreFault'
    this.kind = kind
  }
}
