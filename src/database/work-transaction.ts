import type { Transaction } from './database.ts'

/** A transaction for one work, and what ends it. */
export type WorkTransaction = { tx: Transaction; end(): void }

/**
 * Gives a work a transaction that is its own. Once that has ended every call throws, so that what a work left under way when it failed
 * neither reads nor writes, whichever transaction is open by then.
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
      async carry(carried) {
        assertOpen()
        const value = await shared.carry(carried)
        assertOpen()
        return value
      },
      hold(key) {
        assertOpen()
        return shared.hold(key)
      },
    },
    end() {
      ended = true
    },
  }
}
