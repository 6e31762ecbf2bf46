import { setTimeout } from 'node:timers/promises'
import { Problem } from '../../contract/problem.ts'
import { isUnavailable, only } from '../../engine/database.ts'
import { GroupCommit, type Outcome, type Pending } from '../../engine/group-commit.ts'
import type { PostgresConnection } from '../../engine/postgres.ts'
import { type Admission, type Charge, type Limit, type LimitState, RateLimiter } from '../../memory/limits/rules.ts'
import type { Limiter } from '../../memory/store.ts'
import { getConnectionBefore, type Heartbeat, Session } from './session.ts'

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

/** A charge, or its release, that needs the windows of some keys. */
type ChargeTask = ((limiter: RateLimiter) => unknown) & { keys: readonly string[] }

/**
 * The limiter of all nodes. The sliding window of each key is a row that a node locks before it changes it. Nodes lease admissions, one at
 * a time under a small limit and several at a time under a large one, so that most reads need no round trip. The requests of one turn share
 * a transaction. Its commit does not wait for the disk, so a crash of the server loses less than a second of admissions.
 */
export class PostgresLimiter implements Limiter {
  readonly #session: Session
  readonly #leases: Leases = new Map()
  readonly #tasks = new GroupCommit<ChargeTask>({ commit: batch => this.#decideUntilDeadline(batch) }, BATCH_MAX)
  #lastForgotten = performance.now()

  constructor(url: string, heartbeat?: Heartbeat) {
    const limits = { statementTimeout: STATEMENT_TIMEOUT_MS, idleTimeout: IDLE_TIMEOUT_MS }
    const onOpen = (connection: PostgresConnection) => connection.exec('SET synchronous_commit = off')
    this.#session = new Session({ url, name: 'limiter', ...limits }, onOpen, heartbeat)
  }

