import { only, sql } from '../../engine/database.ts'
import type { SqliteConnection } from '../../engine/sqlite.ts'
import type { QueryWord } from '../rules/question.ts'
import { LEVELS, levelled } from '../rules/ranking.ts'
import { rankingTermsOf } from '../rules/terms.ts'
import { STOP_WORDS, UNSPACED } from '../rules/words.ts'

/** Number of the newest postings of each list that are read to estimate how many entries have a term. */
export const SAMPLE = 64
/** A term with those of its postings that were read, by level, highest first, and the approximate number of entries that have it. */
type Postings = {
  term: string
  entryCount: number
  lists: { level: number; numbers: number[]; whole: boolean }[]
}

/** The number of entries in an index, and the highest number of an entry. */
export type Extent = { entries: number; newest: number }

/** The size of an index. */
export const extentOf = (index: SqliteConnection): Extent =>
  only(index.one<Extent>(sql`SELECT entries, (SELECT max(number) FROM doc) AS newest FROM progress WHERE one = 1`))

/** The numbers of the newest entries that match. */
export function readNumbers(index: SqliteConnection, match: string, limit: number): number[] {
  const row = index.one<{ numbers: string }>(sql`
    SELECT json_group_array(number) AS numbers
    FROM (SELECT rowid AS number FROM ranked WHERE ranked MATCH ${match} ORDER BY rowid DESC LIMIT ${limit})`)
  return JSON.parse(row?.numbers ?? '[]') as number[]
}

/** A term by which entries are ranked for a query. */
export type WantedPostings = {
  postings: Postings
  /** How often the query has the term, weighted. */
  count: number
  /**
   * - 'WORD': a term of a word of the query, or of its likeliest replacement.
   * - 'NAME': a name with its number. It has the same impact in every field.
   * - 'HINT': a part of a name that no entry has as a whole.
   * - 'OTHER': a term of another form, a similar word or a less likely replacement. It does not count for the best possible score.
   */
  kind: 'WORD' | 'NAME' | 'HINT' | 'OTHER'
  /** Whether an entry with this term counts as an entry with the word. */
  isMain: boolean
}
/** Maximum number of unknown words of a query that are repaired, and of rare words that are compared with frequent ones. */
const REPAIRS_MAX = 6
const COMPARED_MAX = 6
/** The weight of the joined form of two neighbouring words. */
const JOINED = 0.5
const NAME_AND_NUMBER = /\D\d/
/** The weight of a possible other form of a word that no entry has. */
const FORM = 0.5
/** The weight of a name with its number if an entry has it, and the weight of its parts. */
const NAME = 2
const PART = 0.5

/** A word that was replaced by another word or by two words, or two words that were replaced by one. */
export type Correction = { from: string; to: string }

/** The terms for ranking, the words that no entry has, and the corrected words. */
type QueryTerms = { wanted: WantedPostings[]; missing: string[]; corrected: Correction[] }

/** The terms by which entries are ranked for the words of a query. A word that no entry has is repaired, or reported as missing. */
export function termsFor(index: SqliteConnection, words: readonly QueryWord[], extent: Extent): QueryTerms {
  const terms = new WantedTerms(index, extent)
  const missing: string[] = []
  const corrected = new Map<string, string>()
  const joins = joinsOf(index, words)
  let repairs = 0
  let compared = 0
  for (const [at, word] of words.entries()) {
    const entryCount = terms.addWord(word)
    if (word.optional) continue
    if (entryCount > 0) {
      if (entryCount > RARE_MAX || !isSpelt(word.word, RARE_LETTERS_MIN) || compared++ >= COMPARED_MAX) continue
      for (const frequent of frequentWordsNear(index, word.word, entryCount)) terms.addCandidate(frequent, 1, 'OTHER')
      continue
    }
    const join = joins[at] ?? joins[at + 1]
    const replacements =
      join === undefined && word.name === undefined && repairs++ < REPAIRS_MAX ? repairsOf(index, word.word) : []
    const [likeliest] = replacements
    if (join !== undefined) corrected.set(join.from, join.to)
    else if (likeliest !== undefined) corrected.set(word.word, likeliest)
    else {
      missing.push(word.word)
      if (repairs <= REPAIRS_MAX)
        for (const form of otherForms(index, word.word)) terms.addCandidate(form, FORM, 'OTHER')
    }
    for (const [rank, replacement] of replacements.entries())
      terms.addCandidate(replacement, 1 / (rank + 1), rank === 0 ? 'WORD' : 'OTHER')
  }
  for (const join of joins)
    if (join !== undefined) terms.addCandidate(join.to, corrected.has(join.from) ? 1 : JOINED, 'WORD')
  return {
    wanted: [...terms.wanted.values()],
    missing: missing.length === 0 ? [] : missingRuns(words, missing),
    corrected: [...corrected].map(([from, to]) => ({ from, to })),
  }
}

