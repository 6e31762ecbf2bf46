import type { SqliteConnection } from '../database/sqlite.ts'
import type { QueryWord } from '../domain/find/ranking.ts'
import { rankingTermsOf } from '../domain/terms/ranking-terms.ts'
import { isUnspaced } from '../domain/terms/terms.ts'
import { type Extent, type Postings, samplePostings, type Wanted } from './postings.ts'
import { isRare, knownWords, meantBy, otherForms, repairsOf } from './repair.ts'

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
export type QueryTerms = { wanted: Wanted[]; missing: string[]; corrected: Correction[] }

/** The terms by which entries are ranked for the words of a query. A word that no entry has is repaired, or reported as missing. */
export function termsFor(index: SqliteConnection, words: readonly QueryWord[], extent: Extent): QueryTerms {
  const terms = new WantedTerms(index, extent)
  const missing: string[] = []
  const corrected = new Map<string, string>()
  const joins = joinsOf(index, words)
  let repairs = 0
  let compared = 0
  for (const [at, word] of words.entries()) {
    const having = terms.wantWord(word)
    if (word.optional) continue
    if (having > 0) {
      if (!isRare(word.word, having) || compared++ >= COMPARED_MAX) continue
      for (const other of meantBy(index, word.word, having)) terms.wantText(other, 1, 'OTHER')
      continue
    }
    const join = joins[at] ?? joins[at + 1]
    const others =
      join === undefined && word.name === undefined && repairs++ < REPAIRS_MAX ? repairsOf(index, word.word) : []
    const [likeliest] = others
    if (join !== undefined) corrected.set(join.from, join.to)
    else if (likeliest !== undefined) corrected.set(word.word, likeliest)
    else {
      missing.push(word.word)
      if (repairs <= REPAIRS_MAX) for (const form of otherForms(index, word.word)) terms.wantText(form, FORM, 'OTHER')
    }
    for (const [rank, other] of others.entries()) terms.wantText(other, 1 / (rank + 1), rank === 0 ? 'WORD' : 'OTHER')
  }
  for (const join of joins)
    if (join !== undefined) terms.wantText(join.to, corrected.has(join.from) ? 1 : JOINED, 'WORD')
  return {
    wanted: terms.list(),
    missing: missingRuns(words, missing),
    corrected: [...corrected].map(([from, to]) => ({ from, to })),
  }
}

/**
 * The missing words. Missing pairs of characters are joined to the runs that contain them. A missing pair between two pairs that were found
 * is not reported: it is the end of one word and the beginning of the next.
 */
function missingRuns(words: readonly QueryWord[], missing: readonly string[]): string[] {
  const absent = new Set(missing)
  const runs: string[] = []
  for (const [at, { word }] of words.entries()) {
    if (!absent.has(word)) continue
    const [before, after] = [words[at - 1]?.word, words[at + 1]?.word]
    const goesOn = before !== undefined && overlaps(before, word)
    if (goesOn && absent.has(before)) runs.push(`${runs.pop() ?? ''}${pairOf(word)?.[1] ?? ''}`)
    else if (!goesOn || after === undefined || !overlaps(word, after) || absent.has(after)) runs.push(word)
  }
  return runs
}

/** The two characters, with their marks, of a word that is a pair in a run without spaces. */
function pairOf(word: string): [string, string] | undefined {
  const [one, other, ...more] = isUnspaced(word) ? (word.match(/\P{M}\p{M}*/gu) ?? []) : []
  return one === undefined || other === undefined || more.length > 0 ? undefined : [one, other]
}

/** Whether two words are consecutive pairs of characters in a run without spaces. */
function overlaps(word: string, next: string): boolean {
  const [one, two] = [pairOf(word), pairOf(next)]
  return one !== undefined && two !== undefined && one[1] === two[0]
}

/** The terms of a query, each looked up once. */
class WantedTerms {
  readonly #index: SqliteConnection
  readonly #extent: Extent
  readonly #found = new Map<string, Postings>()
  readonly #wanted = new Map<string, Wanted>()

  constructor(index: SqliteConnection, extent: Extent) {
    this.#index = index
    this.#extent = extent
  }

  /** Adds a word of the query. Returns how many entries have it; a name counts only as a whole. */
  wantWord({ terms, name, optional }: QueryWord): number {
    const absent = name !== undefined && this.#lookUp(name).having === 0
    const main = optional ? undefined : (name ?? terms.keys().next().value)
    let most = 0
    for (const [term, count] of terms) {
      const isName = term === name || (optional && NAME_AND_NUMBER.test(term))
      if (absent) this.#want(term, count, 'HINT')
      else if (isName) this.#want(term, NAME * count, 'NAME', term === main)
      else this.#want(term, name === undefined ? count : PART * count, 'WORD', term === main)
      most = Math.max(most, this.#lookUp(term).having)
    }
    return absent ? 0 : most
  }

  /** Adds the terms of a candidate for a word of the query. */
  wantText(text: string, count: number, as: Wanted['as']): void {
    for (const { term, derived } of rankingTermsOf(text)) {
      this.#want(term, count, as, as === 'WORD' && count === 1 && !derived)
    }
  }

  list(): Wanted[] {
    return [...this.#wanted.values()]
  }

  #want(term: string, count: number, as: Wanted['as'], main = false): void {
    const postings = this.#lookUp(term)
    if (postings.having === 0) return
    const before = this.#wanted.get(term)
    const stronger = STRENGTHS.indexOf(before?.as ?? 'OTHER') > STRENGTHS.indexOf(as) ? before?.as : as
    this.#wanted.set(term, {
      postings,
      count: (before?.count ?? 0) + count,
      as: stronger ?? as,
      main: main || before?.main === true,
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
const STRENGTHS: readonly Wanted['as'][] = ['OTHER', 'HINT', 'WORD', 'NAME']

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
