import { type Awaitable, StoreFault, type Transaction, type Write } from './database.ts'
import type { SqliteConnection } from './sqlite.ts'

/** The most works that share one commit: bounds how long the first of them waits. */
const GROUP_MAX = 256

type Pending = {
  work: (transaction: Transaction) => Awaitable<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/**
 * Group commit for the one writing connection of a SQLite store: works run one after another, each in a savepoint of its own,
 * and share one durable commit. Nobody is answered before that commit. `onCommit` runs after each, before anybody is answered.
 * A broken store rejects this and all later works: a failed sync is never tried again.
 */
export function createWriteQueue(
  connection: SqliteConnection,
  onCommit: () => void,
): Write & { idle(): Promise<void> } {
  const pending: Pending[] = []
  let running: Promise<void> | undefined
  let broken: StoreFault | undefined

  const drain = async (): Promise<void> => {
    // One turn of the event loop lets everything that has already arrived join the first group.
    await new Promise(setImmediate)
    while (pending.length > 0) {
      const group = pending.splice(0, GROUP_MAX)
      try {
        if (broken !== undefined) throw broken
        await commitGroup(connection, group, onCommit)
      } catch (error) {
        if (error instanceof StoreFault && error.kind === 'broken') broken = error
        for (const { reject } of group) reject(error)
      }
      await new Promise(setImmediate)
    }
    running = undefined
  }

  const write: Write = work =>
    new Promise((resolve, reject) => {
      pending.push({ work, resolve: resolve as (value: unknown) => void, reject })
      running ??= drain()
    })
  return Object.assign(write, { idle: async () => running })
}

async function commitGroup(connection: SqliteConnection, group: Pending[], onCommit: () => void): Promise<void> {
  const answers: (() => void)[] = []
  connection.exec('BEGIN IMMEDIATE')
  try {
    for (const { work, resolve, reject } of group) {
      connection.exec('SAVEPOINT work')
      try {
        const result = await work(connection)
        connection.exec('RELEASE work')
        answers.push(() => resolve(result))
      } catch (error) {
        if (error instanceof StoreFault) throw error
        connection.exec('ROLLBACK TO work; RELEASE work')
        answers.push(() => reject(error))
      }
    }
    connection.exec('COMMIT')
  } catch (error) {
    // SQLite may have rolled back by itself; what matters is that no transaction stays open.
    if (connection.raw.isTransaction) connection.exec('ROLLBACK')
    throw error instanceof StoreFault ? error : new StoreFault('broken', error)
  }
  onCommit()
  for (const answer of answers) answer()
}
