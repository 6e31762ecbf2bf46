import { setTimeout } from 'node:timers/promises'
import { Problem } from '../contract/problem.ts'
import { isUnavailable } from '../database/database.ts'
import { GroupCommit, type Pending } from '../database/group-commit.ts'
import type { PostgresConnection } from '../database/postgres.ts'
import type { Outcome } from '../database/work-transaction.ts'
import { type Charge, RateLimiter, type Standing, type Verdict } from '../domain/rate-limit.ts'
import type { Limiter } from '../operations/limiter.ts'
import type { Heartbeat } from './heartbeat.ts'
import { decide, giveBack, type Leases } from './lease.ts'
import { keepLogs, lockLogs, statusOf } from './limiter-logs.ts'
import { getPatiently, Session } from './session.ts'

/** How long a request waits for a database that is away, a statement for its locks, and a lost session before the next, in milliseconds. */
const PATIENCE = 2_000
const STATEMENT_TIMEOUT = 2_500
const RETRY_PAUSE = 50
const IDLE_TIMEOUT = 1_500
/** Logs of keys that were not used for this many milliseconds are deleted, and how often. */
const FORGET_AFTER = 180_000
const FORGET_INTERVAL = 60_000
/** Requests that wait at most, and that are decided in one transaction at most. */
const WAITING_MAX = 5_000
const BATCH_MAX = 500

/** Decides about the limits of some keys. */
type Decision = ((limiter: RateLimiter) => unknown) & { keys: readonly string[] }

/**
 * The limiter of all nodes: the sliding log of each key is a row that nodes change under its lock. Admissions are leased, one by one under
 * a small limit and several at a time under a large one: most reads need no round trip. The requests of one turn share a transaction. Its
 * commits do not wait for the disk: a crash of the server loses less than a second of admissions.
 */
export class PostgresLimiter implements Limiter {
  readonly #session: Session
  readonly #leases: Leases = new Map()
  readonly #decisions = new GroupCommit<Decision>({ commit: batch => this.#decideUntilDeadline(batch) }, BATCH_MAX)
  #lastForgotten = performance.now()

  constructor(url: string, heartbeat?: Heartbeat) {
    const limits = { statementTimeout: STATEMENT_TIMEOUT, idleTimeout: IDLE_TIMEOUT }
    const prepare = (connection: PostgresConnection) => connection.exec('SET synchronous_commit = off')
    this.#session = new Session({ url, name: 'limiter', ...limits }, prepare, heartbeat)
  }

  admit(charges: readonly Charge[], at: number): Verdict | Promise<Verdict> {
    const verdict = decide(this.#leases, charges, at)
    if (verdict !== undefined) return verdict
    if (this.#decisions.waiting >= WAITING_MAX) return Promise.reject(new Problem('OVERLOADED', { retryAfter: 1 }))
    const keys = charges.map(({ key }) => key)
    return this.#submit(keys, limiter => decide(this.#leases, charges, at, limiter) as Verdict)
  }

  refund(verdict: Verdict, at: number): Promise<Standing[]> {
    const keys = verdict.standings.map(({ key }) => key)
    return this.#submit(keys, limiter => giveBack(this.#leases, verdict, at, limiter))
  }

  beforeWrite(): void {}

  async close(): Promise<void> {
    await this.#decisions.idle()
    await this.#session.close()
  }

  #submit<T>(keys: readonly string[], work: (limiter: RateLimiter) => T): Promise<T> {
    return this.#decisions.write(Object.assign(work, { keys }))
  }

  /** Decides a batch of requests, again if the session is lost on the way. */
  async #decideUntilDeadline(batch: readonly Pending<Decision>[]): Promise<Outcome[]> {
    const [first] = batch
    if (first === undefined) return []
    const deadline = first.since + PATIENCE
    for (;;) {
      try {
        return await this.#decideTogether(batch, deadline)
      } catch (error) {
        // The leases of a failed transaction do not count.
        this.#leases.clear()
        await this.#session
          .current()
          ?.exec('ROLLBACK')
          .catch(() => {})
        if (!isUnavailable(error) || performance.now() > deadline || this.#session.silent()) throw error
        await setTimeout(RETRY_PAUSE)
      }
    }
  }

  /** Decides a batch of requests in one transaction. */
  async #decideTogether(batch: readonly Pending<Decision>[], deadline: number): Promise<Outcome[]> {
    const connection = await getPatiently(this.#session, deadline)
    await this.#forgetUnused(connection)
    const keys = [...new Set(batch.flatMap(({ work }) => work.keys))].sort()
    const limiter = new RateLimiter()
    const { transaction, admissions } = await lockLogs(connection, keys)
    limiter.restore(admissions)
    const outcomes = batch.map(({ work }) => ({ result: work(limiter) }))
    try {
      await keepLogs(connection, keys, limiter)
    } catch (error) {
      if (!isUnavailable(error) || !(await this.#wasCommitted(transaction, deadline))) throw error
    }
    return outcomes
  }

  /** Whether a transaction whose answer was lost was committed; polls until it has ended. Throws if that is not known in time. */
  async #wasCommitted(transaction: string, deadline: number): Promise<boolean> {
    for (;;) {
      const connection = await getPatiently(this.#session, deadline)
      const status = await statusOf(connection, transaction).catch(error => {
        if (!isUnavailable(error) || performance.now() > deadline) throw error
        return 'in progress'
      })
      if (status !== 'in progress' || performance.now() > deadline) return status === 'committed'
      await setTimeout(RETRY_PAUSE)
    }
  }

  async #forgetUnused(connection: PostgresConnection): Promise<void> {
    if (performance.now() - this.#lastForgotten <= FORGET_INTERVAL) return
    this.#lastForgotten = performance.now()
    await connection.query('DELETE FROM limiter WHERE at < $1', [Date.now() - FORGET_AFTER])
  }
}
