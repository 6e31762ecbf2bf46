import { type Awaitable, StoreFault, type Transaction } from './database.ts'
import type { GroupSession, Pending } from './group-commit.ts'
import { beginWriting, isSqliteError, type SqliteConnection } from './sqlite.ts'
import { UnitOfWork } from './unit-of-work.ts'
import { type Outcome, runWork, SpoiledGroup, WorkTransaction } from './work-transaction.ts'

/**
 * Callbacks of a group: before it begins, before its commit, after a durable commit with the number of works, and after its end in any
 * case.
 */
type GroupHooks = { onGroup(): void; onCommitting(): void; onCommit(works: number): void; onEnd(): void }

/**
 * Commits groups through the one writing connection of a SQLite store: works run one after another and share one durable commit. A broken
 * store rejects this and all later groups, because a failed sync is never repeated. The outcome of a group whose commit had begun is
 * unknown: its frames are in the write-ahead log. If another process has locked the store for too long, the group is rejected as
 * `unavailable`, and nothing was begun.
 */
export class SqliteSession implements GroupSession {
  readonly #connection: SqliteConnection
  readonly #on: Partial<GroupHooks>
  #broken: StoreFault | undefined

  constructor(connection: SqliteConnection, on: Partial<GroupHooks> = {}) {
    this.#connection = connection
    this.#on = on
  }

  async commit(group: readonly Pending[]): Promise<readonly Outcome[]> {
    let outcomeUnknown = false
    try {
      if (this.#broken !== undefined) throw this.#broken
      this.#on.onGroup?.()
      const inOrder = async (tx: Transaction): Promise<Outcome[]> => {
        const outcomes: Outcome[] = []
        for (const { work } of group) outcomes.push(await runWork(tx, own => work(own, 0), isRefusal))
        return outcomes
      }
      const outcomes = await transact(this.#connection, inOrder, () => {
        outcomeUnknown = true
        this.#on.onCommitting?.()
      })
      this.#on.onCommit?.(group.length)
      return outcomes
    } catch (error) {
      if (error instanceof SpoiledGroup) throw error
      const fault = error instanceof StoreFault ? error : new StoreFault('broken', error)
      if (fault.kind !== 'broken') throw fault
      this.#broken = fault
      throw outcomeUnknown ? new StoreFault('broken', fault.cause, { outcomeUnknown }) : fault
    } finally {
      this.#on.onEnd?.()
    }
  }
}

/** Whether an error concerns one work alone. An error of SQLite may have rolled back the whole transaction. */
const isRefusal = (error: unknown): boolean => !isSqliteError(error)

/** Runs `work` in one durable transaction of a connection without another writer. If it throws, everything is rolled back. */
export async function transact<T>(
  connection: SqliteConnection,
  work: (tx: Transaction) => Awaitable<T>,
  onCommitting = () => {},
): Promise<T> {
  const unit = new UnitOfWork(connection)
  const tx = new WorkTransaction({ ...connection, load: loadable => unit.load(loadable), lock: () => false })
  beginWriting(connection)
  try {
    const result = await work(tx)
    tx.end()
    await unit.save(connection)
    onCommitting()
    connection.step('COMMIT')
    return result
  } catch (error) {
    tx.end()
    // SQLite may have rolled back by itself. No transaction may stay open.
    if (connection.raw.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}