/**
 * Returns the missing words of a query in order. Consecutive missing pairs of characters are joined to one run. A missing pair is left out
 * if entries have the pair before it and the pair after it, because it is then the end of one word and the beginning of the next.
 */
function missingRuns(words: readonly QueryWord[], missing: readonly string[]): string[] {
  const absent = new Set(missing)
  const runs: string[] = []
  for (const [at, { word }] of words.entries()) {
    if (!absent.has(word)) continue
    const [before, after] = [words[at - 1]?.word, words[at + 1]?.word]
    const continuesRun = before !== undefined && overlaps(before, word)
    if (continuesRun && absent.has(before)) runs.push(`${runs.pop() ?? ''}${pairOf(word)?.[1] ?? ''}`)
    else if (!continuesRun || after === undefined || !overlaps(word, after) || absent.has(after)) runs.push(word)
  }
  return runs
}

/** The two characters of a pair, each with its marks. Undefined if the word is not a pair of characters of a script without spaces. */
function pairOf(word: string): [string, string] | undefined {
  const [first, second, ...more] = UNSPACED.test(word) ? (word.match(/\P{M}\p{M}*/gu) ?? []) : []
  return first === undefined || second === undefined || more.length > 0 ? undefined : [first, second]
}

/** Whether two words are pairs of characters, and the second pair begins with the last character of the first. */
function overlaps(word: string, next: string): boolean {
  const [pair, nextPair] = [pairOf(word), pairOf(next)]
  return pair !== undefined && nextPair !== undefined && pair[1] === nextPair[0]
}

/** The terms of a query, each looked up once. */
class WantedTerms {
  readonly #index: SqliteConnection
  readonly #extent: Extent
  readonly #found = new Map<string, Postings>()
  readonly wanted = new Map<string, WantedPostings>()

  constructor(index: SqliteConnection, extent: Extent) {
    this.#index = index
    this.#extent = extent
  }

  /**
   * Adds the terms of a word of the query. Returns the number of entries with its most frequent term. If the word is a name and no entry
   * has the whole name, returns 0.
   */
  addWord({ terms, name, optional }: QueryWord): number {
    const isNameAbsent = name !== undefined && this.#lookUp(name).entryCount === 0
    const mainTerm = optional ? undefined : (name ?? terms.keys().next().value)
    let entryCount = 0
    for (const [term, count] of terms) {
      const isName = term === name || (optional && NAME_AND_NUMBER.test(term))
      if (isNameAbsent) this.#add(term, count, 'HINT')
      else if (isName) this.#add(term, NAME * count, 'NAME', term === mainTerm)
      else this.#add(term, name === undefined ? count : PART * count, 'WORD', term === mainTerm)
      entryCount = Math.max(entryCount, this.#lookUp(term).entryCount)
    }
    return isNameAbsent ? 0 : entryCount
  }

  /** Adds the terms of a word or of two words that may replace a word of the query. */
  addCandidate(text: string, count: number, kind: WantedPostings['kind']): void {
    for (const { term, derived } of rankingTermsOf(text)) {
      this.#add(term, count, kind, kind === 'WORD' && count === 1 && !derived)
    }
  }

  #add(term: string, count: number, kind: WantedPostings['kind'], isMain = false): void {
    const postings = this.#lookUp(term)
    if (postings.entryCount === 0) return
    const before = this.wanted.get(term)
    const stronger = STRENGTHS.indexOf(before?.kind ?? 'OTHER') > STRENGTHS.indexOf(kind) ? before?.kind : kind
    this.wanted.set(term, {
      postings,
      count: (before?.count ?? 0) + count,
      kind: stronger ?? kind,
      isMain: isMain || before?.isMain === true,
    })
  }

