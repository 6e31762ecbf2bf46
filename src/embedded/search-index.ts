import { rmSync } from 'node:fs'
import { StoreFault } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import { openSqlite, type SqliteConnection } from '../database/sqlite.ts'
import { createNewWords, type NewWords } from '../domain/new-words.ts'
import { indexedText, TAG_FENCE, TERMS_VERSION, type Term, tagWord } from '../domain/terms.ts'
import type { SearchRequest, SearchResult } from '../operations/operation.ts'

/** So many segments of a level are merged into one: with FTS5's own 4, an index of half a million entries takes twice the time for each that is added. */
const SEGMENTS = 8

/**
 * The full-text index: derived data in a file of its own, so that writing it is not part of any commit.
 * Its rows are keyed by the number of the entry's latest revision: descending rows are the order of change.
 */
const SCHEMA = `
CREATE TABLE progress (one INTEGER PRIMARY KEY CHECK (one = 1), store_id TEXT NOT NULL, version INTEGER NOT NULL, record INTEGER NOT NULL) STRICT;
CREATE TABLE doc (
  number INTEGER PRIMARY KEY,
  entry INTEGER NOT NULL UNIQUE,
  id TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  revisions INTEGER NOT NULL
) STRICT;
CREATE TABLE word (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE terms USING fts5(title, summary, tags, content, tag_words, content='', contentless_delete=1, tokenize='ascii');
INSERT INTO terms (terms, rank) VALUES ('automerge', ${SEGMENTS});
`
const SCHEMA_VERSION = 5
const VERSION = SCHEMA_VERSION * 1_000 + TERMS_VERSION

/** Of the matches, the newest so many are ranked by relevance; older ones follow, newest first. Bounds the work of one query. */
const RELEVANCE_WINDOW = 2_000
/** The same for the order of evolution, which costs less per match. */
const EVOLUTION_WINDOW = 10_000
/** How much a match weighs in title, summary, tags and content. */
const WEIGHTS = sql`10.0, 4.0, 6.0, 1.0, 0.0`

export type IndexedEntry = {
  entry: number
  id: string
  revision: number
  updated_at: number
  revisions: number
  title: string
  summary: string
  content: string
  tags: string[]
}

/** Opens the index for writing; one that belongs to another store, was made by other rules or cannot be read is made anew. */
export function openIndexForWriting(path: string, storeId: string, newestRecord: number): SqliteConnection {
  try {
    return openCurrent(path, storeId, newestRecord)
  } catch (error) {
    if (!(error instanceof StoreFault) || error.kind !== 'broken') throw error
    deleteIndex(path)
    return openCurrent(path, storeId, newestRecord)
  }
}

/** Deletes the index: the next one to open it begins at nothing. */
export function deleteIndex(path: string): void {
  for (const part of ['', '-wal', '-shm']) rmSync(`${path}${part}`, { force: true })
}

