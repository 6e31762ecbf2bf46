import type { Transaction } from '../../engine/database.ts'
import type { Context } from '../operation.ts'
import { findDue, type LedgerRow } from './erase-rows.ts'
import { moderate } from './moderate.ts'

const REASON = 'The ledger of erasures names this record.'

/**
 * Erases the records of a ledger that this store has and did not erase: it was restored from an earlier state. Each becomes an act of
 * moderation. Returns how many were erased.
 */
export async function applyErasures(tx: Transaction, context: Context, ledger: readonly LedgerRow[]): Promise<number> {
  const due = await findDue(tx, ledger)
  for (const { record } of due) {
    const body = { targetType: 'RECORD', targetId: String(record), action: 'ERASE', reason: REASON } as const
    const caller = { actor: null, origin: null, requestId: context.newId() }
    await moderate(tx, context, { params: {}, body, caller })
  }
  return due.length
}
