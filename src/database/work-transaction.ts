import type { Transaction } from './database.ts'

/** A transaction for one work, and the function that ends it. */
export type WorkTransaction = { tx: Transaction; end(): void }

/**
 * Returns a transaction for one work. After its end every call throws: a statement that a failed work left under way cannot run in a later
 * transaction.
 */
export function createWorkTransaction(shared: Transaction): WorkTransaction {
  let ended = false
  const assertOpen = (): void => {
    if (ended) throw new Error('The work of this transaction has ended; await everything that it does.')
  }
  return {
    tx: {
      one(statement) {
        assertOpen()
        return shared.one(statement)
      },
      all(statement) {
        assertOpen()
        return shared.all(statement)
      },
      run(statement) {
        assertOpen()
        return shared.run(statement)
      },
      async load(loadable) {
        assertOpen()
        const value = await shared.load(loadable)
        assertOpen()
        return value
      },
      lock(key) {
        assertOpen()
        return shared.lock(key)
      },
    },
    end() {
      ended = true
    },
  }
}
