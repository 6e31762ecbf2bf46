import { setTimeout } from 'node:timers/promises'
import { only } from '../../database/database.ts'
import type { PostgresConnection } from '../../database/postgres.ts'
import { OperatorError } from '../../operator-error.ts'
import { withLockTimeout } from './lock-timeout.ts'
import { type Numbered, newestOf, type Sessions } from './partition.ts'

/** The name of the CHECK constraint that bounds the numbers of a table. While it exists, rows with other numbers cannot be inserted. */
export const BOUND_CHECK = 'number_fence'
const WATCH_INTERVAL_MS = 200
/** The pause between two attempts to get locks while a table has a bound check, in milliseconds. */
const RETRY_PAUSE_MS = 300
/** The minimum distance between the newest number and the limit of a bound check. */
const MARGIN_MIN = 20_000
/** Reading this many bytes of a table takes less time than assigning one number. */
const BYTES_PER_NUMBER = 5_000

/** A limit so far above the newest number that the table can be read completely before the limit is assigned. */
export async function limitAbove(connection: PostgresConnection, name: string, numbered: Numbered): Promise<number> {
  const [row] = await connection.query<{ bytes: number | null }>('SELECT pg_table_size(to_regclass($1)) AS bytes', [
    name,
  ])
  const margin = Math.max(MARGIN_MIN, Math.ceil((only(row).bytes ?? 0) / BYTES_PER_NUMBER))
  return (await newestOf(connection, numbered)) + margin
}

/**
 * Runs `change` while a bound check proves that all numbers of the table `name` are at least `from` and below `limit`. Nodes may write to
 * the table during the check. Throws OperatorError if half of the numbers up to the limit are assigned before the table is read. After this
 * or a failed change, nothing is changed.
 */
export async function changeWithinBounds(
  sessions: Sessions,
  { name, from = 0, limit }: { name: string; from?: number | undefined; limit: number },
  numbered: Numbered,
  change: readonly string[],
): Promise<void> {
  const { work, attemptMs } = sessions
  const { column } = numbered
  const check = `CHECK (${column} IS NOT NULL AND ${column} >= ${from} AND ${column} < ${limit}) NOT VALID`
  const half = Math.floor(((await newestOf(work, numbered)) + limit) / 2)
  const isLate = async (): Promise<boolean> => (await newestOf(work, numbered)) > half
  await withLockTimeout(work, `ALTER TABLE ${name} ADD CONSTRAINT ${BOUND_CHECK} ${check}`, { attemptMs })
  try {
    await validate(sessions, name, numbered, half)
    await withLockTimeout(work, change.join(';'), { attemptMs, pauseMs: RETRY_PAUSE_MS, isLate })
  } catch (error) {
    await dropBoundCheck(sessions, { name, limit }, numbered)
    throw error
  }
}

/** Validates a bound check, which reads the whole table. Cancels the validation when the newest number exceeds `latest`. */
async function validate({ work, watch }: Sessions, name: string, numbered: Numbered, latest: number): Promise<void> {
  const [process] = await work.query('SELECT pg_backend_pid() AS id')
  let isRead = false
  const guard = async (): Promise<void> => {
    for (; !isRead; await setTimeout(WATCH_INTERVAL_MS)) {
      if ((await newestOf(watch, numbered)) <= latest) continue
      await watch.query('SELECT pg_cancel_backend($1::int)', [Number(process?.id)])
      throw new OperatorError(`New rows of ${name} came faster than it could be read; run the command again.`)
    }
  }
  const read = work.exec(`ALTER TABLE ${name} VALIDATE CONSTRAINT ${BOUND_CHECK}`).finally(() => {
    isRead = true
  })
  const [guarded, validated] = await Promise.allSettled([guard(), read])
  for (const one of [guarded, validated]) if (one.status === 'rejected') throw one.reason
}

export const removeBoundCheck = (name: string): string => `ALTER TABLE ${name} DROP CONSTRAINT ${BOUND_CHECK}`

/**
 * Removes a bound check. Other transactions may lock the table for hours, but writes must not reach the limit. When fewer than MARGIN_MIN /
 * 4 numbers are left, ends the sessions of other programs that lock the table.
 */
async function dropBoundCheck(
  { work, watch }: Sessions,
  { name, limit }: { name: string; limit: number },
  numbered: Numbered,
): Promise<void> {
  const most = limit - MARGIN_MIN / 4
  for (;;) {
    try {
      return await withLockTimeout(work, `ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${BOUND_CHECK}`, {
        attemptMs: 0,
      })
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      if ((await newestOf(watch, numbered)) > most) await watch.query(END_USERS, [name])
      await setTimeout(RETRY_PAUSE_MS)
    }
  }
}

const END_USERS = `SELECT pg_terminate_backend(a.pid)::text AS ended FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.relation = to_regclass($1) AND l.granted AND a.application_name NOT LIKE 'palimpsest %'`
const LEFT = `SELECT c.relname AS name, pg_get_constraintdef(f.oid) AS definition FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
  WHERE f.conname = '${BOUND_CHECK}' AND f.conparentid = 0`

/** Removes the bound checks that a killed command or node has left. */
export async function dropLeftBoundChecks(sessions: Sessions, numbered: Numbered): Promise<void> {
  for (const { name, definition } of await sessions.work.query(LEFT)) {
    const limit = /< '?(\d+)/.exec(String(definition))?.[1]
    if (limit === undefined) throw new Error(`The constraint ${BOUND_CHECK} of ${name} has no limit: ${definition}`)
    await dropBoundCheck(sessions, { name: String(name), limit: Number(limit) }, numbered)
  }
}
