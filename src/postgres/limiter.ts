import { setTimeout } from 'node:timers/promises'
import { Problem } from '../contract/problem.ts'
import { isUnavailable } from '../database/database.ts'
import { GroupCommit, type Pending } from '../database/group-commit.ts'
import type { PostgresConnection } from '../database/postgres.ts'
import type { Outcome } from '../database/work-transaction.ts'
import { type Charge, type Decision, type LimitState, RateLimiter } from '../domain/rate-limit.ts'
import type { Limiter } from '../operations/limiter.ts'
import type { Heartbeat } from './heartbeat.ts'
import { decide, type Leases, release } from './lease.ts'
import { lockWindows, saveWindows, statusOf } from './limiter-windows.ts'
import { getConnectionBefore, Session } from './session.ts'

/**
 * In milliseconds: how long a request waits for an unavailable database, how long a statement may take, the pause before a retry, and how
 * long a session may idle in a transaction.
 */
const DECIDE_TIMEOUT_MS = 2_000
const STATEMENT_TIMEOUT_MS = 2_500
const RETRY_PAUSE_MS = 50
const IDLE_TIMEOUT_MS = 1_500
/** How long a key must be unused before its window is deleted, and the interval of these deletions, in milliseconds. */
const FORGET_AFTER_MS = 180_000
const FORGET_INTERVAL_MS = 60_000
/** Maximum number of waiting requests, and of requests in one transaction. */
const WAITING_MAX = 5_000
const BATCH_MAX = 500

/** A decision about the limits of some keys. */
type DecideTask = ((limiter: RateLimiter) => unknown) & { keys: readonly string[] }

/**
 * The limiter of all nodes. The sliding window of each key is a row that a node locks before it changes it. Nodes lease admissions, one at
 * a time under a small limit and several at a time under a large one, so that most reads need no round trip. The requests of one turn share
 * a transaction. Its commit does not wait for the disk, so a crash of the server loses less than a second of admissions.
 */
export class PostgresLimiter implements Limiter {
  readonly #session: Session
  readonly #leases: Leases = new Map()
  readonly #tasks = new GroupCommit<DecideTask>({ commit: batch => this.#decideUntilDeadline(batch) }, BATCH_MAX)
  #lastForgotten = performance.now()

  constructor(url: string, heartbeat?: Heartbeat) {
    const limits = { statementTimeout: STATEMENT_TIMEOUT_MS, idleTimeout: IDLE_TIMEOUT_MS }
    const prepare = (connection: PostgresConnection) => connection.exec('SET synchronous_commit = off')
    this.#session = new Session({ url, name: 'limiter', ...limits }, prepare, heartbeat)
  }

  admit(charges: readonly Charge[], at: number): Decision | Promise<Decision> {
    const decision = decide(this.#leases, charges, at)
    if (decision !== undefined) return decision
    if (this.#tasks.waiting >= WAITING_MAX) return Promise.reject(new Problem('OVERLOADED', { retryAfter: 1 }))
    const keys = charges.map(({ key }) => key)
    return this.#submit(keys, limiter => decide(this.#leases, charges, at, limiter) as Decision)
  }

  release(decision: Decision, at: number): Promise<LimitState[]> {
    const keys = decision.limits.map(({ key }) => key)
    return this.#submit(keys, limiter => release(this.#leases, decision, at, limiter))
  }

  beforeWrite(): void {}

  async close(): Promise<void> {
    await this.#tasks.idle()
    await this.#session.close()
  }

  #submit<T>(keys: readonly string[], work: (limiter: RateLimiter) => T): Promise<T> {
    return this.#tasks.write(Object.assign(work, { keys }))
  }

  /** Decides a batch of requests. Retries until the deadline if the session is lost. */
  async #decideUntilDeadline(batch: readonly Pending<DecideTask>[]): Promise<Outcome[]> {
    const [first] = batch
    if (first === undefined) return []
    const deadline = first.since + DECIDE_TIMEOUT_MS
    for (;;) {
      try {
        return await this.#decideTogether(batch, deadline)
      } catch (error) {
        // The leases of a failed transaction are not valid.
        this.#leases.clear()
        await this.#session
          .current()
          ?.exec('ROLLBACK')
          .catch(() => {})
        if (!isUnavailable(error) || performance.now() > deadline || this.#session.silent()) throw error
        await setTimeout(RETRY_PAUSE_MS)
      }
    }
  }

  /** Decides a batch of requests in one transaction. */
  async #decideTogether(batch: readonly Pending<DecideTask>[], deadline: number): Promise<Outcome[]> {
    const connection = await getConnectionBefore(this.#session, deadline)
    await this.#forgetUnused(connection)
    const keys = [...new Set(batch.flatMap(({ work }) => work.keys))].sort()
    const limiter = new RateLimiter()
    const { transaction, admissions } = await lockWindows(connection, keys)
    limiter.restore(admissions)
    const outcomes = batch.map(({ work }) => ({ result: work(limiter) }))
    try {
      await saveWindows(connection, keys, limiter)
    } catch (error) {
      if (!isUnavailable(error) || !(await this.#wasCommitted(transaction, deadline))) throw error
    }
    return outcomes
  }

  /**
   * Whether a transaction was committed, if the answer to its COMMIT was lost. Polls until it has ended. Returns false at the deadline, or
   * throws if the database is then unavailable.
   */
  async #wasCommitted(transaction: string, deadline: number): Promise<boolean> {
    for (;;) {
      const connection = await getConnectionBefore(this.#session, deadline)
      const status = await statusOf(connection, transaction).catch(error => {
        if (!isUnavailable(error) || performance.now() > deadline) throw error
        return 'in progress'
      })
      if (status !== 'in progress' || performance.now() > deadline) return status === 'committed'
      await setTimeout(RETRY_PAUSE_MS)
    }
  }

  async #forgetUnused(connection: PostgresConnection): Promise<void> {
    if (performance.now() - this.#lastForgotten <= FORGET_INTERVAL_MS) return
    this.#lastForgotten = performance.now()
    await connection.query('DELETE FROM limiter WHERE at < $1', [Date.now() - FORGET_AFTER_MS])
  }
}
