import type { Awaitable } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import type { ChangedEntryRow } from '../store/indexed-entry.ts'
import { putEntries, removeEntries } from './documents.ts'
import { indexedStateOf } from './index-changes.ts'
import { emptyIndex, indexedState, type StoreState, saveIndexedRecord } from './index-file.ts'

/** Number of entries in one block that is compared with the store. Blocks are compared newest first, until one agrees. */
const COMPARED = 200

/** Reads the current state of an entry, by its number. */
export type ReadEntry = (number: number) => Awaitable<ChangedEntryRow | undefined>

type Indexed = { number: number; entry: number; id: string }

/**
 * Makes an index match a store. Empties an index of another store. If the store lost its newest records in a failover, indexes the entries
 * that changed later again.
 */
export async function claimIndex(index: SqliteConnection, store: StoreState, read: ReadEntry): Promise<void> {
  const known = indexedState(index)
  if (known === undefined || known.storeId !== store.storeId) return emptyIndex(index, store)
  if (known.storeEpoch === store.storeEpoch && known.record <= store.record) return
  const common = await commonRecord(index, read)
  index.step('BEGIN IMMEDIATE')
  const later = index.all<{ entry: number }>(sql`
    SELECT entry FROM doc WHERE number > ${common} UNION SELECT entry FROM withdrawn WHERE change > ${common}`)
  for (const { entry } of later) {
    const row = await read(entry)
    if (row === undefined) removeEntries(index, [entry])
    else putEntries(index, [indexedStateOf(row)])
  }
  index.run(sql`UPDATE progress SET history = ${store.storeEpoch}`)
  saveIndexedRecord(index, Math.min(common, store.record))
  index.step('COMMIT')
}

/** A record up to which index and store have the same entries. Only the newest records can be lost, so one block that agrees is enough. */
async function commonRecord(index: SqliteConnection, read: ReadEntry): Promise<number> {
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const block = index.all<Indexed>(
      sql`SELECT number, entry, id FROM doc WHERE number < ${below} ORDER BY number DESC LIMIT ${COMPARED}`,
    )
    const last = block.at(-1)
    if (last === undefined) return 0
    const rows = await Promise.all(block.map(({ entry }) => read(entry)))
    const agrees = block.every(({ number, id }, at) => rows[at]?.id === id && rows[at].revision >= number)
    if (agrees) return last.number
    below = last.number
  }
}
