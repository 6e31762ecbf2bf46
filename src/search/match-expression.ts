import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { type Term, tagWord } from '../domain/terms.ts'

/** More words than this that a beginning may become are not named one by one, nor are more characters. */
const WORDS_OF_PREFIX_MAX = 2_000
const CHARACTERS_OF_PREFIX_MAX = 50_000

const asPrefix = (prefix: string): string => `"${prefix}" *`

/** The words that a beginning may become. FTS5 walks them from the newest row on; of a prefix it would gather all rows first. */
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
 * All terms, and the tag as one word, as FTS5 reads them. Words consist of letters, marks and digits only, so that quoting needs no escape.
 * A term that may be a beginning is asked for as a whole word, or as the words that begin so.
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
