import type { Awaitable } from '../database/database.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import type { ChangedEntryRow } from '../store/indexed-entry.ts'
import { type IndexedState, putEntries } from './documents.ts'
import { saveIndexedRecord } from './index-file.ts'

/**
 * Maximum number of entries in one transaction. Each transaction adds a segment, and few segments need few merges. The second limit is the
 * number of entries in one read, which bounds the memory.
 */
const BATCH = 1_000
const PIECE = 60

/** Reads entries in the order of their latest change, after a given change and entry, withdrawn ones too. */
export type ReadChanges = (change: number, number: number, limit: number) => Awaitable<ChangedEntryRow[]>

/**
 * `onEntry` is called after each indexed entry, `onReached` with each record that the index has reached. `onReached` returns whether to
 * continue.
 */
export type Following = { onEntry?: () => void; onReached: (record: number) => boolean }

/** Indexes the entries that changed after the record `from`, in the order of change, at least up to the record `to`. */
export async function followChanges(
  read: ReadChanges,
  index: SqliteConnection,
  from: number,
  to: number,
  { onEntry = () => {}, onReached }: Following,
): Promise<void> {
  let change = from
  let number = Number.MAX_SAFE_INTEGER
  for (;;) {
    let last: ChangedEntryRow | undefined
    let count = 0
    index.step('BEGIN IMMEDIATE')
    for await (const entries of nextEntries(read, change, number)) {
      putEntries(index, entries.map(indexedStateOf), onEntry)
      last = entries.at(-1)
      count += entries.length
    }
    // One change can concern many entries: in a full batch only the changes before the last one are complete.
    const more = count < BATCH ? undefined : last
    const reached = more === undefined ? Math.max(to, last?.change ?? change) : more.change - 1
    saveIndexedRecord(index, reached)
    index.step('COMMIT')
    if (!onReached(reached) || more === undefined) return
    change = more.change
    number = more.number
  }
}

/** Converts an entry of the store to the input of the index. */
export const indexedStateOf = (entry: ChangedEntryRow): IndexedState => ({
  ...entry,
  entry: entry.number,
  tags: JSON.parse(entry.tags) as string[],
})

/**
 * The next entries in the order of change, at most one batch. A batch is read in several pieces, because a long read would prevent the
 * truncation of the write-ahead log.
 */
async function* nextEntries(read: ReadChanges, change: number, number: number): AsyncGenerator<ChangedEntryRow[]> {
  let last: Pick<ChangedEntryRow, 'change' | 'number'> = { change, number }
  let left = BATCH
  while (left > 0) {
    const size = Math.min(PIECE, left)
    const entries = await read(last.change, last.number, size)
    const end = entries.at(-1)
    if (end === undefined) return
    yield entries
    if (entries.length < size) return
    left -= size
    last = end
  }
}