  admit(limits: readonly Limit[], at: number): Charge | Promise<Charge> {
    const charge = decide(this.#leases, limits, at)
    if (charge !== undefined) return charge
    if (this.#tasks.waiting >= WAITING_MAX) return Promise.reject(new Problem('OVERLOADED', { retryAfter: 1 }))
    const keys = limits.map(({ key }) => key)
    return this.#submit(keys, limiter => decide(this.#leases, limits, at, limiter) as Charge)
  }

  release(charge: Charge, at: number): Promise<LimitState[]> {
    const keys = charge.limits.map(({ key }) => key)
    return this.#submit(keys, limiter => release(this.#leases, charge, at, limiter))
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
  async #decideUntilDeadline(batch: readonly Pending<ChargeTask>[]): Promise<Outcome[]> {
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
  async #decideTogether(batch: readonly Pending<ChargeTask>[], deadline: number): Promise<Outcome[]> {
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

/** A transaction by its number in PostgreSQL, with the admissions of the locked keys. */
type LockedWindows = { transaction: string; admissions: Admission[] }

/**
 * Begins a transaction and locks the rows of these keys in the given order. `keys` must be sorted, because two nodes could otherwise
 * deadlock.
 */
async function lockWindows(connection: PostgresConnection, keys: readonly string[]): Promise<LockedWindows> {
  const [, , locked, begun] = await connection.send([
    { text: 'BEGIN', values: [] },
    {
      text: `INSERT INTO limiter (key, log, at) SELECT key, '{}', 0 FROM unnest($1::text[]) AS k(key) ON CONFLICT (key) DO NOTHING`,
      values: [keys],
    },
    {
      text: 'SELECT key, log::text AS log FROM limiter WHERE key = ANY($1::text[]) ORDER BY key FOR UPDATE',
      values: [keys],
    },
    { text: 'SELECT pg_current_xact_id()::text AS transaction', values: [] },
  ])
  return {
    transaction: String(begun?.rows[0]?.transaction),
    admissions: (locked?.rows ?? []).flatMap(row => admissionsOf(String(row.key), String(row.log))),
  }
}

/** Writes the windows of the keys, and commits. */
async function saveWindows(
  connection: PostgresConnection,
  keys: readonly string[],
  limiter: RateLimiter,
): Promise<void> {
  const windows = keys.map(key => limiter.windowOf(key))
  await connection.send([
    {
      text: `UPDATE limiter l SET log = k.log::bigint[], at = k.at
        FROM unnest($1::text[], $2::text[], $3::bigint[]) AS k(key, log, at) WHERE l.key = k.key`,
      values: [keys, windows.map(bins => `{${bins.join()}}`), windows.map(bins => bins.at(-2) ?? 0)],
    },
    { text: 'COMMIT', values: [] },
  ])
}

/** The status of a transaction: 'committed', 'aborted', or 'in progress'. */
export async function statusOf(connection: PostgresConnection, transaction: string): Promise<string> {
  const [found] = await connection.query<{ status: string }>('SELECT pg_xact_status($1::xid8) AS status', [transaction])
  return only(found).status
}

/** Parses the row of a key. `log` is an array in PostgreSQL's text form, with bins and counts in turn. */
function admissionsOf(key: string, log: string): Admission[] {
  const numbers = log === '{}' ? [] : log.slice(1, -1).split(',').map(Number)
  const admissions: Admission[] = []
  for (let place = 0; place < numbers.length; place += 2) {
    admissions.push({ key, bin: numbers[place] as number, count: numbers[place + 1] as number })
  }
  return admissions
}

/**
 * Admissions of a key that a node may grant without a round trip: their number, the expiry, and the state of the limit including their bin.
 */
type Lease = { left: number; until: number; state: LimitState }
type Leases = Map<string, Lease>

/** How long a lease is valid, in milliseconds. Admissions that expire unused stay charged. */
const LEASE_LIFE_MS = 2_000
/** Maximum number of leases. When it is reached, all leases are dropped. */
const LEASES_MAX = 50_000
/** Up to this quota, writes are leased one at a time. Above it, a lease has one thousandth of the quota. */
const WRITES_EXACT = 1_000
/**
 * A lease of reads has at most 1/READ_SHARE of the quota and 1/LEFT_SHARE of the remaining reads, so that other nodes can lease the rest.
 */
const READ_SHARE = 30
const LEFT_SHARE = 6
/** A clock that is behind the newest charge by more than this was set back. A smaller difference is one between the clocks of nodes. */
const SKEW_MAX_MS = 60_000

/**
 * Decides a request by the leases of this node. If they do not suffice, leases the missing admissions from `limiter`, which has the windows
 * of the keys; without a limiter, returns undefined. A request is charged to all of its keys or to none.
 */
export function decide(
  leases: Leases,
  limits: readonly Limit[],
  now: number,
  limiter?: RateLimiter,
): Charge | undefined {
  const lacking = limits.filter(one => (liveLease(leases, one.key, now)?.left ?? 0) < 1)
  if (lacking.length > 0) {
    if (limiter === undefined) return undefined
    const at = timeOf(limiter, lacking, now)
    const wait = Math.max(0, ...lacking.map(one => limiter.waitOf(one, at)))
    if (wait > 0) {
      return {
        admitted: false,
        limits: limits.map(one => stateOf(leases, one, limiter, at)),
        retryAfter: Math.max(1, Math.ceil((wait + at - now) / 1_000)),
      }
    }
    if (leases.size >= LEASES_MAX) leases.clear()
    for (const one of lacking) {
      const size = pieceOf(one, limiter.stateOf(one, at).remaining)
      limiter.lease(one, at, size)
      leases.set(one.key, { left: size, until: now + LEASE_LIFE_MS, state: limiter.stateOf(one, at) })
    }
  }
  const used = limits.map(({ key }) => leases.get(key) as Lease)
  for (const lease of used) lease.left -= 1
  return {
    admitted: true,
    limits: used.map(({ state, left }) => ({ ...state, remaining: state.remaining + left })),
    retryAfter: 1,
  }
}

/** Reverses an admission. Returns the new state of its limits, including leases. */
export function release(leases: Leases, charge: Charge, now: number, limiter: RateLimiter): LimitState[] {
  const at = timeOf(limiter, charge.limits, now)
  return limiter
    .release(charge, at)
    .map(state => ({ ...state, remaining: state.remaining + (liveLease(leases, state.key, now)?.left ?? 0) }))
}

function liveLease(leases: Leases, key: string, now: number): Lease | undefined {
  const lease = leases.get(key)
  if (lease === undefined) return undefined
  if (now < lease.until && lease.until - now <= LEASE_LIFE_MS) return lease
  leases.delete(key)
  return undefined
}

/** The time of a charge. It is never before the time of a charge by another node, whose clock may be slightly ahead. */
function timeOf(limiter: RateLimiter, limits: readonly Limit[], now: number): number {
  const newest = Math.max(now, ...limits.map(({ key }) => limiter.windowOf(key).at(-2) ?? 0))
  return newest - now > SKEW_MAX_MS ? now : newest
}

const stateOf = (leases: Leases, one: Limit, limiter: RateLimiter, at: number): LimitState => {
  const known = leases.get(one.key)
  return known === undefined
    ? limiter.stateOf(one, at)
    : { ...known.state, remaining: known.state.remaining + known.left }
}

/** The number of admissions in one lease. `left` is the number that the limit still admits. */
function pieceOf({ policy, quota }: Limit, left: number): number {
  if (policy.startsWith('write')) return quota <= WRITES_EXACT ? 1 : Math.min(left, Math.floor(quota / WRITES_EXACT))
  return Math.max(1, Math.min(Math.floor(quota / READ_SHARE), Math.floor(left / LEFT_SHARE)))
}
