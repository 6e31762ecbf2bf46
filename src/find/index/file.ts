import { rmSync, statSync } from 'node:fs'
import { Problem } from '../../contract/problem.ts'
import { only, StoreFault, sql } from '../../engine/database.ts'
import { openSqlite, type SqliteConnection } from '../../engine/sqlite.ts'
import { DAMAGED, INDEX_FILE, publish, type SharedCounters } from '../../engine/thread.ts'
import type { ChangedEntryRow } from '../../memory/entries/rows.ts'
import { fieldTermsOf, IMPACT_VERSION, impactsOf, levelled } from '../rules/ranking.ts'
import { distinctTerms, FENCE, PAIRS_VERSION, pairsOf, tagWord } from '../rules/terms.ts'
import { indexedText, RecentWords, TERMS_VERSION } from '../rules/words.ts'

/**
 * Number of segments of a level that FTS5 merges into one. With its default of 4, adding an entry to half a million takes twice as long.
 */
const SEGMENTS = 8

/**
 * The full-text index: derived data in its own file, which no commit waits for. The key of a row is the number of the entry's latest
 * revision, so rows in descending order have the latest changes first.
 */
const SCHEMA = `
CREATE TABLE progress (one INTEGER PRIMARY KEY CHECK (one = 1), store_id TEXT NOT NULL, version INTEGER NOT NULL, history INTEGER NOT NULL, record INTEGER NOT NULL, entries INTEGER NOT NULL, erased INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE doc (
  number INTEGER PRIMARY KEY,
  entry INTEGER NOT NULL UNIQUE,
  id TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  revisions INTEGER NOT NULL
) STRICT;
CREATE TABLE withdrawn (entry INTEGER PRIMARY KEY, change INTEGER NOT NULL) STRICT;
CREATE TABLE word (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE terms USING fts5(text, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE ranked USING fts5(terms, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '.+#:'");
INSERT INTO terms (terms, rank) VALUES ('automerge', ${SEGMENTS});
INSERT INTO ranked (ranked, rank) VALUES ('automerge', ${SEGMENTS});
`
/**
 * Increment it when existing indexes must be rebuilt. An index of version 8 that was more than a batch behind the store could lack entries.
 */
const SCHEMA_VERSION = 11
const VERSION = ((SCHEMA_VERSION * 100 + PAIRS_VERSION) * 1_000 + TERMS_VERSION) * 10_000 + IMPACT_VERSION

/**
 * The id of a store, its newest record, and its epoch: after a failover that lost records, the same numbers may belong to
 * other records.
 */
export type StoreState = { storeId: string; record: number; storeEpoch: number }

/** Nearly all writes append. A cache of 32 MB indexes no faster. */
const CACHE_KIB = 2_048

const NO_STORE: StoreState = { storeId: '', record: 0, storeEpoch: 0 }

/**
 * Opens the index for writing. Empties an index that belongs to another store or to a later state of the store, was made by other rules, or
 * cannot be read. Without `store`, opens the index unchanged. `onDamage` is called with the fault of an index that cannot be read.
 */
export function openIndex(
  path: string,
  store?: StoreState,
  onDamage: (fault: StoreFault) => void = () => {},
): SqliteConnection {
  try {
    return openCurrent(path, store)
  } catch (error) {
    if (!isDamageOfIndex(error)) throw error
    onDamage(error)
    deleteIndex(path)
    return openCurrent(path, store)
  }
}

/** Whether the index cannot be read, so that only another one helps. */
export const isDamageOfIndex = (error: unknown): error is StoreFault =>
  error instanceof StoreFault && error.kind === 'broken'

/** Deletes the files of the index. */
export function deleteIndex(path: string): void {
  for (const part of ['', '-wal', '-shm']) rmSync(`${path}${part}`, { force: true })
}

