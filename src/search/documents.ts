import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { type FieldTerms, fieldTermsOf, impactsOf } from '../domain/find/ranking.ts'
import { distinctTerms } from '../domain/terms/pairs.ts'
import { indexedText, TAG_FENCE, tagWord } from '../domain/terms/terms.ts'
import { noteWords } from './index-file.ts'
import { pairWords } from './near.ts'
import { levelled } from './postings.ts'

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
 * adds the first, each in ascending order, because FTS5 writes a segment whenever a row is not above the previous one.
 */
export function putEntries(index: SqliteConnection, entries: readonly IndexedState[], onEntry = () => {}): void {
  removeEntries(
    index,
    entries.map(({ entry }) => entry),
  )
  for (const entry of entries.toSorted((one, other) => one.revision - other.revision)) {
    if (entry.withdrawn === 0) addEntry(index, entry)
    else saveWithdrawal(index, entry)
    onEntry()
  }
}

/** Removes entries from the index. */
export function removeEntries(index: SqliteConnection, entries: readonly number[]): void {
  const docs = entries.flatMap(entry =>
    index.all<{ number: number }>(sql`SELECT number FROM doc WHERE entry = ${entry}`),
  )
  for (const { number } of docs.sort((one, other) => one.number - other.number)) {
    index.run(sql`DELETE FROM terms WHERE rowid = ${number}`)
    index.run(sql`DELETE FROM ranked WHERE rowid = ${number}`)
    index.run(sql`UPDATE progress SET entries = entries - 1 WHERE one = 1`)
    index.run(sql`DELETE FROM doc WHERE number = ${number}`)
  }
}

const saveWithdrawal = (index: SqliteConnection, { entry, change }: IndexedEntry): number =>
  index.run(sql`
    INSERT INTO withdrawn (entry, change) VALUES (${entry}, ${change}) ON CONFLICT (entry) DO UPDATE SET change = excluded.change`)

function addEntry(index: SqliteConnection, entry: IndexedEntry): void {
  // The row stays, so that the entry is read again if a failover loses a restoration.
  index.run(sql`UPDATE withdrawn SET change = ${entry.change} WHERE entry = ${entry.entry}`)
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
  const fields = fieldTermsOf(entry)
  index.run(sql`INSERT INTO ranked (rowid, terms) VALUES (${entry.revision}, ${rankedWords(entry.tags, fields)})`)
  index.run(sql`UPDATE progress SET entries = entries + 1 WHERE one = 1`)
}

/**
 * The words of an entry for ranking: its terms, each with its impact; its tags, each as one word; and the pairs of its title and summary.
 * FTS5 merges words in order, whereas each row of a separate table of pairs would change another page.
 */
function rankedWords(tags: readonly string[], fields: FieldTerms): string {
  const words = [...tags.map(tagWord), ...pairWords(distinctTerms(fields.title, fields.summary))]
  for (const [term, level] of impactsOf(fields)) words.push(levelled(term, level))
  return words.join(' ')
}
