import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Problem } from '../contract/problem.ts'
import { isUnavailable } from '../database/database.ts'
import type { GroupSession, Pending } from '../database/group-commit.ts'
import type { PostgresConnection, Query } from '../database/postgres.ts'
import type { Outcome } from '../database/work-transaction.ts'
import { notBefore } from '../domain/clock.ts'
import { SEQUENCE_GAP } from '../store/head.ts'
import type { Server } from './prepare.ts'
import { runWorks } from './run-works.ts'
import { getPatiently, type Session } from './session.ts'

const BEGIN: Query = { text: 'BEGIN', values: [] }
const LOCK: Query = { text: 'SELECT one FROM head FOR UPDATE', values: [] }
/** A statement of its own: one that waits for a lock returns the rows that it does not lock as of the time before the wait. */
const CLUSTER: Query = {
  text: 'SELECT committed_at, identity, substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline FROM cluster',
  values: [],
}

/**
 * Begins a transaction with the lock of the head row. All nodes write one after another under it. Resolves with the time of the newest
 * commit of any node, in milliseconds since 1970.
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

/** How long a write waits for a server that cannot commit it before it is refused, in milliseconds; less if the server is silent. */
const COMMIT_TIMEOUT_MS = 5_000
/** How long a statement of a work that runs alone may take, in milliseconds. */
const ALONE_TIMEOUT_MS = 30_000
const RETRY_PAUSE_MS = 50
/**
 * How long the outcome of a lost commit is looked up, in milliseconds; and how long, from the arrival of the write, while the server is
 * silent.
 */
const RESOLVE_TIMEOUT_MS = 60_000
const SILENT_RESOLVE_TIMEOUT_MS = 4_000
/** Seconds after which a client may look for a write whose outcome is not known. */
const UNKNOWN_RETRY_SECONDS = 2

/**
 * The transactions of one node's groups. A commit whose answer was lost is looked up under the lock of the head row, which is free only
 * after that transaction has ended: the outcome is never reported wrongly. If the server stays silent, the works of the group are rejected
 * with OUTCOME_UNKNOWN.
 */
export class PostgresGroupSession implements GroupSession {
  readonly #id = randomUUID()
  readonly #session: Session
  readonly #server: () => Server
  readonly #counted = { commits: 0, committedWrites: 0 }

  /** `server` is known once a session is open. */
  constructor(session: Session, server: () => Server) {
    this.#session = session
    this.#server = server
  }

  /** How many commits there were, and how many writes shared them. */
  counted(): { commits: number; committedWrites: number } {
    return { ...this.#counted }
  }

  /** Tries again while the server is away and nothing was stored. Each work is refused when it has waited for COMMIT_TIMEOUT_MS. */
  async commit(group: Pending[], join: () => void): Promise<readonly Outcome[]> {
    for (let first = group[0]; first !== undefined; first = group[0]) {
      const { since } = first
      const name = randomUUID()
      let connection: PostgresConnection | undefined
      let outcomes: Outcome[] | undefined
      try {
        connection = await getPatiently(this.#session, since + COMMIT_TIMEOUT_MS)
        const newest = await lockHead(connection, this.#server().system)
        join()
        // Works run side by side and must not date anything before another work of the group.
        const floor = notBefore(newest, Math.max(...group.map(({ at }) => at)))
        const ran = await this.#run(connection, group, floor)
        outcomes = ran.outcomes
        await this.#finish(connection, ran.left, name, floor)
        this.#counted.commits += 1
        this.#counted.committedWrites += group.length
        return outcomes
      } catch (error) {
        // A session that still answers has reported the outcome. After a lost session the store must be asked.
        const ended = connection === undefined || (await endsTransaction(connection))
        if (!ended && outcomes !== undefined && (await this.#wasCommitted(name, since))) return outcomes
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
    const works = group.map(
      ({ work }) =>
        (tx: Parameters<typeof work>[0]) =>
          work(tx, floor),
    )
    const ran = await runWorks(connection, this.#server().columns, works)
    if (alone) await connection.limit(undefined)
    return ran
  }

  /** Runs the remaining statements, stores the name of the group and commits, in one round trip. */
  async #finish(connection: PostgresConnection, left: readonly Query[], name: string, at: number): Promise<void> {
    const results = await connection.send([
      ...left,
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

  /** Whether the group of a lost answer, of writes since a time, is in the store. Throws OUTCOME_UNKNOWN when that cannot be learnt in time. */
  async #wasCommitted(name: string, since: number): Promise<boolean> {
    const deadline = performance.now() + RESOLVE_TIMEOUT_MS
    const isTooLate = (now: number): boolean =>
      now > deadline || (this.#session.silent() && now > since + SILENT_RESOLVE_TIMEOUT_MS)
    for (;;) {
      let connection: PostgresConnection | undefined
      try {
        connection = await getPatiently(this.#session, deadline)
        await lockHead(connection, this.#server().system)
        const [found] = await connection.send([
          { text: 'SELECT committed FROM writer WHERE id = $1', values: [this.#id] },
          { text: 'ROLLBACK', values: [] },
        ])
        return found?.rows[0]?.committed === name
      } catch {
        // A failed wait for the lock has left a transaction that accepts no statement.
        if (connection !== undefined) await endsTransaction(connection)
        if (isTooLate(performance.now())) throw new Problem('OUTCOME_UNKNOWN', { retryAfter: UNKNOWN_RETRY_SECONDS })
        await setTimeout(RETRY_PAUSE_MS)
      }
    }
  }
}

/** Rejects the works that have waited for COMMIT_TIMEOUT_MS, and removes them from their group. Works are in the order in which they arrived. */
function refuseLate(group: Pending[], error: unknown): void {
  const late = performance.now() - COMMIT_TIMEOUT_MS
  while (group[0] !== undefined && group[0].since < late) group.shift()?.reject(error)
}

/** Ends the transaction of a session that still answers; false when it does not. */
async function endsTransaction(connection: PostgresConnection): Promise<boolean> {
  try {
    await connection.exec('ROLLBACK')
    await connection.limit(undefined)
    return true
  } catch {
    return false
  }
}
