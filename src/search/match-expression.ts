import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { type Term, tagWord } from '../domain/terms/terms.ts'
import { partFor, type Wanted } from './newest-part.ts'
import { extentOf } from './ranking.ts'

/** A prefix with more words or characters than this is not expanded to its words. */
const WORDS_OF_PREFIX_MAX = 2_000
const CHARACTERS_OF_PREFIX_MAX = 50_000

const asPrefix = (prefix: string): string => `"${prefix}" *`

/**
 * The words with a prefix, as an expression. FTS5 reads the rows of words newest first, but collects all rows of a prefix before the first.
 */
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
 * The FTS5 expression for all terms, and for the tag as one word. Words consist of letters, marks and digits only, so quoted words need no
 * escapes. A term that may be a prefix is a whole word, or any word with that prefix.
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

/** The expression for all terms, and the part of the index that a query for them reads. */
export const wantedFor = (
  index: SqliteConnection,
  terms: readonly Term[],
  tag: string | null,
  last: 'whole' | 'begun',
): Wanted => ({
  ...partFor(index, terms, tag, extentOf(index)),
  match: matchExpression(index, terms, tag, last),
})
