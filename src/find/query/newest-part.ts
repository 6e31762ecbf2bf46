import { sql } from '../../engine/sql.ts'
import type { SqliteConnection } from '../../engine/sqlite.ts'
import { type Term, tagWord } from '../rules/terms.ts'
import type { Extent } from './postings.ts'

/** Approximate maximum number of entries that the phrases of one query read: the newest ones with the rarest word of each phrase. */
const READ_MAX = 100_000
/** An index with at most this multiple of that maximum is read whole. */
const WHOLE_UP_TO = 2.5
/** The frequency of a word is estimated from this many of the newest entries with the word. */
const SAMPLE = 64
/** If at least about this many matches are expected, a page is found among the newest entries. */
const DENSE = 100
/** Estimated share of the entries with a phrase among the entries with all words of the phrase. */
const PHRASE_SHARE = 1 / 50

/** The part of an index that a query reads: entries with numbers above `above`. If `isSparse`, so few of them match that all are read. */
export type NewestPart = { above: number; isSparse: boolean }

/** An FTS5 expression, and the part of the index to search with it. */
export type NewestMatches = NewestPart & { match: string }

const WHOLE: NewestPart = { above: 0, isSparse: false }

/**
 * The part of a large index that a search for all terms reads; the whole index if no term is a phrase. The time to find a phrase of
 * frequent words grows with the number of entries that have all of the words, and thus with the store.
 */
export function partFor(
  index: SqliteConnection,
  terms: readonly Term[],
  tag: string | null,
  { entries, newest }: Extent,
  most: number = READ_MAX,
): NewestPart {
  const isPhrase = (words: readonly string[]): boolean => words.length > 1
  if (entries <= WHOLE_UP_TO * most || !terms.some(({ words }) => isPhrase(words))) return WHOLE
  const quoted = terms.map(({ words }) => words.map(word => `"${word}"`))
  if (tag !== null) quoted.push([`"${tagWord(tag)}"`])
  const shares = new Map(quoted.flat().map(word => [word, shareOf(index, word, newest)]))
  const rarestOf = (words: readonly string[]): number => Math.min(...words.map(word => shares.get(word) as number))
  const phrases = quoted.filter(isPhrase)
  const limits = phrases.map(words => newest - most / phrases.length / rarestOf(words))
  const above = Math.floor(Math.max(0, ...limits))
  const expected = shares.values().reduce((product, share) => product * share, newest - above)
  return { above, isSparse: above > 0 && expected * PHRASE_SHARE ** phrases.length < DENSE }
}

/**
 * The numbers of all matches in a sparse part and below a number, newest first. Reads the part forwards, because FTS5 can begin at a bound,
 * but stops at one only when it finds the next match.
 */
export function allNewest(
  index: SqliteConnection,
  { match, above }: NewestMatches,
  below = Number.MAX_SAFE_INTEGER,
): number[] {
  const row = index.one<{ numbers: string }>(sql`
    SELECT json_group_array(number) AS numbers
    FROM (
      SELECT rowid AS number FROM terms
      WHERE terms MATCH ${match} AND rowid > CAST(${above} AS INTEGER) AND rowid < CAST(${below} AS INTEGER)
      ORDER BY rowid
    )`)
  return (JSON.parse(row?.numbers ?? '[]') as number[]).reverse()
}

/** Approximate share of the newest entries that have a word; 0 if few entries have it. */
function shareOf(index: SqliteConnection, word: string, newest: number): number {
  const sampled = index.one<{ number: number }>(sql`
    SELECT rowid AS number FROM terms WHERE terms MATCH ${word} ORDER BY rowid DESC LIMIT 1 OFFSET ${SAMPLE - 1}`)
  return sampled === undefined ? 0 : SAMPLE / (newest - sampled.number + 1)
}
