import type { SqliteConnection } from '../database/sqlite.ts'
import type { QueryWord } from '../domain/ranking.ts'
import { rankingTermsOf } from '../domain/ranking-terms.ts'
import { type Extent, type Postings, samplePostings, type Wanted } from './postings.ts'
import { isRare, knownWords, meantBy, repairsOf } from './repair.ts'

/** Of the words of a query that no entry has, so many are repaired at most, and of those that few entries have so many compared with others. */
const REPAIRS_MAX = 6
const COMPARED_MAX = 6
/** What two neighbouring words written as one count. */
const JOINED = 0.5
/** What a name with its number counts where an entry has it, and what its parts count beside it. */
const NAME = 2
const PART = 0.5

/** A word that was searched for as another one, or as two; or two as one. */
export type Correction = { from: string; to: string }

/** The terms that entries are ranked by, words that no entry has, and those that were searched for as others. */
export type QueryTerms = { wanted: Wanted[]; missing: string[]; corrected: Correction[] }

/** The terms that entries are ranked by for the words of a query; a word that no entry has is repaired or missing. */
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
    else missing.push(word.word)
    for (const [rank, other] of others.entries()) terms.wantText(other, 1 / (rank + 1), rank === 0 ? 'WORD' : 'OTHER')
  }
  for (const join of joins)
    if (join !== undefined) terms.wantText(join.to, corrected.has(join.from) ? 1 : JOINED, 'WORD')
  return { wanted: terms.list(), missing, corrected: [...corrected].map(([from, to]) => ({ from, to })) }
}

/** The terms that a query asks for, each looked up once. */
class WantedTerms {
  readonly #index: SqliteConnection
  readonly #extent: Extent
  readonly #found = new Map<string, Postings>()
  readonly #wanted = new Map<string, Wanted>()

  constructor(index: SqliteConnection, extent: Extent) {
    this.#index = index
    this.#extent = extent
  }

  /** Asks for a word of a query. Returns how many entries have it: of a name, all of it. */
  wantWord({ terms, name, optional }: QueryWord): number {
    const absent = name !== undefined && this.#lookUp(name).having === 0
    let most = 0
    for (const [term, count] of terms) {
      const isName = term === name || (optional && /\d/.test(term))
      if (absent) this.#want(term, count, 'HINT')
      else if (isName) this.#want(term, NAME * count, 'NAME')
      else this.#want(term, name === undefined ? count : PART * count, 'WORD')
      most = Math.max(most, this.#lookUp(term).having)
    }
    return absent ? 0 : most
  }

  /** Asks for words that a word of the query stands for. */
  wantText(text: string, count: number, as: Wanted['as']): void {
    for (const { term } of rankingTermsOf(text)) this.#want(term, count, as)
  }

  list(): Wanted[] {
    return [...this.#wanted.values()]
  }

  #want(term: string, count: number, as: Wanted['as']): void {
    const postings = this.#lookUp(term)
    if (postings.having === 0) return
    const before = this.#wanted.get(term)
    const stronger = STRENGTHS.indexOf(before?.as ?? 'OTHER') > STRENGTHS.indexOf(as) ? before?.as : as
    this.#wanted.set(term, { postings, count: (before?.count ?? 0) + count, as: stronger ?? as })
  }

  #lookUp(term: string): Postings {
    const known = this.#found.get(term)
    if (known !== undefined) return known
    const postings = samplePostings(this.#index, term, this.#extent)
    this.#found.set(term, postings)
    return postings
  }
}

/** What a term counts as that a query asks for twice: the last of these. */
const STRENGTHS: readonly Wanted['as'][] = ['OTHER', 'HINT', 'WORD', 'NAME']

/** What each word is together with the one before it, where entries write the two as one. */
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
