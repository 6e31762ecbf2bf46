import { type Awaitable, StoreFault, type Transaction, type Write } from './database.ts'
import { beginWriting, isSqliteError, type SqliteConnection } from './sqlite.ts'
import { createUnitOfWork, type UnitOfWork } from './unit-of-work.ts'
import { createWorkTransaction } from './work-transaction.ts'

/** The most works that share one commit: bounds how long the first of them waits. */
export const GROUP_MAX = 256

type Pending = {
  work: (transaction: Transaction) => Awaitable<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/**
 * Callbacks of a group: before its works are taken, before its commit, after a durable commit with the number of works, and after its end
 * in any case.
 */
export type Commits = { onGroup(): void; onCommitting(): void; onCommit(works: number): void; onEnd(): void }

/**
 * Group commit for the one writing connection of a SQLite store: works run one after another and share one durable commit. A work is
 * answered after that commit and after `on.onCommit`. A work that fails before it wrote anything fails alone. A work that fails after it
 * wrote spoils its group: the group is run again, each work in a savepoint, so a work may run twice. No request can cause that: operations
 * check first and write at the end. A broken store rejects this and all later works: a failed sync is never repeated. A store that another
 * process has locked for too long rejects a group as `unavailable`; nothing was begun.
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
          transact(connection, (tx, unit) => runGroup(tx, unit, group, undoing), on.onCommitting)
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

/** Called before each work of a group. Returns `done`, to be called after it, and `undo`, which removes its changes from the file. */
type Undoing = () => { done(): void; undo(error: unknown): void }

/** A work failed after it had written. */
class SpoiltGroup extends Error {}

/**
 * Operations check before they write, so a refusal needs no undo. Any other failure spoils the group: after a write, or by an error of
 * SQLite, which may have rolled back the whole transaction or counted a broken reference.
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

/** SQLite copies each page that changes after a savepoint. That takes a seventh of the writer's time for a create. */
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

/** Runs one work after another. Returns the answers, to be called once the commit is durable. */
async function runGroup(
  tx: Transaction,
  unit: UnitOfWork,
  group: readonly Pending[],
  undoing: Undoing,
): Promise<(() => void)[]> {
  const answers: (() => void)[] = []
  for (const { work, resolve, reject } of group) {
    const { done, undo } = undoing()
    const restore = await unit.mark()
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
      restore()
      answers.push(() => reject(error))
    }
  }
  return answers
}

/** Runs `work` in one durable transaction of a connection without another writer. If it throws, everything is rolled back. */
export async function transact<T>(
  connection: SqliteConnection,
  work: (tx: Transaction, unit: UnitOfWork) => Awaitable<T>,
  onCommitting: () => void = () => {},
): Promise<T> {
  const unit = createUnitOfWork(connection)
  const { tx, end } = createWorkTransaction({ ...connection, load: unit.load, lock: () => false })
  beginWriting(connection)
  try {
    const result = await work(tx, unit)
    end()
    await unit.save(connection)
    onCommitting()
    connection.step('COMMIT')
    return result
  } catch (error) {
    end()
    // SQLite may have rolled back by itself. No transaction may stay open.
    if (connection.raw.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}
