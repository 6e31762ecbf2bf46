import { sql } from '../../engine/sql.ts'
import type { SqliteConnection } from '../../engine/sqlite.ts'
import { isWithin, likelihood, spellingsNear } from '../rules/edits.ts'
import { isStopWord } from '../rules/stem.ts'

/** Words with fewer or more letters are not repaired. Two edits are allowed in words of at least TWO_EDITS_FROM letters. */
const LETTERS_MIN = 4
const TWO_EDITS_FROM = 9
const LETTERS_MAX = 40
/** Maximum number of words that are compared with an unknown one, and the length of the prefix that they must have in common with it. */
const COMPARED_MAX = 5_000
const SAME_BEGINNING = 3
/** Maximum number of candidates that are weighed, and of their newest entries by which each is weighed. */
const CANDIDATES_MAX = 16
const WEIGHED = 64
/**
 * Maximum number of candidates that are searched for together. Candidates that are this many times less likely than the first are dropped.
 */
const TOGETHER_MAX = 3
const MUCH_LIKELIER = 8
/**
 * A word of at least RARE_LETTERS_MIN letters in at most RARE_MAX entries may be an error if a word at one edit is in MEANT_LEAST times as
 * many entries.
 */
const RARE_LETTERS_MIN = 5
const RARE_MAX = 3
const MEANT_LEAST = 30
/**
 * Two forms of a word differ only in an ending of limited length: in letters, or as a share of a long word. The third limit is the minimum
 * length of their common beginning.
 */
const ENDING_MAX = 3
const ENDING_SHARE = 0.4
const BEGINNING_MIN = 5
/** Minimum length of a part of a split word. A stop word may be shorter. */
const PART_MIN = 3

const LETTERS = /^[\p{L}\p{M}]+$/u

/** The words of a list that an entry has or had. */
export function knownWords(index: SqliteConnection, words: readonly string[]): string[] {
  return index
    .all<{ word: string }>(
      sql`SELECT word FROM word WHERE word IN (SELECT value FROM json_each(${JSON.stringify(words)})) ORDER BY word`,
    )
    .map(({ word }) => word)
}

/**
 * The candidates for a word that no entry has, likeliest first. Tries words at one edit, then words that begin with it, then its two parts,
 * then words at two edits. Empty if there are none.
 */
export function repairsOf(index: SqliteConnection, word: string): string[] {
  if (!isSpelt(word, LETTERS_MIN)) return []
  const near = likeliest(index, word, knownWords(index, spellingsNear(word)))
  if (near.length > 0) return near
  const longer = likeliest(index, word, wordsBeginning(index, word, CANDIDATES_MAX))
  if (longer.length > 0) return longer
  const parts = splitWord(index, word)
  if (parts.length > 0 || word.length < TWO_EDITS_FROM) return parts.length > 0 ? [parts.join(' ')] : []
  const begun = wordsBeginning(index, word.slice(0, SAME_BEGINNING), COMPARED_MAX)
  return likeliest(
    index,
    word,
    begun.filter(other => isWithin(word, other, 2)),
  )
}

/** Words that differ from a word only in the ending, likeliest first: its other forms in a language without a stemmer. */
export function otherForms(index: SqliteConnection, word: string): string[] {
  if (!isSpelt(word, BEGINNING_MIN)) return []
  const most = Math.max(ENDING_MAX, Math.floor(word.length * ENDING_SHARE))
  for (let ending = 1; ending <= most && word.length - ending >= BEGINNING_MIN; ending++) {
    const beginning = word.slice(0, -ending)
    const found = likeliest(index, word, wordsBeginning(index, beginning, CANDIDATES_MAX))
    if (found.length > 0) return found
  }
  return []
}

const wordsBeginning = (index: SqliteConnection, prefix: string, limit: number): string[] =>
  index
    .all<{ word: string }>(
      sql`SELECT word FROM word WHERE word >= ${prefix} AND word < ${`${prefix}\u{10ffff}`} ORDER BY word LIMIT ${limit}`,
    )
    .map(({ word }) => word)

/** Whether so few entries have a word that it may be an error for another. */
export const isRare = (word: string, entryCount: number): boolean =>
  entryCount <= RARE_MAX && isSpelt(word, RARE_LETTERS_MIN)

/** The candidates for a rare word that `entryCount` entries have: words at one edit that many more entries have. */
export const frequentWordsNear = (index: SqliteConnection, word: string, entryCount: number): string[] =>
  likeliest(index, word, knownWords(index, spellingsNear(word)), entryCount * MEANT_LEAST)

const isSpelt = (word: string, least: number): boolean =>
  word.length >= least && word.length <= LETTERS_MAX && LETTERS.test(word)

/**
 * The likeliest candidates, by the number of entries that have them and by the frequency of the kind of error. A stop word is in nearly all
 * entries, so it is a candidate only for a frequent kind of error.
 */
function likeliest(index: SqliteConnection, word: string, others: readonly string[], from = 0): string[] {
  const weighed = others
    .map(other => ({ other, chance: likelihood(word, other) }))
    .filter(({ other, chance }) => chance === 1 || !isStopWord(other))
    .sort((a, b) => b.chance - a.chance)
    .slice(0, CANDIDATES_MAX)
    .map(({ other, chance }) => ({ other, chance: chance * entriesWith(index, other) }))
    .filter(({ chance }) => chance > 0 && chance >= from)
    .sort((a, b) => b.chance - a.chance)
  const least = (weighed[0]?.chance ?? 0) / MUCH_LIKELIER
  return weighed
    .slice(0, TOGETHER_MAX)
    .filter(({ chance }) => chance >= least)
    .map(({ other }) => other)
}

/** The approximate number of entries that have a word now. */
function entriesWith(index: SqliteConnection, word: string): number {
  const newest = index.one<{ count: number; first: number; last: number }>(sql`
    SELECT count(*) AS count, max(rowid) AS first, min(rowid) AS last
    FROM (SELECT rowid FROM terms WHERE terms MATCH ${`"${word}"`} ORDER BY rowid DESC LIMIT ${WEIGHED})`)
  if (newest === undefined || newest.count < WEIGHED) return newest?.count ?? 0
  return (WEIGHED * newest.first) / (newest.first - newest.last + 1)
}

/** The two known words of a compound, with or without a linking s. The most even split is preferred. */
function splitWord(index: SqliteConnection, word: string): string[] {
  const splits: [string, string][] = []
  const isPart = (part: string): boolean => part.length >= PART_MIN || isStopWord(part)
  for (let at = 2; at <= word.length - 2; at++) {
    const [left, right] = [word.slice(0, at), word.slice(at)]
    if (isPart(left) && isPart(right)) splits.push([left, right])
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
