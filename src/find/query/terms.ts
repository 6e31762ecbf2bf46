import type { SqliteConnection } from '../../engine/sqlite.ts'
import type { QueryWord } from '../rules/ranking.ts'
import { rankingTermsOf } from '../rules/ranking-terms.ts'
import { isUnspaced } from '../rules/terms.ts'
import { type Extent, type Postings, samplePostings, type WantedPostings } from './postings.ts'
import { frequentWordsNear, isRare, knownWords, otherForms, repairsOf } from './repair.ts'

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
export type QueryTerms = { wanted: WantedPostings[]; missing: string[]; corrected: Correction[] }

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
      if (!isRare(word.word, entryCount) || compared++ >= COMPARED_MAX) continue
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
    wanted: terms.list(),
    missing: missingRuns(words, missing),
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
  const [first, second, ...more] = isUnspaced(word) ? (word.match(/\P{M}\p{M}*/gu) ?? []) : []
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
  readonly #wanted = new Map<string, WantedPostings>()

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

  list(): WantedPostings[] {
    return [...this.#wanted.values()]
  }

  #add(term: string, count: number, kind: WantedPostings['kind'], isMain = false): void {
    const postings = this.#lookUp(term)
    if (postings.entryCount === 0) return
    const before = this.#wanted.get(term)
    const stronger = STRENGTHS.indexOf(before?.kind ?? 'OTHER') > STRENGTHS.indexOf(kind) ? before?.kind : kind
    this.#wanted.set(term, {
      postings,
      count: (before?.count ?? 0) + count,
      kind: stronger ?? kind,
      isMain: isMain || before?.isMain === true,
    })
  }

  #lookUp(term: string): Postings {
    const known = this.#found.get(term)
    if (known !== undefined) return known
    const postings = samplePostings(this.#index, term, this.#extent)
    this.#found.set(term, postings)
    return postings
  }
}

/** Kinds in ascending strength. A term that occurs twice in a query has the stronger kind. */
const STRENGTHS: readonly WantedPostings['kind'][] = ['OTHER', 'HINT', 'WORD', 'NAME']

/** For each word: the word that it forms with the one before it, if entries have that word. */
function joinsOf(index: SqliteConnection, words: readonly QueryWord[]): (Correction | undefined)[] {
  const pairs = words.map(({ word }, at) => [words[at - 1]?.word ?? '', word])
  const known = new Set(
    knownWords(
      index,
      pairs.slice(1).map(pair => pair.join('')),
    ),
  )
  return pairs.map((pair, at) =>
    at > 0 && known.has(pair.join('')) ? { from: pair.join(' '), to: pair.join('') } : undefined,
  )
}