  /** Looks up a term. If more entries have it than are read, their number is estimated from the density of the newest ones. */
  #lookUp(term: string): Postings {
    const known = this.#found.get(term)
    if (known !== undefined) return known
    const { entries, newest } = this.#extent
    const lists: Postings['lists'] = []
    let entryCount = 0
    for (let level = LEVELS - 1; level >= 0; level--) {
      const numbers = readNumbers(this.#index, `"${levelled(term, level)}"`, SAMPLE)
      if (numbers.length === 0) continue
      const whole = numbers.length < SAMPLE
      lists.push({ level, numbers, whole })
      entryCount += whole ? numbers.length : (SAMPLE * newest) / (newest - (numbers.at(-1) as number) + 1)
    }
    const postings = { term, entryCount: Math.min(entryCount, entries), lists }
    this.#found.set(term, postings)
    return postings
  }
}

/** Kinds in ascending strength. A term that occurs twice in a query has the stronger kind. */
const STRENGTHS: readonly WantedPostings['kind'][] = ['OTHER', 'HINT', 'WORD', 'NAME']

/** For each word: the word that it forms with the one before it, if entries have that word. */
function joinsOf(index: SqliteConnection, words: readonly QueryWord[]): (Correction | undefined)[] {
  const joined: string[] = []
  for (let at = 1; at < words.length; at++) joined.push(`${words[at - 1]?.word}${words[at]?.word}`)
  const known = new Set(knownWords(index, joined))
  const joins: (Correction | undefined)[] = [undefined]
  for (const [at, to] of joined.entries())
    joins.push(known.has(to) ? { from: `${words[at]?.word} ${words[at + 1]?.word}`, to } : undefined)
  return joins
}

/** Words with fewer or more letters are not repaired. Two edits are allowed in words of at least TWO_EDITS_FROM letters. */
const LETTERS_MIN = 4
const TWO_EDITS_FROM = 9
const LETTERS_MAX = 40
/** Maximum number of words that are compared with an unknown one, and the length of the prefix that they must have in common with it. */
const BEGUN_MAX = 5_000
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
function knownWords(index: SqliteConnection, words: readonly string[]): string[] {
  const rows = index.all<{ word: string }>(
    sql`SELECT word FROM word WHERE word IN (SELECT value FROM json_each(${JSON.stringify(words)})) ORDER BY word`,
  )
  const known: string[] = []
  for (const { word } of rows) known.push(word)
  return known
}

/**
 * The candidates for a word that no entry has, likeliest first. Tries words at one edit, then words that begin with it, then its two parts,
 * then words at two edits. Empty if there are none.
 */
function repairsOf(index: SqliteConnection, word: string): string[] {
  if (!isSpelt(word, LETTERS_MIN)) return []
  const near = likeliest(index, word, knownWords(index, spellingsNear(word)))
  if (near.length > 0) return near
  const longer = likeliest(index, word, wordsBeginning(index, word, CANDIDATES_MAX))
  if (longer.length > 0) return longer
  const parts = splitWord(index, word)
  if (parts.length > 0 || word.length < TWO_EDITS_FROM) return parts.length > 0 ? [parts.join(' ')] : []
  const begun = wordsBeginning(index, word.slice(0, SAME_BEGINNING), BEGUN_MAX)
  return likeliest(
    index,
    word,
    begun.filter(other => isWithin(word, other, 2)),
  )
}

