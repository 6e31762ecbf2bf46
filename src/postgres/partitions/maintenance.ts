import type { Reader } from '../../database/database.ts'
import { connectPostgres, type PostgresConnection } from '../../database/postgres.ts'
import { sql } from '../../database/sql.ts'
import { OperatorError } from '../../operator-error.ts'
import { hoursOfPart } from '../../store/activity.ts'
import { refusalOf } from '../checks.ts'
import { beginActivityPart, dropExpiredParts } from './activity.ts'
import { dropLeftFences, FENCE } from './fence.ts'
import { ACTIVITY, type Sessions } from './part.ts'

/** The advisory lock under which one node or command at a time changes parts. */
const LOCK = 7_261_843_206
const STATEMENT_TIMEOUT = 6 * 3_600_000
/** How long a command tries to get a lock, in milliseconds. A node tries once, and again in a minute. */
const PATIENCE = 600_000
const HOUR = 3_600_000

/** Opens the sessions that change parts, one user at a time. Returns undefined if another one is at work. */
export async function withParts<T>(
  url: string,
  run: (sessions: Sessions) => Promise<T>,
  patience = PATIENCE,
): Promise<T | undefined> {
  const limits = { statementTimeout: STATEMENT_TIMEOUT, idleTimeout: STATEMENT_TIMEOUT, explain: refusalOf }
  const work = await connectPostgres({ url, name: 'parts', ...limits })
  let watch: PostgresConnection | undefined
  try {
    const [locked] = await work.query(`SELECT pg_try_advisory_lock(${LOCK})::text AS locked`)
    if (locked?.locked !== 'true') return undefined
    watch = await connectPostgres({ url, name: 'parts watch', ...limits })
    const sessions = { work, watch, patience }
    await dropLeftFences(sessions, ACTIVITY)
    return await run(sessions)
  } finally {
    await watch?.close()
    await work.close()
  }
}

/** Whether a database has a divided table, or the fence of a division that did not end. */
export const hasParts = async (reader: Reader): Promise<boolean> =>
  (await reader.one(
    sql`SELECT 1 AS found FROM parted UNION ALL SELECT 1 FROM pg_constraint WHERE conname = ${FENCE} LIMIT ${1}`,
  )) !== undefined

/** Drops the parts whose reads have expired, and begins one if it is due. Returns the dropped parts and the first sequence of the new one. */
export async function renewParts(
  sessions: Sessions,
  now: number,
  retentionDays: number,
): Promise<{ dropped: string[]; begun: number | undefined }> {
  const dropped = await dropExpiredParts(sessions, Math.floor(now / HOUR) - retentionDays * 24)
  return { dropped, begun: await beginActivityPart(sessions, now, hoursOfPart(retentionDays)) }
}

/**
 * Begins parts that are due, and drops the parts whose reads have expired after `retentionDays`. What an operator must solve, such as a role
 * without rights or a dump that takes long, changes nothing: rows that are still there later are deleted.
 */
export async function keepParts(url: string, now: number, retentionDays: number): Promise<void> {
  try {
    await withParts(url, sessions => renewParts(sessions, now, retentionDays), 0)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
  }
}
