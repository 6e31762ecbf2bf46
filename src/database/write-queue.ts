import { type Carrier, createCarrier } from './carrier.ts'
import { type Awaitable, StoreFault, type Transaction, type Write } from './database.ts'
import { beginWriting, isSqliteError, type SqliteConnection } from './sqlite.ts'
import { createWorkTransaction } from './work-transaction.ts'

/** The most works that share one commit: bounds how long the first of them waits. */
export const GROUP_MAX = 256

type Pending = {
  work: (transaction: Transaction) => Awaitable<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/**
 * Who is told of commits: before the works of one are taken, before it, after one that is durable and how many works shared it, and when one has
 * ended, whatever became of it.
 */
export type Commits = { onGroup(): void; onCommitting(): void; onCommit(works: number): void; onEnd(): void }

/**
 * Group commit for the one writing connection of a SQLite store: works run one after another and share one durable commit. Nobody is
 * answered before that commit, nor before `on` was told of it. A work that fails before it wrote anything fails alone. One that fails
 * after it wrote spoils its group: that is run again, each work in a savepoint of its own, so a work may run twice. No request can cause that:
 * operations judge first and write at the end.
 * A broken store rejects this and all later works: a failed sync is never tried again. One that another process has locked for too long rejects
 * a group as `unavailable`, and nothing was begun.
 */
export function createWriteQueue(connection: SqliteConnection, on: Commits): Write & { idle(): Promise<void> } {
  const pending: Pending[] = []
  let running: Promise<void> | undefined
  let broken: StoreFault | undefined

  const drain = async (): Promise<void> => {
    // One turn of the event loop lets everything that has already arrived join the first group.
    await new Promise(setImmediate)
    while (pending.length > 0) {
      on.onGroup()
      const group = pending.splice(0, GROUP_MAX)
      try {
        if (broken !== undefined) throw broken
        const run = (undoing: Undoing) =>
          transact(connection, (tx, carrier) => runGroup(tx, carrier, group, undoing), on.onCommitting)
        const answers = await run(nothingWritten(connection)).catch(error => {
          if (error instanceof SpoiltGroup) return run(savepoints(connection))
          throw error
        })
        on.onCommit(group.length)
        on.onEnd()
        for (const answer of answers) answer()
      } catch (error) {
        const fault = error instanceof StoreFault ? error : new StoreFault('broken', error)
        if (fault.kind === 'broken') broken = fault
        on.onEnd()
        for (const { reject } of group) reject(fault)
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

/** Called before each work of a group: gives what to call when it is done, and what undoes in the file what it wrote. */
type Undoing = () => { done(): void; undo(error: unknown): void }

/** A work failed behind what it had written. */
class SpoiltGroup extends Error {}

/**
 * Operations judge before they write, so a refusal needs no undoing. A work that fails otherwise spoils its group: after it wrote, or by
 * an error of SQLite, which may have undone the whole transaction, or have counted a reference that leads nowhere.
 */
const nothingWritten =
  (connection: SqliteConnection): Undoing =>
  () => {
    const before = connection.changes()
    return {
      done() {},
      undo(error) {
        if (isSqliteError(error) || connection.changes() !== before) throw new SpoiltGroup()
      },
    }
  }

/** SQLite copies each page that a work changes behind a savepoint: of the writer's time for a create that takes a seventh. */
const savepoints =
  (connection: SqliteConnection): Undoing =>
  () => {
    connection.step('SAVEPOINT work')
    const done = (): void => connection.step('RELEASE work')
    return {
      done,
      undo() {
        connection.step('ROLLBACK TO work')
        done()
      },
    }
  }

/** Runs one work after another and gives what each is to be answered once the commit is durable. */
async function runGroup(
  tx: Transaction,
  carrier: Carrier,
  group: readonly Pending[],
  undoing: Undoing,
): Promise<(() => void)[]> {
  const answers: (() => void)[] = []
  for (const { work, resolve, reject } of group) {
    const { done, undo } = undoing()
    const uncarry = await carrier.mark()
    const own = createWorkTransaction(tx)
    try {
      const result = await work(own.tx)
      own.end()
      done()
      answers.push(() => resolve(result))
    } catch (error) {
      own.end()
      if (error instanceof StoreFault) throw error
      undo(error)
      uncarry()
      answers.push(() => reject(error))
    }
  }
  return answers
}

/** Runs `work` in one durable transaction of a connection that has no other writer. When it throws, nothing of it remains. */
export async function transact<T>(
  connection: SqliteConnection,
  work: (tx: Transaction, carrier: Carrier) => Awaitable<T>,
  onCommitting: () => void = () => {},
): Promise<T> {
  const carrier = createCarrier(connection)
  const { tx, end } = createWorkTransaction({ ...connection, carry: carrier.carry, hold: () => false })
  beginWriting(connection)
  try {
    const result = await work(tx, carrier)
    end()
    await carrier.save(connection)
    onCommitting()
    connection.step('COMMIT')
    return result
  } catch (error) {
    end()
    // SQLite may have rolled back by itself; what matters is that no transaction stays open.
    if (connection.raw.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}
