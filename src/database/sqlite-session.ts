import { type Awaitable, StoreFault, type Transaction } from './database.ts'
import type { GroupSession } from './group-commit.ts'
import { beginWriting, isSqliteError, type SqliteConnection } from './sqlite.ts'
import { createUnitOfWork } from './unit-of-work.ts'
import { createWorkTransaction, type Outcome, runWork, SpoiledGroup } from './work-transaction.ts'

/** Callbacks of a group: before it begins, before its commit, after a durable commit with the number of works, and after its end in any case. */
export type GroupHooks = { onGroup(): void; onCommitting(): void; onCommit(works: number): void; onEnd(): void }

/**
 * Commits groups through the one writing connection of a SQLite store: works run one after another and share one durable commit. A broken
 * store rejects this and all later groups: a failed sync is never repeated. A store that another process has locked for too long rejects a
 * group as `unavailable`; nothing was begun.
 */
export function createSqliteSession(connection: SqliteConnection, on: Partial<GroupHooks> = {}): GroupSession {
  let broken: StoreFault | undefined
  return {
    async commit(group) {
      try {
        if (broken !== undefined) throw broken
        on.onGroup?.()
        const inOrder = async (tx: Transaction): Promise<Outcome[]> => {
          const outcomes: Outcome[] = []
          for (const { work } of group) outcomes.push(await runWork(tx, own => work(own, 0), isRefusal))
          return outcomes
        }
        const outcomes = await transact(connection, inOrder, on.onCommitting)
        on.onCommit?.(group.length)
        return outcomes
      } catch (error) {
        if (error instanceof SpoiledGroup) throw error
        const fault = error instanceof StoreFault ? error : new StoreFault('broken', error)
        if (fault.kind === 'broken') broken = fault
        throw fault
      } finally {
        on.onEnd?.()
      }
    },
  }
}

/** An error of SQLite may have rolled back the whole transaction. */
const isRefusal = (error: unknown): boolean => !isSqliteError(error)

/** Runs `work` in one durable transaction of a connection without another writer. If it throws, everything is rolled back. */
export async function transact<T>(
  connection: SqliteConnection,
  work: (tx: Transaction) => Awaitable<T>,
  onCommitting = () => {},
): Promise<T> {
  const unit = createUnitOfWork(connection)
  const { tx, end } = createWorkTransaction({ ...connection, load: unit.load, lock: () => false })
  beginWriting(connection)
  try {
    const result = await work(tx)
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
