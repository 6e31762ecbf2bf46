import type { Reader } from '../../database/database.ts'
import { connectPostgres, type PostgresConnection } from '../../database/postgres.ts'
import { sql } from '../../database/sql.ts'
import { hourNumber } from '../../domain/time.ts'
import { OperatorError } from '../../operator-error.ts'
import { hoursOfPartition } from '../../store/activity.ts'
import { refusalOf } from '../checks.ts'
import { beginActivityPartition, dropExpiredPartitions } from './activity.ts'
import { BOUND_CHECK, dropLeftBoundChecks } from './bound-check.ts'
import { ACTIVITY, type Sessions } from './partition.ts'

/** The advisory lock that lets one node or command at a time change partitions. */
const LOCK = 7_261_843_206
const STATEMENT_TIMEOUT_MS = 6 * 3_600_000
/** How long a command attempts to get a lock, in milliseconds. A node tries once, and again a minute later. */
const LOCK_ATTEMPT_MS = 600_000

/** Runs `run` with the sessions that change partitions. Returns undefined if another node or command is changing them. */
export async function withPartitionSessions<T>(
  url: string,
  run: (sessions: Sessions) => Promise<T>,
  attemptMs = LOCK_ATTEMPT_MS,
): Promise<T | undefined> {
  const limits = { statementTimeout: STATEMENT_TIMEOUT_MS, idleTimeout: STATEMENT_TIMEOUT_MS, explain: refusalOf }
  const work = await connectPostgres({ url, name: 'parts', ...limits })
  let watch: PostgresConnection | undefined
  try {
    const [locked] = await work.query(`SELECT pg_try_advisory_lock(${LOCK})::text AS locked`)
    if (locked?.locked !== 'true') return undefined
    watch = await connectPostgres({ url, name: 'parts watch', ...limits })
    const sessions = { work, watch, attemptMs }
    await dropLeftBoundChecks(sessions, ACTIVITY)
    return await run(sessions)
  } finally {
    await watch?.close()
    await work.close()
  }
}

/** Whether a database has a partitioned table, or the bound check of an unfinished partitioning. */
export const hasPartitions = async (reader: Reader): Promise<boolean> =>
  (await reader.one(
    sql`SELECT 1 AS found FROM parted UNION ALL SELECT 1 FROM pg_constraint WHERE conname = ${BOUND_CHECK} LIMIT ${1}`,
  )) !== undefined

/**
 * Drops the partitions whose reads have expired, and begins one if it is due. Returns the names of the dropped ones and the first sequence
 * of the new one.
 */
export async function renewPartitions(
  sessions: Sessions,
  now: number,
  retentionDays: number,
): Promise<{ dropped: string[]; begun: number | undefined }> {
  const dropped = await dropExpiredPartitions(sessions, hourNumber(now) - retentionDays * 24)
  return { dropped, begun: await beginActivityPartition(sessions, now, hoursOfPartition(retentionDays)) }
}

/**
 * Drops the partitions whose reads have expired after `retentionDays`, and begins a partition if it is due. Ignores errors that an operator
 * must fix, such as missing rights or a long dump: expired rows that remain are deleted later.
 */
export async function maintainPartitions(url: string, now: number, retentionDays: number): Promise<void> {
  try {
    await withPartitionSessions(url, sessions => renewPartitions(sessions, now, retentionDays), 0)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
  }
}
