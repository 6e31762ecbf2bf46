import { type Awaitable, StoreFault, type Transaction } from './database.ts'
import type { Sql } from './sql.ts'

/** The end of a work that left its group as it was: its result, or the error that refused it. */
export type Outcome = { result: unknown } | { error: unknown }

/** A work failed in a way that nothing of its group may be committed; `cause` is its error. */
export class SpoiledGroup extends Error {}

/** A transaction for one work. After `end` every call of `tx` throws. `wrote` returns whether the work has changed anything. */
export type WorkTransaction = { tx: Transaction; wrote(): boolean; end(): void }

const READS = /^\s*(?:SELECT|WITH)\b/

/** Returns a transaction for one work: a statement that the work left under way cannot run in a later transaction. */
export function createWorkTransaction(shared: Transaction): WorkTransaction {
  let [ended, wrote] = [false, false]
  const open = (statement?: Sql): Transaction => {
    if (ended) throw new Error('The work of this transaction has ended; await everything that it does.')
    wrote ||= statement !== undefined && !READS.test(statement.text)
    return shared
  }
  return {
    tx: {
      one: statement => open(statement).one(statement),
      all: statement => open(statement).all(statement),
      run: statement => open(statement).run(statement),
      async load(loadable) {
        const value = await open().load(loadable)
        wrote = true
        open()
        return value
      },
      lock: key => open().lock(key),
    },
    wrote: () => wrote,
    end() {
      ended = true
    },
  }
}

/**
 * Runs one work of a group. An error that `isRefusal` accepts, before the work wrote, is its outcome. Throws StoreFault if the engine
 * failed, and SpoiledGroup with any other error.
 */
export async function runWork(
  shared: Transaction,
  work: (tx: Transaction) => Awaitable<unknown>,
  isRefusal: (error: unknown) => boolean,
): Promise<Outcome> {
  const { tx, wrote, end } = createWorkTransaction(shared)
  try {
    return { result: await work(tx) }
  } catch (error) {
    if (error instanceof StoreFault) throw error
    if (!wrote() && isRefusal(error)) return { error }
    throw new SpoiledGroup('A work failed after it had written, or by an error of the engine.', { cause: error })
  } finally {
    end()
  }
}
