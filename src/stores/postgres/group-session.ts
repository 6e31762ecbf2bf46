import { randomUUID } from 'node:crypto'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { Problem } from '../../contract/problem.ts'
import { batchStatements, type ColumnTypes, createTickBatcher, readerOf } from '../../engine/batching.ts'
import { isUnavailable, type Loadable, type Sql, StoreFault } from '../../engine/database.ts'
import {
  type GroupSession,
  type Loaded,
  notBefore,
  type Outcome,
  type Pending,
  runWork,
  type Work,
} from '../../engine/group-commit.ts'
import type { PostgresConnection, Query } from '../../engine/postgres.ts'
import { HEAD, SEQUENCE_GAP } from '../../memory/head-rows.ts'
import type { Server } from './prepare.ts'
import { getConnectionBefore, type Session } from './session.ts'

/** Milliseconds for works of a group that begin in one turn of the event loop. The others begin in later turns, so that reads run between. */
const BEGIN_BUDGET_MS = 1

/**
 * Runs works concurrently in the open transaction; no time that they write may be before `floor`. Statements that wait at the same time are
 * sent together. Resolves with the outcome of each work, and with the statements that must run before the commit. Throws if the transaction
 * must be rolled back.
 */
export async function runWorks(
  connection: PostgresConnection,
  columns: ColumnTypes,
  works: readonly Work[],
  floor = 0,
): Promise<{ outcomes: Outcome[]; remainingStatements: Query[] }> {
  let over = false
  const ask = createTickBatcher(async queries => {
    // A late statement of a failed work would run outside of the transaction.
    if (over) throw new StoreFault('unavailable', new Error('the group is over'))
    return connection.settle(queries)
  }, columns)
  const reader = readerOf(ask)
  const loaded: Loaded = new Map()
  const mutex = new KeyedMutex()
  // Every write needs the head, so it is read together with the first statements.
  const head = Promise.resolve(HEAD.load(reader))
  head.catch(() => {})
  loaded.set(HEAD as Loadable<unknown>, head)
  const run = async (work: Work): Promise<Outcome> => {
    const { lock, release } = mutex.forWork()
    const shared = { ...reader, run: async (statement: Sql) => (await ask(statement)).count, lock }
    return runWork(shared, loaded, work, floor, error => error instanceof Problem).finally(release)
  }
  const running: Promise<Outcome>[] = []
  let began = performance.now()
  for (const work of works) {
    if (performance.now() - began >= BEGIN_BUDGET_MS) {
      await setImmediate()
      began = performance.now()
    }
    const one = run(work)
    // A work may fail before the last one begins. `allSettled` reports it.
    one.catch(() => {})
    running.push(one)
  }
  const settled = await Promise.allSettled(running)
  over = true
  const outcomes = settled.map(one => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
  const saves: Sql[] = []
  const saver = { run: (statement: Sql) => saves.push(statement) }
  for (const [loadable, value] of loaded) await loadable.save(saver, await value)
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

const BEGIN: Query = { text: 'BEGIN', values: [] }
const LOCK: Query = { text: 'SELECT one FROM head FOR UPDATE', values: [] }
/** Must be a separate statement, because a statement that waits for a lock reads its unlocked rows as of the time before the wait. */
const CLUSTER: Query = {
  text: 'SELECT committed_at, identity, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline FROM cluster',
  values: [],
}

/**
 * Begins a transaction and locks the head row. This lock serialises the writes of all nodes. Resolves with the time of the newest commit of
 * any node, in milliseconds since 1970.
 */
async function lockHead(connection: PostgresConnection, system: string): Promise<number> {
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
  return row.committed_at
}

/** How long a write waits for a server that cannot commit it. After that, or when the server is silent, the write is rejected. */
const COMMIT_TIMEOUT_MS = 5_000
/** How long one statement may take in a unit of work that runs alone. */
const ALONE_TIMEOUT_MS = 30_000
const RETRY_PAUSE_MS = 50
/** How long the outcome of a COMMIT without an answer is looked up, while the server is not silent. */
const RESOLVE_TIMEOUT_MS = 60_000
/** While the server is silent, the outcome is looked up until this time after the arrival of the first write of the group. */
const SILENT_RESOLVE_TIMEOUT_MS = 4_000
/** Seconds after which a client may look for a write whose outcome is unknown. */
const UNKNOWN_RETRY_SECONDS = 2

/**
 * Commits the groups of one node. If the answer to a COMMIT is lost, the outcome is read under the lock of the head row. That lock is free
 * only after the transaction has ended, so the reported outcome is always correct. It is reported after a commit of its own, for which the
 * server waits for its synchronous standbys. If the outcome cannot be read in time, the units of work of the group are rejected with
 * OUTCOME_UNKNOWN.
 */
export class PostgresGroupSession implements GroupSession {
  readonly #id = randomUUID()
  readonly #session: Session
  readonly #server: () => Server
  readonly #counted = { commits: 0, committedWrites: 0 }

  /** `server` is called only after a session is open. */
  constructor(session: Session, server: () => Server) {
    this.#session = session
    this.#server = server
  }

  /** The number of commits, and of the writes in them. */
  counted(): { commits: number; committedWrites: number } {
    return { ...this.#counted }
  }

  /** Retries while the server is unavailable and nothing was stored. Rejects each unit of work that has waited for COMMIT_TIMEOUT_MS. */
  async commit(group: Pending[], join: () => void): Promise<readonly Outcome[]> {
    for (let first = group[0]; first !== undefined; first = group[0]) {
      const { since } = first
      const name = randomUUID()
      let connection: PostgresConnection | undefined
      let outcomes: Outcome[] | undefined
      try {
        connection = await getConnectionBefore(this.#session, since + COMMIT_TIMEOUT_MS)
        const newest = await lockHead(connection, this.#server().system)
        join()
        // Units of work run concurrently, so no unit may assign an earlier time than another unit of the group.
        const floor = notBefore(newest, Math.max(...group.map(({ at }) => at)))
        const result = await this.#run(connection, group, floor)
        outcomes = result.outcomes
        await this.#finish(connection, result.remainingStatements, name, floor)
        this.#counted.commits += 1
        this.#counted.committedWrites += group.length
        return outcomes
      } catch (error) {
        // If the session still answers, `error` is the reason why nothing was committed. If the session is lost after all units of work
        // ran, the COMMIT may have succeeded, so the outcome is read from the store.
        const isRolledBack = connection === undefined || (await rollBack(connection))
        if (!isRolledBack && outcomes !== undefined && (await this.#wasCommitted(name, since))) return outcomes
        if (!isUnavailable(error) || this.#session.silent()) throw error
        refuseLate(group, error)
        connection?.close()
        await setTimeout(RETRY_PAUSE_MS)
      }
    }
    return []
  }

  async #run(connection: PostgresConnection, group: readonly Pending[], floor: number) {
    const alone = group[0]?.alone
    if (alone) await connection.limit(ALONE_TIMEOUT_MS)
    const works = group.map(({ work }) => work)
    const result = await runWorks(connection, this.#server().columns, works, floor)
    if (alone) await connection.limit(undefined)
    return result
  }

  /** Runs the remaining statements, stores the name of the group and commits, in one round trip. */
  async #finish(
    connection: PostgresConnection,
    remainingStatements: readonly Query[],
    name: string,
    at: number,
  ): Promise<void> {
    const results = await connection.send([
      ...remainingStatements,
      {
        text: `INSERT INTO writer (id, committed, at) VALUES ($1, $2, $3)
          ON CONFLICT (id) DO UPDATE SET committed = excluded.committed, at = excluded.at`,
        values: [this.#id, name, at],
      },
      { text: 'UPDATE cluster SET committed_at = $1', values: [at] },
      { text: 'COMMIT', values: [] },
    ])
    if (results.at(-1)?.command !== 'COMMIT') throw new Error('PostgreSQL rolled a group back without an error.')
  }

  /**
   * Whether the group `name` is in the store. `since` is the arrival of its first write, by performance.now(). Throws OUTCOME_UNKNOWN if
   * the outcome cannot be read in time.
   */
  async #wasCommitted(name: string, since: number): Promise<boolean> {
    const deadline = performance.now() + RESOLVE_TIMEOUT_MS
    const isTooLate = (now: number): boolean =>
      now > deadline || (this.#session.silent() && now > since + SILENT_RESOLVE_TIMEOUT_MS)
    for (;;) {
      let connection: PostgresConnection | undefined
      try {
        connection = await getConnectionBefore(this.#session, deadline)
        await lockHead(connection, this.#server().system)
        // A transaction whose session was ended is visible before a synchronous standby has it. The standby that has this later commit has
        // that transaction too.
        const [found] = await connection.send([
          { text: 'UPDATE writer SET at = at WHERE id = $1 RETURNING committed', values: [this.#id] },
          { text: 'COMMIT', values: [] },
        ])
        return found?.rows[0]?.committed === name
      } catch {
        // After a failed wait for the lock, the transaction accepts no further statement.
        if (connection !== undefined) await rollBack(connection)
        if (isTooLate(performance.now())) throw new Problem('OUTCOME_UNKNOWN', { retryAfter: UNKNOWN_RETRY_SECONDS })
        await setTimeout(RETRY_PAUSE_MS)
      }
    }
  }
}

/** Rejects the units of work that have waited for COMMIT_TIMEOUT_MS, and removes them from `group`, which is in order of arrival. */
function refuseLate(group: Pending[], error: unknown): void {
  const late = performance.now() - COMMIT_TIMEOUT_MS
  while (group[0] !== undefined && group[0].since < late) group.shift()?.reject(error)
}

/** Rolls back the transaction of a session. Returns false if the session does not answer. */
async function rollBack(connection: PostgresConnection): Promise<boolean> {
  try {
    await connection.exec('ROLLBACK')
    await connection.limit(undefined)
    return true
  } catch {
    return false
  }
}
