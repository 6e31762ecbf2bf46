import { Problem } from '../contract/problem.ts'
import { StoreFault, type Transaction } from '../database/database.ts'
import type { PostgresConnection, Query } from '../database/postgres.ts'
import type { Sql } from '../database/sql.ts'
import { batchStatements, type ColumnTypes } from '../database/statement-batching.ts'
import { createTickBatcher, readerOf } from '../database/tick-batcher.ts'
import { createUnitOfWork } from '../database/unit-of-work.ts'
import { createWorkTransaction } from '../database/work-transaction.ts'
import { HEAD } from '../store/head.ts'

/** What a group knows under the lock: the time of the newest commit of any node, or of the newest work of the group if that is later. */
export type Locked = { committedAt: number }
export type Work = (tx: Transaction, locked: Locked) => Promise<unknown>
export type Outcome = { result: unknown } | { error: unknown }

/** A work failed so that nothing of its group may be committed; `cause` has its error. */
export class SpoiledGroup extends Error {}

/** Added to the sequence if PostgreSQL is another one, or an earlier state of itself: it may lack numbers that were given out. */
export const SEQUENCE_GAP = 1_000_000_000

const BEGIN: Query = { text: 'BEGIN', values: [] }
const LOCK: Query = { text: 'SELECT one FROM head FOR UPDATE', values: [] }
/** A statement of its own: one that waits for a lock returns the rows that it does not lock as of the time before the wait. */
const CLUSTER: Query = {
  text: 'SELECT committed_at, identity, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline FROM cluster',
  values: [],
}

/** Begins a transaction with the lock of the head row. All nodes write one after another under it. */
export async function lockHead(connection: PostgresConnection, system: string): Promise<Locked> {
  const [, head, cluster] = await connection.send([BEGIN, LOCK, CLUSTER])
  const row = cluster?.rows[0] as { committed_at: number; identity: string; timeline: string } | undefined
  if (head?.rows.length !== 1 || row === undefined) throw new Error('The store has no head row.')
  const identity = `${system}/${row.timeline}`
  if (row.identity !== identity) {
    await connection.send([
      { text: 'UPDATE cluster SET identity = $1', values: [identity] },
      { text: 'UPDATE head SET sequence = sequence + $1', values: [row.identity === '' ? 0 : SEQUENCE_GAP] },
    ])
  }
  return { committedAt: row.committed_at }
}

/**
 * Runs works side by side in the open transaction: statements that wait at the same time are sent together. Resolves with the outcome of
 * each, and with the statements that must run before the commit. Throws if the transaction must be rolled back.
 */
export async function runWorks(
  connection: PostgresConnection,
  columns: ColumnTypes,
  locked: Locked,
  works: readonly Work[],
): Promise<{ outcomes: Outcome[]; left: Query[] }> {
  let over = false
  const ask = askerOf(connection, columns, () => over)
  const reader = readerOf(ask)
  const unit = createUnitOfWork(reader)
  const mutex = createKeyedMutex()
  // Every write needs the head: it is read together with the first statements.
  unit.load(HEAD).catch(() => {})
  const run = async (work: Work): Promise<Outcome> => {
    let dirty = false
    const locks = mutex.forWork()
    const { tx, end } = createWorkTransaction({
      ...reader,
      async run(statement) {
        dirty = true
        return (await ask(statement)).count
      },
      load(loadable) {
        dirty = true
        return unit.load(loadable)
      },
      lock: locks.lock,
    })
    try {
      return { result: await work(tx, locked) }
    } catch (error) {
      if (error instanceof Problem && !dirty) return { error }
      if (error instanceof StoreFault) throw error
      throw new SpoiledGroup('A work failed after it had written, or in a way that no rule foresees.', { cause: error })
    } finally {
      end()
      locks.release()
    }
  }
  const settled = await Promise.allSettled(works.map(run))
  over = true
  for (const one of settled) if (one.status === 'rejected') throw one.reason
  const saves: Sql[] = []
  await unit.save({ run: statement => saves.push(statement) })
  const outcomes = settled.map(one => (one as PromiseFulfilledResult<Outcome>).value)
  return { outcomes, left: batchStatements(saves, columns).queries }
}

/**
 * Sends statements that wait at the same time together. After the end of the group it throws: a late statement of a failed work would run
 * outside of the transaction.
 */
const askerOf = (connection: PostgresConnection, columns: ColumnTypes, isOver: () => boolean) =>
  createTickBatcher(async statements => {
    if (isOver()) throw new StoreFault('unavailable', new Error('the group is over'))
    const batched = batchStatements(statements, columns)
    return batched.split(await connection.settle(batched.queries))
  })

/** Keyed locks of the works of one group: first come, first served. */
function createKeyedMutex() {
  const tails = new Map<string, Promise<void>>()
  return {
    forWork() {
      const own = new Set<string>()
      let release = (): void => {}
      const ended = new Promise<void>(resolve => {
        release = resolve
      })
      const lock = async (key: string): Promise<boolean> => {
        if (own.has(key)) return false
        own.add(key)
        const before = tails.get(key)
        tails.set(key, before === undefined ? ended : before.then(() => ended))
        await before
        return before !== undefined
      }
      return { lock, release }
    },
  }
}
