import { setTimeout } from 'node:timers/promises'
import type { PostgresConnection } from '../../database/postgres.ts'
import { OperatorError } from '../../operator-error.ts'

/**
 * How long statements of nodes may wait for a change of tables that waits for a lock. PostgreSQL searches for deadlocks
 * after 1 s: before that this transaction ends, so that no statement of a node is cancelled.
 */
const LOCK_TIMEOUT_MS = 300
const RETRY_PAUSE_MS = 2_000
const BUSY =
  'Other transactions, such as a dump, a check or an export, use the table all the time; run the command again after they have ended.'
const LOCKED = new Set(['55P03', '40P01'])

const codeOf = (error: unknown): string | undefined => {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return code ?? cause?.code
}

/**
 * How long to attempt to get locks, and the pause between two attempts, in milliseconds. Attempts end early if `isLate` resolves with true.
 */
type LockAttempts = { attemptMs: number; pauseMs?: number; isLate?: () => Promise<boolean> }

/**
 * Runs DDL in one transaction that waits at most LOCK_TIMEOUT_MS for each lock. Retries until it gets all of them. Throws OperatorError
 * after `attemptMs`.
 */
export async function withLockTimeout(
  connection: PostgresConnection,
  text: string,
  { attemptMs, pauseMs = RETRY_PAUSE_MS, isLate = async () => false }: LockAttempts,
): Promise<void> {
  const end = performance.now() + attemptMs
  for (;;) {
    try {
      await connection.exec(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; ${text}; COMMIT`)
      return
    } catch (error) {
      await connection.exec('ROLLBACK').catch(() => {})
      if (!LOCKED.has(codeOf(error) ?? '')) throw error
      if (performance.now() > end || (await isLate())) throw new OperatorError(BUSY)
      await setTimeout(pauseMs * (0.5 + Math.random()))
    }
  }
}
