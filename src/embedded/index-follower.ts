import type { SqliteConnection } from '../database/sqlite.ts'
import { listChangedEntries } from '../store/entry.ts'
import { putEntry, removeEntry, saveIndexedRecord } from './search-index.ts'

/** Entries put into the index in one transaction. */
const BATCH = 500

/**
 * Puts every entry that changed after the record `from` into the index, in the order of change, until it holds at least all up to `to`.
 * `onReached` is told each record that the index has reached, and says whether to go on.
 */
export async function followChanges(
  store: SqliteConnection,
  index: SqliteConnection,
  from: number,
  to: number,
  onReached: (record: number) => boolean,
): Promise<void> {
  let change = from
  let number = Number.MAX_SAFE_INTEGER
  for (;;) {
    const entries = await listChangedEntries(store, change, number, BATCH)
    index.step('BEGIN IMMEDIATE')
    for (const entry of entries) {
      if (entry.withdrawn) removeEntry(index, entry.number)
      else putEntry(index, { ...entry, entry: entry.number, tags: JSON.parse(entry.tags) as string[] })
    }
    const last = entries.at(-1)
    const done = last === undefined || entries.length < BATCH
    // One change can concern many entries: only a change before the last one is known to be complete, unless nothing comes after it.
    const reached = done ? Math.max(to, last?.change ?? 0) : last.change - 1
    saveIndexedRecord(index, reached)
    index.step('COMMIT')
    if (!onReached(reached) || done) return
    change = last.change
    number = last.number
  }
}
