import type { Awaitable } from '../../engine/database.ts'
import { sql } from '../../engine/sql.ts'
import type { SqliteConnection } from '../../engine/sqlite.ts'
import type { ChangedEntryRow } from '../../memory/entries/view-rows.ts'
import { pairWords } from '../near.ts'
import { levelled } from '../query/postings.ts'
import { distinctTerms } from '../rules/pairs.ts'
import { type FieldTerms, fieldTermsOf, forEachImpact } from '../rules/ranking.ts'
import { FENCE, indexedText, tagWord } from '../rules/terms.ts'
import { noteWords, saveIndexedRecord } from './file.ts'

export type IndexedEntry = {
  entry: number
  id: string
  revision: number
  /** The record that changed it last. */
  change: number
  updated_at: number
  revisions: number
  title: string
  summary: string
  content: string
  tags: string[]
}

/** The current state of an entry, as input of the index. */
export type IndexedState = IndexedEntry & { withdrawn: number }

/**
 * Writes the current states of entries to the index, in place of their earlier ones. Removes withdrawn entries. Removes all rows before it
 * adds the first, each in ascending order, because FTS5 writes a segment whenever a row is not above the previous one. Completes one table
 * for all entries before the next one: the data of a single table fit in the cache of a processor, which saves a sixth of the time.
 */
export function putEntries(index: SqliteConnection, entries: readonly IndexedState[], onEntry = () => {}): void {
  removeEntries(
    index,
    entries.map(({ entry }) => entry),
  )
  const sorted = entries.toSorted((one, other) => one.revision - other.revision)
  for (const entry of sorted) if (entry.withdrawn !== 0) saveWithdrawal(index, entry)
  const added = sorted.filter(({ withdrawn }) => withdrawn === 0)
  const ranked = added.map(entry => {
    onEntry()
    return { number: entry.revision, words: rankedWords(entry.tags, fieldTermsOf(entry)) }
  })
  for (const entry of added) {
    addEntry(index, entry)
    onEntry()
  }
  for (const { number, words } of ranked) {
    index.run(sql`INSERT INTO ranked (rowid, terms) VALUES (${number}, ${words})`)
    onEntry()
  }
  addToCount(index, added.length)
}

/** Adds to the number of indexed entries. */
const addToCount = (index: SqliteConnection, entries: number): void => {
  if (entries !== 0) index.run(sql`UPDATE progress SET entries = entries + ${entries} WHERE one = 1`)
}

/** Removes entries from the index. */
export function removeEntries(index: SqliteConnection, entries: readonly number[]): void {
  const docs = entries.flatMap(entry =>
    index.all<{ number: number }>(sql`SELECT number FROM doc WHERE entry = ${entry}`),
  )
  for (const { number } of docs.sort((one, other) => one.number - other.number)) {
    index.run(sql`DELETE FROM terms WHERE rowid = ${number}`)
    index.run(sql`DELETE FROM ranked WHERE rowid = ${number}`)
    index.run(sql`DELETE FROM doc WHERE number = ${number}`)
  }
  addToCount(index, -docs.length)
}

const saveWithdrawal = (index: SqliteConnection, { entry, change }: IndexedEntry): number =>
  index.run(sql`
    INSERT INTO withdrawn (entry, change) VALUES (${entry}, ${change}) ON CONFLICT (entry) DO UPDATE SET change = excluded.change`)

function addEntry(index: SqliteConnection, entry: IndexedEntry): void {
  // The row stays, so that the entry is read again if a failover loses a restoration.
  index.run(sql`UPDATE withdrawn SET change = ${entry.change} WHERE entry = ${entry.entry}`)
  const fields = [entry.title, entry.summary, entry.content, ...entry.tags].map(indexedText)
  for (const field of fields) noteWords(index, field)
  const text = [...fields, ...entry.tags.map(tagWord)].join(` ${FENCE} `)
  index.run(sql`INSERT INTO terms (rowid, text) VALUES (${entry.revision}, ${text})`)
  index.run(sql`
    INSERT INTO doc (number, entry, id, updated_at, revisions)
    VALUES (${entry.revision}, ${entry.entry}, ${entry.id}, ${entry.updated_at}, ${entry.revisions})`)
}

/**
 * The words of an entry for ranking: its terms, each with its impact; its tags, each as one word; and the pairs of its title and summary.
 * FTS5 merges words in order, whereas each row of a separate table of pairs would change another page.
 */
function rankedWords(tags: readonly string[], fields: FieldTerms): string {
  const words = [...tags.map(tagWord), ...pairWords(distinctTerms(fields.title, fields.summary))]
  forEachImpact(fields, (term, level) => words.push(levelled(term, level)))
  return words.join(' ')
}

/**
 * Maximum number of entries in one transaction. Each transaction adds a segment, and few segments need few merges. The second limit is the
 * number of entries in one read, which bounds the memory.
 */
const BATCH = 1_000
const PIECE = 120

/** Reads entries in the order of their latest change, after a given change and entry, withdrawn ones too. */
export type ReadChanges = (change: number, number: number, limit: number) => Awaitable<ChangedEntryRow[]>

/**
 * `onEntry` is called for each entry and table, `onReached` with each record that the index has reached. `onReached` returns whether to
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