function openCurrent(path: string, store: StoreState | undefined): SqliteConnection {
  const connection = openSqlite(path, 'derived', { cacheKib: CACHE_KIB })
  try {
    const known = indexedState(connection)
    const fits = store === undefined || (known?.storeId === store.storeId && known.record <= store.record)
    if (known === undefined || !fits) emptyIndex(connection, store ?? NO_STORE)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** The store that an index belongs to, and the record that it has reached; undefined if it was made by other rules. */
export function indexedState(index: SqliteConnection): StoreState | undefined {
  if (index.one(sql`SELECT name FROM sqlite_schema WHERE name = 'progress'`) === undefined) return undefined
  const version = index.one<{ version: number }>(sql`SELECT version FROM progress WHERE one = 1`)?.version
  if (version !== VERSION) return undefined
  return index.one<StoreState>(
    sql`SELECT store_id AS "storeId", record, history AS "storeEpoch" FROM progress WHERE one = 1`,
  )
}

/** Empties or creates the index of a store. */
export function emptyIndex(index: SqliteConnection, { storeId, storeEpoch }: StoreState): void {
  index.exec('BEGIN IMMEDIATE')
  for (const table of ['terms', 'ranked', 'doc', 'withdrawn', 'word', 'progress']) {
    index.exec(`DROP TABLE IF EXISTS ${table}`)
  }
  index.exec(SCHEMA)
  index.run(sql`
    INSERT INTO progress (one, store_id, version, history, record, entries) VALUES (1, ${storeId}, ${VERSION}, ${storeEpoch}, 0, 0)`)
  index.exec('COMMIT')
  wordsOfIndex.delete(index)
}

/** The words of the texts that were put into each index. `saveIndexedRecord` stores each once, for queries that expand a prefix. */
const wordsOfIndex = new WeakMap<SqliteConnection, RecentWords>()

/** The record number up to which every change is in the index. */
export const indexedRecord = (index: SqliteConnection): number =>
  only(index.one<{ record: number }>(sql`SELECT record FROM progress WHERE one = 1`)).record

/** Saves the record up to which every change is in the index, and the words of those changes. */
export function saveIndexedRecord(index: SqliteConnection, record: number): void {
  for (const word of wordsOfIndex.get(index)?.take() ?? []) {
    index.run(sql`INSERT INTO word (word) VALUES (${word}) ON CONFLICT DO NOTHING`)
  }
  index.run(sql`UPDATE progress SET record = ${record} WHERE one = 1`)
}

/** How many revisions the store had erased when the file was made. A later erasure needs a new file, because pages keep old words. */
export const erasedBefore = (index: SqliteConnection): number =>
  index.one<{ erased: number }>(sql`SELECT erased FROM progress WHERE one = 1`)?.erased ?? 0

export function saveErasedBefore(index: SqliteConnection, erased: number): void {
  index.run(sql`UPDATE progress SET erased = ${erased} WHERE one = 1`)
}

/** Rolls back the open transaction of the index, if there is one. */
export function undoIndexing(index: SqliteConnection): void {
  if (index.raw.isTransaction) index.exec('ROLLBACK')
  wordsOfIndex.delete(index)
}

/** Merges about `pages` pages of segments of the index; false if there is nothing left to merge. */
export function tidyIndex(index: SqliteConnection, pages: number): boolean {
  const before = index.changes()
  index.run(sql`INSERT INTO terms (terms, rank) VALUES ('merge', ${pages})`)
  index.run(sql`INSERT INTO ranked (ranked, rank) VALUES ('merge', ${pages})`)
  // Each command itself counts as one change (FTS5, "The 'merge' command").
  return index.changes() - before > 2
}

/** Seconds after which a search is worth another try while the index is rebuilt. */
const REBUILD_RETRY = 5

/** The index file of a process, for reading. After the follower has replaced a damaged file, opens the new one. */
export class IndexReader {
  readonly #counters: SharedCounters
  readonly #open: () => SqliteConnection
  #index: SqliteConnection | undefined
  /** The number of the open file. */
  #file = -1n

  constructor(counters: SharedCounters, open: () => SqliteConnection) {
    this.#counters = counters
    this.#open = open
  }

  /**
   * Reads from the index by a function and its arguments. Reports a damaged file to the follower. Throws NOT_READY then, and while the
   * file is replaced.
   */
  read<T, A extends unknown[]>(look: (index: SqliteConnection, ...args: A) => T, ...args: A): T {
    const file = Atomics.load(this.#counters, INDEX_FILE)
    if (file % 2n === 1n) throw rebuilt()
    try {
      if (file !== this.#file) this.close()
      this.#index ??= this.#open()
      this.#file = file
      return look(this.#index, ...args)
    } catch (error) {
      if (!isDamageOfIndex(error)) throw error
      publish(this.#counters, DAMAGED, file + 1n)
      throw rebuilt()
    }
  }

  close(): void {
    this.#index?.close()
    this.#index = undefined
  }
}

const rebuilt = (): Problem =>
  new Problem('NOT_READY', { retryAfter: REBUILD_RETRY, reason: 'the search index was damaged and is rebuilt' })

type IndexedEntry = Omit<ChangedEntryRow, 'tags'> & { tags: string[] }

/**
 * Writes the current states of entries to the index, in place of their earlier ones. Removes withdrawn entries. Removes all rows before it
 * adds the first, each in ascending order, because FTS5 writes a segment whenever a row is not above the previous one. Completes one table
 * for all entries before the next one: the data of a single table fit in the cache of a processor, which saves a sixth of the time.
 */
export function putEntries(index: SqliteConnection, entries: readonly ChangedEntryRow[], onEntry?: () => void): void {
  const numbers: number[] = []
  const added: IndexedEntry[] = []
  for (const entry of entries.toSorted((one, other) => one.revision - other.revision)) {
    numbers.push(entry.number)
    if (entry.withdrawn === 0) added.push({ ...entry, tags: JSON.parse(entry.tags) as string[] })
  }
  removeEntries(index, numbers)
  for (const { number, change, withdrawn } of entries) {
    if (withdrawn === 0) continue
    index.run(sql`
      INSERT INTO withdrawn (entry, change) VALUES (${number}, ${change})
      ON CONFLICT (entry) DO UPDATE SET change = excluded.change`)
  }
  const ranked: string[] = []
  for (const entry of added) {
    onEntry?.()
    ranked.push(rankedWords(entry))
  }
  const words = wordsOfIndex.get(index) ?? new RecentWords()
  wordsOfIndex.set(index, words)
  for (const { title, summary, content, tags, number, revision, ...entry } of added) {
    // The row stays, so that the entry is read again if a failover loses a restoration.
    index.run(sql`UPDATE withdrawn SET change = ${entry.change} WHERE entry = ${number}`)
    const fields = [title, summary, content, ...tags].map(indexedText)
    for (const field of fields) words.note(field)
    const text = [...fields, ...tags.map(tagWord)].join(` ${FENCE} `)
    index.run(sql`INSERT INTO terms (rowid, text) VALUES (${revision}, ${text})`)
    index.run(sql`
      INSERT INTO doc (number, entry, id, updated_at, revisions)
      VALUES (${revision}, ${number}, ${entry.id}, ${entry.updated_at}, ${entry.revisions})`)
    onEntry?.()
  }
  for (const [at, { revision }] of added.entries()) {
    index.run(sql`INSERT INTO ranked (rowid, terms) VALUES (${revision}, ${ranked[at] as string})`)
    onEntry?.()
  }
  if (added.length > 0) index.run(sql`UPDATE progress SET entries = entries + ${added.length} WHERE one = 1`)
}

/** Removes entries from the index. */
export function removeEntries(index: SqliteConnection, entries: readonly number[]): void {
  const numbers: number[] = []
  for (const entry of entries) {
    const doc = index.one<{ number: number }>(sql`SELECT number FROM doc WHERE entry = ${entry}`)
    if (doc !== undefined) numbers.push(doc.number)
  }
  for (const number of numbers.sort((one, other) => one - other)) {
    index.run(sql`DELETE FROM terms WHERE rowid = ${number}`)
    index.run(sql`DELETE FROM ranked WHERE rowid = ${number}`)
    index.run(sql`DELETE FROM doc WHERE number = ${number}`)
  }
  if (numbers.length > 0) index.run(sql`UPDATE progress SET entries = entries - ${numbers.length} WHERE one = 1`)
}

/**
 * The words of an entry for ranking: its terms, each with its impact; its tags, each as one word; and the pairs of its title and summary.
 * FTS5 merges words in order, whereas each row of a separate table of pairs would change another page.
 */
function rankedWords(entry: IndexedEntry): string {
  const fields = fieldTermsOf(entry)
  const words = entry.tags.map(tagWord)
  for (const pair of pairsOf(distinctTerms(fields.title, fields.summary))) words.push(pair)
  const levels = impactsOf(fields)
  for (const term of levels.keys()) words.push(levelled(term, levels.get(term) as number))
  return words.join(' ')
}

/** Bytes of a database file and its log on disk. */
export const bytesOf = (file: string): number =>
  ['', '-wal'].reduce((sum, part) => sum + (statSync(`${file}${part}`, { throwIfNoEntry: false })?.size ?? 0), 0)