/** Words that differ from a word only in the ending, likeliest first: its other forms in a language without a stemmer. */
function otherForms(index: SqliteConnection, word: string): string[] {
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

/** The candidates for a rare word that `entryCount` entries have: words at one edit that many more entries have. */
const frequentWordsNear = (index: SqliteConnection, word: string, entryCount: number): string[] =>
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
    .filter(({ other, chance }) => chance === 1 || !STOP_WORDS.has(other))
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
  const isPart = (part: string): boolean => part.length >= PART_MIN || STOP_WORDS.has(part)
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

const LATIN = 'abcdefghijklmnopqrstuvwxyz'
const CYRILLIC = 'абвгдежзийклмнопрстуфхцчшщъыьэюя'
const GREEK = 'αβγδεζηθικλμνξοπρστυφχψω'

/** The letters of the script of a folded word, with which its misspellings are made. */
const lettersOf = (word: string): string =>
  [LATIN, CYRILLIC, GREEK].find(letters => [...word].some(letter => letters.includes(letter))) ?? ''

/** Every spelling at a distance of one edit: a letter deleted, inserted or replaced, or two neighbours exchanged. */
function spellingsNear(word: string): string[] {
  const letters = [...lettersOf(word)]
  const spellings = new Set<string>()
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)]
    if (after.length > 0) spellings.add(before + after.slice(1))
    if (after.length > 1) spellings.add(`${before}${after[1]}${after[0]}${after.slice(2)}`)
    for (const letter of letters) {
      spellings.add(before + letter + after)
      if (after.length > 0) spellings.add(before + letter + after.slice(1))
    }
  }
  spellings.delete(word)
  return [...spellings]
}

/** Whether one word becomes another by at most `most` edits (Damerau-Levenshtein distance, optimal string alignment). */
function isWithin(one: string, other: string, most: number): boolean {
  if (Math.abs(one.length - other.length) > most) return false
  let last: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      let cost = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + (same ? 0 : 1))
      const exchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      if (exchanged) cost = Math.min(cost, (last[j - 2] as number) + 1)
      next.push(cost)
    }
    if (Math.min(...next) > most) return false
    last = row
    row = next
  }
  return (row[other.length] as number) <= most
}

/** Neighbours on keyboards, row by row. */
const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'йцукенгшщзхъ', 'фывапролджэ', 'ячсмитьбю']
const VOWELS = 'aeiouyаеиоуыэюя'

/**
 * The relative likelihood of a typing error that is one edit away. Exchanged, doubled and missing letters, vowels and neighbouring keys are
 * frequent errors. Other letters are rare errors, and errors in the first letter rarer.
 */
function likelihood(written: string, meant: string): number {
  let at = 0
  while (at < written.length && written[at] === meant[at]) at++
  const chance = kindOf(written, meant, at)
  return at === 0 ? chance * FIRST : chance
}

const FIRST = 0.3
const SELDOM = 0.3

function kindOf(written: string, meant: string, at: number): number {
  if (written.length < meant.length) return 1
  const [letter = '', other = ''] = [written[at], meant[at]]
  if (written.length > meant.length) return letter === written[at - 1] ? 1 : SELDOM
  if (letter === meant[at + 1] && written[at + 1] === other) return 1
  if (VOWELS.includes(letter) && VOWELS.includes(other)) return 1
  return areNeighbours(letter, other) ? 1 : SELDOM
}

function areNeighbours(a: string, b: string): boolean {
  const place = (letter: string) => {
    const row = ROWS.findIndex(letters => letters.includes(letter))
    return { row, column: ROWS[row]?.indexOf(letter) ?? Number.NaN }
  }
  const [one, other] = [place(a), place(b)]
  return one.row >= 0 && Math.abs(one.row - other.row) <= 1 && Math.abs(one.column - other.column) <= 1
}
