import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { isWithin, spellingsNear } from '../domain/edits.ts'

/** Shorter words are not repaired; words of so many letters may have two edits; longer ones than the last are left alone. */
const LETTERS_MIN = 4
const TWO_EDITS_FROM = 9
const LETTERS_MAX = 40
/** Words that begin like an unknown one which are compared with it, at most, and how many letters must agree. */
const COMPARED_MAX = 5_000
const SAME_BEGINNING = 3
/** Of the words that an unknown one may stand for, so many are weighed, each by at most so many entries. */
const CANDIDATES_MAX = 8
const WEIGHED = 64
/** The shortest part of a word that is split. */
const PART_MIN = 3

const LETTERS = /^[\p{L}\p{M}]+$/u

/** Those of some words that an entry has or had. */
export function knownWords(index: SqliteConnection, words: readonly string[]): string[] {
  return index
    .all<{ word: string }>(
      sql`SELECT word FROM word WHERE word IN (SELECT value FROM json_each(${JSON.stringify(words)})) ORDER BY word`,
    )
    .map(({ word }) => word)
}

/**
 * The words that a word which no entry has may stand for: the one at one edit, or the one that it begins, or its two parts, or the one at two edits,
 * that most entries have. Empty where there is none.
 */
export function repairWord(index: SqliteConnection, word: string): string[] {
  if (word.length < LETTERS_MIN || word.length > LETTERS_MAX || !LETTERS.test(word)) return []
  const near = mostFrequent(index, knownWords(index, spellingsNear(word)))
  if (near !== undefined) return [near]
  const longer = mostFrequent(index, wordsBeginning(index, word, CANDIDATES_MAX))
  if (longer !== undefined) return [longer]
  const parts = splitWord(index, word)
  if (parts.length > 0 || word.length < TWO_EDITS_FROM) return parts
  const similar = wordsBeginning(index, word.slice(0, SAME_BEGINNING), COMPARED_MAX).filter(other =>
    isWithin(word, other, 2),
  )
  const found = mostFrequent(index, similar)
  return found === undefined ? [] : [found]
}

const wordsBeginning = (index: SqliteConnection, prefix: string, limit: number): string[] =>
  index
    .all<{ word: string }>(
      sql`SELECT word FROM word WHERE word >= ${prefix} AND word < ${`${prefix}\u{10ffff}`} ORDER BY word LIMIT ${limit}`,
    )
    .map(({ word }) => word)

/** The word that most entries have now; of equals the first. */
function mostFrequent(index: SqliteConnection, words: readonly string[]): string | undefined {
  let best: { word: string; entries: number } | undefined
  for (const word of words.slice(0, CANDIDATES_MAX)) {
    const entries = entriesWith(index, word)
    if (entries > (best?.entries ?? 0)) best = { word, entries }
  }
  return best?.word
}

const entriesWith = (index: SqliteConnection, word: string): number =>
  index.one<{ entries: number }>(
    sql`SELECT count(*) AS entries FROM (SELECT rowid FROM terms WHERE terms MATCH ${`"${word}"`} LIMIT ${WEIGHED})`,
  )?.entries ?? 0

/** The two known words that a word is put together of, with or without a linking s; the most even split wins. */
function splitWord(index: SqliteConnection, word: string): string[] {
  const splits: [string, string][] = []
  for (let at = PART_MIN; at <= word.length - PART_MIN; at++) {
    const [left, right] = [word.slice(0, at), word.slice(at)]
    splits.push([left, right])
    if (left.endsWith('s') && left.length > PART_MIN) splits.push([left.slice(0, -1), right])
  }
  const known = new Set(knownWords(index, splits.flat()))
  const even = ([left, right]: [string, string]): number => Math.min(left.length, right.length)
  const found = splits
    .filter(([left, right]) => known.has(left) && known.has(right))
    .sort((a, b) => even(b) - even(a))
    .slice(0, CANDIDATES_MAX)
  return found.find(pair => pair.every(part => entriesWith(index, part) > 0)) ?? []
}