function openCurrent(path: string, storeId: string, newestRecord: number): SqliteConnection {
  const connection = openSqlite(path, 'derived')
  try {
    const known = connection.one(sql`SELECT name FROM sqlite_schema WHERE name = 'progress'`)
    const progress =
      known === undefined
        ? undefined
        : connection.one<{ store_id: string; version: number; record: number }>(
            sql`SELECT store_id, version, record FROM progress`,
          )
    if (progress?.store_id === storeId && progress.version === VERSION && progress.record <= newestRecord)
      return connection
    connection.exec(
      'BEGIN IMMEDIATE; DROP TABLE IF EXISTS terms; DROP TABLE IF EXISTS doc; DROP TABLE IF EXISTS word; DROP TABLE IF EXISTS progress',
    )
    connection.exec(SCHEMA)
    connection.run(sql`INSERT INTO progress (one, store_id, version, record) VALUES (1, ${storeId}, ${VERSION}, 0)`)
    connection.exec('COMMIT')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

const wordsOfIndex = new WeakMap<SqliteConnection, NewWords>()

/** Keeps every word once, so that a beginning can be asked for as the words that it may become: with the record that is saved next. */
function noteWords(index: SqliteConnection, text: string): void {
  let noted = wordsOfIndex.get(index)
  if (noted === undefined) {
    noted = createNewWords()
    wordsOfIndex.set(index, noted)
  }
  noted.note(text)
}

/** The record number up to which every change is in the index. */
export const indexedRecord = (index: SqliteConnection): number =>
  index.one<{ record: number }>(sql`SELECT record FROM progress`)?.record ?? 0

/** Saves up to which record every change is in the index, and the words that came with those changes. */
export function saveIndexedRecord(index: SqliteConnection, record: number): void {
  for (const word of wordsOfIndex.get(index)?.take() ?? []) {
    index.run(sql`INSERT INTO word (word) VALUES (${word}) ON CONFLICT DO NOTHING`)
  }
  index.run(sql`UPDATE progress SET record = ${record}`)
}

/** Undoes what was put into the index since the transaction began, if one is open. */
export function undoIndexing(index: SqliteConnection): void {
  if (index.raw.isTransaction) index.exec('ROLLBACK')
  wordsOfIndex.delete(index)
}

/** Merges about so many pages of the index where it lies in many pieces; false when there is nothing left to merge. */
export function tidyIndex(index: SqliteConnection, pages: number): boolean {
  const before = index.changes()
  index.run(sql`INSERT INTO terms (terms, rank) VALUES ('merge', ${pages})`)
  // The command itself counts as one change (FTS5, "The 'merge' command").
  return index.changes() - before >= 2
}

/** Takes an entry out of the index. */
export function removeEntry(index: SqliteConnection, entry: number): void {
  const doc = index.one<{ number: number }>(sql`SELECT number FROM doc WHERE entry = ${entry}`)
  if (doc === undefined) return
  index.run(sql`DELETE FROM terms WHERE rowid = ${doc.number}`)
  index.run(sql`DELETE FROM doc WHERE number = ${doc.number}`)
}

/** Puts an entry as it stands into the index, in place of what was there of it. */
export function putEntry(index: SqliteConnection, entry: IndexedEntry): void {
  removeEntry(index, entry.entry)
  const [title, summary, content, ...tags] = [entry.title, entry.summary, entry.content, ...entry.tags].map(field => {
    const text = indexedText(field)
    noteWords(index, text)
    return text
  }) as [string, string, string, ...string[]]
  index.run(sql`
    INSERT INTO terms (rowid, title, summary, tags, content, tag_words)
    VALUES (${entry.revision}, ${title}, ${summary}, ${tags.join(` ${TAG_FENCE} `)}, ${content}, ${entry.tags.map(tagWord).join(' ')})`)
  index.run(sql`
    INSERT INTO doc (number, entry, id, updated_at, revisions)
    VALUES (${entry.revision}, ${entry.entry}, ${entry.id}, ${entry.updated_at}, ${entry.revisions})`)
}

type Match = { entry: number; id: string; updated_at: number; revisions: number; score: number }

/** Finds one page of the entries that match, in the order asked for. */
export function searchIndex(index: SqliteConnection, request: SearchRequest): SearchResult {
  index.step('BEGIN')
  try {
    return pageOf(matchesOf(index, request), request)
  } finally {
    // What was read in several steps was one state of the index; nothing was written.
    if (index.raw.isTransaction) index.step('ROLLBACK')
  }
}

function pageOf(matches: Iterable<Match>, { limit, offset }: SearchRequest): SearchResult {
  const entries: number[] = []
  let skipped = 0
  for (const { entry } of matches) {
    if (skipped < offset) skipped++
    else if (entries.length === limit) return { entries, more: true }
    else entries.push(entry)
  }
  return { entries, more: false }
}

function* matchesOf(index: SqliteConnection, { terms, tag, sort }: SearchRequest): Generator<Match> {
  const all = matchExpression(terms, tag, prefix => asWords(index, prefix))
  if (sort !== 'relevance') {
    const window = sort === 'evolution' ? EVOLUTION_WINDOW : 0
    yield* inOrder(select(index, all), window, byRevisions)
    return
  }
  // Weighing a beginning takes gathering all words that begin so: those who have it as a word are weighed, and come before the others.
  const whole = matchExpression(terms, tag, prefix => `"${prefix}"`)
  yield* inOrder(select(index, whole, sql`bm25(terms, ${WEIGHTS})`), RELEVANCE_WINDOW, byScore)
  if (whole !== all) yield* inOrder(select(index, `(${all}) NOT (${whole})`), 0, byTime)
}

const select = (index: SqliteConnection, match: string, score: Sql = sql`0.0`): Iterable<Match> =>
  index.each<Match>(sql`
    SELECT d.entry, d.id, d.updated_at, d.revisions, ${score} AS score
    FROM terms CROSS JOIN doc d ON d.number = terms.rowid WHERE terms MATCH ${match} ORDER BY terms.rowid DESC`)

/** More words than this that a beginning may become are not named one by one, nor are more characters. */
const WORDS_OF_PREFIX_MAX = 2_000
const CHARACTERS_OF_PREFIX_MAX = 50_000

const asPrefix = (prefix: string): string => `"${prefix}" *`

/** The words that a beginning may become: they are walked from the newest on, where the beginning itself would be gathered whole first. */
function asWords(index: SqliteConnection, prefix: string): string {
  const words: string[] = []
  let characters = 0
  const beginning = index.each<{ word: string }>(
    sql`SELECT word FROM word WHERE word >= ${prefix} AND word < ${`${prefix}\u{10ffff}`} ORDER BY word`,
  )
  for (const { word } of beginning) {
    characters += word.length
    if (words.length === WORDS_OF_PREFIX_MAX || characters > CHARACTERS_OF_PREFIX_MAX) return asPrefix(prefix)
    words.push(`"${word}"`)
  }
  return words.length === 0 ? asPrefix(prefix) : `(${words.join(' OR ')})`
}

type Compare = (a: Match, b: Match) => number
const byTime: Compare = (a, b) => b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1)
const byRevisions: Compare = (a, b) => b.revisions - a.revisions || byTime(a, b)
const byScore: Compare = (a, b) => a.score - b.score || byTime(a, b)

/** Matches come in the order of change; the first `window` are sorted by `compare`, of the rest those of one instant by id. */
function* inOrder(matches: Iterable<Match>, window: number, compare: Compare): Generator<Match> {
  let held: Match[] = []
  let ranked = window === 0
  for (const match of matches) {
    const complete = ranked ? held[0] !== undefined && held[0].updated_at !== match.updated_at : held.length === window
    if (complete) {
      yield* held.sort(ranked ? byTime : compare)
      held = []
      ranked = true
    }
    held.push(match)
  }
  yield* held.sort(ranked ? byTime : compare)
}

/** All terms, and the tag as one word: words hold letters, marks and digits only, so that quoting needs no escape. */
function matchExpression(terms: readonly Term[], tag: string | null, begun: (prefix: string) => string): string {
  const parts = terms.map(({ words, prefix }) => (prefix ? begun(words.join(' ')) : `"${words.join(' ')}"`))
  if (tag !== null) parts.push(`tag_words : "${tagWord(tag)}"`)
  return parts.join(' AND ')
}
