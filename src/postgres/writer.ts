import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Problem } from '../contract/problem.ts'
import { isUnavailable } from '../database/database.ts'
import type { PostgresConnection, Query } from '../database/postgres.ts'
import type { ColumnTypes } from '../database/statement-batching.ts'
import { notBefore } from '../domain/clock.ts'
import { lockHead, type Outcome, runWorks, SpoiledGroup, type Work } from './group.ts'
import { silence } from './heartbeat.ts'
import { getPatiently, type Session } from './session.ts'

/** Writes under way before further ones are refused as OVERLOADED. */
const PENDING_MAX = 2_000
/** How long a write may wait to be begun and tried again before it is refused, in milliseconds. */
const PATIENCE = 5_000
/** How long a statement of a work that runs alone may take, in milliseconds. */
const ALONE_TIMEOUT = 30_000
const RETRY_PAUSE = 50
/**
 * How long the outcome of a lost commit is looked up, in milliseconds; and how long, from the arrival of the write, while the server is
 * silent.
 */
const RESOLVE_PATIENCE = 60_000
const SILENT_PATIENCE = 4_000
/** Seconds after which a client may look for a write whose outcome is not known. */
const UNKNOWN_RETRY = 2

type Pending = {
  work: Work
  /** Runs in a transaction of its own. */
  alone: boolean
  /** When it was asked for, in milliseconds since 1970. */
  at: number
  since: number
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** A group that further works may join, one that none may join, or one slow work alone. */
type Kind = 'open' | 'closed' | 'alone'

export type WriterOptions = {
  session: Session
  /** The identity and the column types of the server; known once a session is open. */
  server: () => { system: string; columns: ColumnTypes }
  groupMax: number
}

/**
 * Group commit for one node: works that wait while a group is under way are the next group, with the works that arrive before it has the
 * lock. A commit whose answer was lost is looked up under the lock of the head row, which is free only after that transaction has ended:
 * the outcome is never reported wrongly. If the server stays silent, the write rejects with OUTCOME_UNKNOWN.
 */
export function createWriter({ session, server, groupMax }: WriterOptions) {
  const id = randomUUID()
  const pending: Pending[] = []
  let underWay: Pending[] = []
  let running: Promise<void> | undefined
  const counted = { commits: 0, committedWrites: 0 }

  /** Takes the works that may share a transaction with `others` further works, up to the first that runs alone. */
  const takeTogether = (others: number): Pending[] => {
    const alone = pending.findIndex(one => one.alone)
    return pending.splice(0, Math.min(groupMax - others, alone === -1 ? pending.length : alone))
  }
  const drain = async (): Promise<void> => {
    // One turn of the event loop lets everything that has already arrived join the first group.
    await new Promise(setImmediate)
    while (pending.length > 0) {
      underWay = pending[0]?.alone ? pending.splice(0, 1) : takeTogether(0)
      await settle(underWay, underWay[0]?.alone ? 'alone' : 'open')
    }
    underWay = []
    running = undefined
  }

  /** Commits a group, or its members one by one when one of them spoils it, and answers all of them. */
  const settle = async (group: Pending[], kind: Kind): Promise<void> => {
    try {
      const outcomes = await commit(group, kind, (group[0]?.since ?? 0) + PATIENCE)
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index] as Outcome
        if ('error' in outcome) reject(outcome.error)
        else resolve(outcome.result)
      }
    } catch (error) {
      if (error instanceof SpoiledGroup && group.length > 1) {
        for (const one of group) await settle([one], 'closed')
        return
      }
      const reason = error instanceof SpoiledGroup ? error.cause : error
      for (const { reject } of group) reject(reason)
    }
  }

  /**
   * Runs the works of a group in one durable transaction, tried again while the server is away and nothing was stored. Works that arrive
   * while an open group waits for the lock join it.
   */
  const commit = async (group: Pending[], kind: Kind, deadline: number): Promise<Outcome[]> => {
    for (;;) {
      const name = randomUUID()
      let connection: PostgresConnection | undefined
      let outcomes: Outcome[] | undefined
      try {
        connection = await getPatiently(session, deadline)
        const { system, columns } = server()
        const locked = await lockHead(connection, system)
        if (kind === 'open') group.push(...takeTogether(group.length))
        if (kind === 'alone') await connection.limit(ALONE_TIMEOUT)
        // Works run side by side and must not date anything before another work of the group.
        locked.committedAt = notBefore(locked.committedAt, Math.max(...group.map(({ at }) => at)))
        const works = group.map(({ work }) => work)
        const ran = await runWorks(connection, columns, locked, works)
        outcomes = ran.outcomes
        if (kind === 'alone') await connection.limit(undefined)
        await finish(connection, ran.left, { id, group: name, committedAt: locked.committedAt })
        counted.commits += 1
        counted.committedWrites += group.length
        return ran.outcomes
      } catch (error) {
        // A session that still answers has reported the outcome. After a lost session the store must be asked.
        const ended = connection === undefined || (await endsTransaction(connection))
        if (!ended && outcomes !== undefined && (await wasCommitted(name, group[0]?.since ?? 0))) return outcomes
        if (!isUnavailable(error) || performance.now() > deadline || session.silent()) throw error
        connection?.close()
        await setTimeout(RETRY_PAUSE)
      }
    }
  }

  /** Whether the group of a lost answer, of writes since a time, is in the store. Throws OUTCOME_UNKNOWN when that cannot be learnt in time. */
  const wasCommitted = async (group: string, since: number): Promise<boolean> => {
    const deadline = performance.now() + RESOLVE_PATIENCE
    const isTooLate = (now: number): boolean => now > deadline || (session.silent() && now > since + SILENT_PATIENCE)
    for (;;) {
      let connection: PostgresConnection | undefined
      try {
        connection = await getPatiently(session, deadline)
        await lockHead(connection, server().system)
        const [found] = await connection.send([
          { text: 'SELECT committed FROM writer WHERE id = $1', values: [id] },
          { text: 'ROLLBACK', values: [] },
        ])
        return found?.rows[0]?.committed === group
      } catch {
        // A failed wait for the lock has left a transaction that accepts no statement.
        if (connection !== undefined) await endsTransaction(connection)
        if (isTooLate(performance.now())) throw new Problem('OUTCOME_UNKNOWN', { retryAfter: UNKNOWN_RETRY })
        await setTimeout(RETRY_PAUSE)
      }
    }
  }

  const full = (): boolean => pending.length >= PENDING_MAX
  return {
    full,
    /** Runs a work that was asked for `at` a time in a transaction, perhaps with others, and resolves once that is durable. */
    write<T>(work: (...parameters: Parameters<Work>) => Promise<T>, at: number, alone: boolean): Promise<T> {
      if (full()) return Promise.reject(new Problem('OVERLOADED', { retryAfter: 1 }))
      if (session.silent()) return Promise.reject(silence())
      return new Promise((resolve, reject) => {
        pending.push({
          work,
          alone,
          at,
          since: performance.now(),
          resolve: resolve as (value: unknown) => void,
          reject,
        })
        running ??= drain()
      })
    },
    /** Refuses every write that was not begun: the server has become silent. */
    refuseWaiting(): void {
      for (const { reject } of pending.splice(0)) reject(silence())
    },
    /** Milliseconds that the oldest write under way has been waiting; 0 when there is none. */
    waited(): number {
      const oldest = underWay[0] ?? pending[0]
      return oldest === undefined ? 0 : performance.now() - oldest.since
    },
    /** How many commits there were, how many writes shared them, and how many are under way. */
    counted: () => ({ ...counted, writesWaiting: underWay.length + pending.length }),
    async idle(): Promise<void> {
      await running
    },
  }
}

/** Runs the remaining statements, stores the name of the group and commits, in one round trip. */
async function finish(
  connection: PostgresConnection,
  left: readonly Query[],
  { id, group, committedAt }: { id: string; group: string; committedAt: number },
): Promise<void> {
  const results = await connection.send([
    ...left,
    {
      text: `INSERT INTO writer (id, committed, at) VALUES ($1, $2, $3)
        ON CONFLICT (id) DO UPDATE SET committed = excluded.committed, at = excluded.at`,
      values: [id, group, committedAt],
    },
    { text: 'UPDATE cluster SET committed_at = $1', values: [committedAt] },
    { text: 'COMMIT', values: [] },
  ])
  if (results.at(-1)?.command !== 'COMMIT') throw new Error('PostgreSQL rolled a group back without an error.')
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
