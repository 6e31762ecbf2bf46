import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { type Term, tagWord } from '../domain/terms/terms.ts'
import { partFor, type Wanted } from './newest-part.ts'
import { extentOf } from './ranking.ts'

/** A prefix with more words or characters than this is not expanded to its words. */
const WORDS_OF_PREFIX_MAX = 2_000
const CHARACTERS_OF_PREFIX_MAX = 50_000

const asPrefix = (prefix: string): string => `"${prefix}" *`

/** The words with a prefix. FTS5 reads their rows from the newest on; for a prefix it would collect all rows first. */
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

/**
 * All terms, and the tag as one word, as FTS5 reads them. Words consist of letters, marks and digits only: quoting needs no escape. A term
 * that may be a prefix is a whole word, or the words with that prefix.
 */
export function matchExpression(
  index: SqliteConnection,
  terms: readonly Term[],
  tag: string | null,
  last: 'whole' | 'begun',
): string {
  const parts = terms.map(({ words, prefix }) =>
    prefix && last === 'begun' ? asWords(index, words.join(' ')) : `"${words.join(' ')}"`,
  )
  if (tag !== null) parts.push(`tag_words : "${tagWord(tag)}"`)
  return parts.join(' AND ')
}

/** All terms, in the entries that a query for them reads. */
export const wantedFor = (
  index: SqliteConnection,
  terms: readonly Term[],
  tag: string | null,
  last: 'whole' | 'begun',
): Wanted => ({
  ...partFor(index, terms, tag, extentOf(index)),
  match: matchExpression(index, terms, tag, last),
})
