import { StoreFault } from '../database/database.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { type ChangedEntryRow, changedEntries } from '../store/entry.ts'
import { putEntry, removeEntry, saveIndexedRecord } from './search-index.ts'

/** Entries put into the index in one transaction, and of those how many are read at once: few, so that little is held in memory. */
const BATCH = 200
const PIECE = 20

/**
 * Puts every entry that changed after the record `from` into the index, in the order of change, until it holds at least all up to `to`.
 * `onEntry` is told of each entry that was put there; `onReached` of each record that the index has reached, and says whether to go on.
 */
export function followChanges(
  store: SqliteConnection,
  index: SqliteConnection,
  from: number,
  to: number,
  { onEntry = () => {}, onReached }: { onEntry?: () => void; onReached: (record: number) => boolean },
): void {
  let change = from
  let number = Number.MAX_SAFE_INTEGER
  for (;;) {
    let last: ChangedEntryRow | undefined
    let count = 0
    index.step('BEGIN IMMEDIATE')
    for (const entry of nextEntries(store, change, number)) {
      if (entry.withdrawn) removeEntry(index, entry.number)
      else putEntry(index, { ...entry, entry: entry.number, tags: JSON.parse(entry.tags) as string[] })
      onEntry()
      last = entry
      count += 1
    }
    // One change can concern many entries: only a change before the last one is known to be complete, unless nothing comes after it.
    const more = count === BATCH ? last : undefined
    const reached = more === undefined ? Math.max(to, last?.change ?? change) : more.change - 1
    saveIndexedRecord(index, reached)
    index.step('COMMIT')
    if (!onReached(reached) || more === undefined) return
    change = more.change
    number = more.number
  }
}

/**
 * The next entries in the order of change, at most a batch of them. No read goes on while they are put into the index: the log of the
 * store cannot be cut behind one.
 */
function* nextEntries(store: SqliteConnection, change: number, number: number): Generator<ChangedEntryRow> {
  let last: Pick<ChangedEntryRow, 'change' | 'number'> = { change, number }
  for (let left = BATCH; left > 0; left -= PIECE) {
    const entries = readEntries(store, last)
    yield* entries
    const end = entries.at(-1)
    if (end === undefined || entries.length < PIECE) return
    last = end
  }
}

/** What is broken is the store then, and not the index, which would be made anew. */
function readEntries(store: SqliteConnection, { change, number }: Pick<ChangedEntryRow, 'change' | 'number'>) {
  try {
    return store.all<ChangedEntryRow>(changedEntries(change, number, PIECE))
  } catch (error) {
    if (!(error instanceof StoreFault) || error.kind !== 'broken') throw error
    throw new Error('The search index cannot follow: the store cannot be read.', { cause: error })
  }
}
