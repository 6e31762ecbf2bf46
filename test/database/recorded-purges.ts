import type { Reader, Transaction } from '../../src/engine/database.ts'
import { listTouched, readPurged } from '../../src/memory/moderation/rows.ts'
import type { Context } from '../../src/memory/operation.ts'
import { MAINTENANCE } from '../../src/memory/run.ts'

/** Purges a cache of everything, with the statements that find the changes of records. */
export async function recordPurges(reader: Reader, tx: Transaction, context: Context): Promise<void> {
  await listTouched(reader, { above: 0, upTo: 1_000 }, 10)
  await MAINTENANCE.keepPurged(tx, context, { cache: 'cache', record: 1 })
  await readPurged(reader, 'cache')
}
