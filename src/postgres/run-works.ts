import { Problem } from '../contract/problem.ts'
import { type Awaitable, type Loadable, StoreFault, type Transaction } from '../database/database.ts'
import type { PostgresConnection, Query } from '../database/postgres.ts'
import type { Sql } from '../database/sql.ts'
import { batchStatements, type ColumnTypes } from '../database/statement-batching.ts'
import { createTickBatcher, readerOf } from '../database/tick-batcher.ts'
import { UnitOfWork } from '../database/unit-of-work.ts'
import { type Outcome, runWork } from '../database/work-transaction.ts'
import { HEAD } from '../store/head.ts'

/**
 * Runs works concurrently in the open transaction. Statements that wait at the same time are sent together. Resolves with the outcome of
 * each work, and with the statements that must run before the commit. Throws if the transaction must be rolled back.
 */
export async function runWorks(
  connection: PostgresConnection,
  columns: ColumnTypes,
  works: readonly ((tx: Transaction) => Awaitable<unknown>)[],
): Promise<{ outcomes: Outcome[]; remainingStatements: Query[] }> {
  let over = false
  const ask = createTickBatcher(async queries => {
    // A late statement of a failed work would run outside of the transaction.
    if (over) throw new StoreFault('unavailable', new Error('the group is over'))
    return connection.settle(queries)
  }, columns)
  const reader = readerOf(ask)
  const unit = new UnitOfWork(reader)
  const mutex = new KeyedMutex()
  // Every write needs the head, so it is read together with the first statements.
  unit.load(HEAD).catch(() => {})
  const load = <T>(loadable: Loadable<T>): Promise<T> => unit.load(loadable)
  const run = async (work: (tx: Transaction) => Awaitable<unknown>): Promise<Outcome> => {
    const { lock, release } = mutex.forWork()
    const shared = { ...reader, run: async (statement: Sql) => (await ask(statement)).count, load, lock }
    return runWork(shared, work, error => error instanceof Problem).finally(release)
  }
  const settled = await Promise.allSettled(works.map(run))
  over = true
  const outcomes = settled.map(one => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
  const saves: Sql[] = []
  await unit.save({ run: statement => saves.push(statement) })
  return { outcomes, remainingStatements: batchStatements(saves, columns).queries }
}

/** Locks by key for the works of one group: first come, first served. */
class KeyedMutex {
  readonly #tails = new Map<string, Promise<void>>()

  /** `lock` resolves when the work has a key, with true if it had to wait. `release` unlocks all keys of the work. */
  forWork(): { lock(key: string): Promise<boolean>; release(): void } {
    const own = new Set<string>()
    const { promise: ended, resolve: release } = Promise.withResolvers<void>()
    const lock = async (key: string): Promise<boolean> => {
      if (own.has(key)) return false
      own.add(key)
      const before = this.#tails.get(key)
      this.#tails.set(key, before === undefined ? ended : before.then(() => ended))
      await before
      return before !== undefined
    }
    return { lock, release }
  }
}
