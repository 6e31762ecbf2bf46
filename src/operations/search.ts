import type { Coverage, Sort } from '../contract/vocabulary.ts'

/**
 * A search. `recent` and `evolution` find entries with all terms of `q`, else the best partial matches; `relevance` finds those with all
 * terms first, then those with any; `fit` does so by words in any form. The last two sort by score.
 */
export type SearchRequest = {
  q: string
  tag: string | null
  sort: Sort | 'fit'
  limit: number
  offset: number
}
/** An entry that a search found, by number. */
export type Match = {
  entry: number
  /** Its score, relative to the best possible score: 0 to 1. */
  score: number
  /** Whether it has all words of the query. */
  whole: boolean
}
/** The matches of one page in order, whether more follow, and how well they fit. */
export type SearchResult = {
  matches: readonly Match[]
  more: boolean
  coverage: Coverage
  /** The score of the first entry, relative to the best possible score: 0 to 1. */
  match: number
  /** The number of distinct words of `q` that entries are ranked by. */
  words: number
  /** The weight of each term of the query. */
  weights: [term: string, weight: number][]
  /** The weight of a word that no entry has. */
  unknown: number
  /** Words that no entry has, and words that were replaced by similar ones. */
  missing: string[]
  corrected: { from: string; to: string }[]
}

/** How well a search fits the question. `missing` and `corrected` have words of the question, so that a list does not repeat them. */
export type Fit = Pick<SearchResult, 'coverage' | 'match' | 'words' | 'missing' | 'corrected'>

/** The matches of a result by the number of their entry. */
export const matchesByEntry = ({ matches }: Pick<SearchResult, 'matches'>): ReadonlyMap<number, Match> =>
  new Map(matches.map(match => [match.entry, match]))
