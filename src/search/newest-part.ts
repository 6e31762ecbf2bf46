import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { type Term, tagWord } from '../domain/terms.ts'
import type { Extent } from './postings.ts'

/** At most about so many entries are read for one query, the newest ones: those with the rarest word of each phrase, or of a query without a phrase. */
const READ_MAX = 250_000
/** The frequency of a word is estimated from so many of the newest entries that have it. */
const SAMPLE = 64

/**
 * The number up to which a search for all terms leaves entries out; 0 if it reads all. To find a phrase of frequent words, or frequent words
 * that no entry has together, takes time for each entry that has one of them, and that grows with the store.
 */
export function leftOut(
  index: SqliteConnection,
  terms: readonly Term[],
  tag: string | null,
  { entries, newest }: Extent,
  most: number = READ_MAX,
): number {
  if (entries <= most) return 0
  const quoted = terms.map(({ words }) => words.map(word => `"${word}"`))
  const phrases = quoted.filter(words => words.length > 1)
  // FTS5 looks for the next entry with a phrase whatever else a query has, but for single words where the rarest one is.
  const parts =
    phrases.length > 0 ? phrases : [[...quoted.flat(), ...(tag === null ? [] : [`tag_words : "${tagWord(tag)}"`])]]
  const each = most / parts.length
  const limits = parts.filter(words => words.length > 1).map(words => firstRead(index, words, newest, each))
  return Math.max(0, ...limits)
}

/** The number from which about `most` entries have the rarest of these words; 0 if fewer have it. */
function firstRead(index: SqliteConnection, words: readonly string[], newest: number, most: number): number {
  let first = newest
  for (const word of new Set(words)) {
    const sampled = index.one<{ number: number }>(sql`
      SELECT rowid AS number FROM terms WHERE terms MATCH ${word} ORDER BY rowid DESC LIMIT 1 OFFSET ${SAMPLE - 1}`)
    if (sampled === undefined) return 0
    first = Math.min(first, Math.floor(newest - (most / SAMPLE) * (newest - sampled.number + 1)))
    if (first <= 0) return 0
  }
  return first
}
