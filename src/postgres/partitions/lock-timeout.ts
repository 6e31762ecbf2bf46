import { setTimeout } from 'node:timers/promises'
import type { PostgresConnection } from '../../database/postgres.ts'
import { OperatorError } from '../../operator-error.ts'

/**
 * How long statements of nodes may wait for a change of tables that waits for a lock, in milliseconds. PostgreSQL searches for deadlocks
 * after 1 s: before that this transaction ends, so that no statement of a node is cancelled.
 */
const LOCK_TIMEOUT = 300
const PAUSE = 2_000
const BUSY =
  'Other transactions, such as a dump, a check or an export, use the table all the time; run the command again after they have ended.'
const LOCKED = new Set(['55P03', '40P01'])

const codeOf = (error: unknown): string | undefined => {
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return code ?? cause?.code
}

/** How long to try to get locks: for `patience` milliseconds, unless `isLate` resolves with true. */
export type Patience = { patience: number; pause?: number; isLate?: () => Promise<boolean> }

/** Runs DDL in one transaction that waits for no lock for long. Tries again until it gets all of them; throws OperatorError past its patience. */
export async function changeBriefly(
  connection: PostgresConnection,
  text: string,
  { patience, pause = PAUSE, isLate = async () => false }: Patience,
): Promise<void> {
  const end = performance.now() + patience
  for (;;) {
    try {
      await connection.exec(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT}; ${text}; COMMIT`)
      return
    } catch (error) {
      await connection.exec('ROLLBACK').catch(() => {})
      if (!LOCKED.has(codeOf(error) ?? '')) throw error
      if (performance.now() > end || (await isLate())) throw new OperatorError(BUSY)
      await setTimeout(pause * (0.5 + Math.random()))
    }
  }
}
