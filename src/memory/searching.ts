import type { Coverage, Sort } from '../contract/vocabulary.ts'

/**
 * A search. `recent` and `evolution` return the entries with all terms of `q`, or the best partial matches if there are none. `relevance`
 * returns the entries with all terms, then those with any term. `fit` does the same with words in any form. `relevance` and `fit` sort by
 * score.
 */
export type SearchRequest = {
  q: string
  tag: string | null
  sort: Sort | 'fit'
  limit: number
  offset: number
  /** For `fit`: the maximum number of postings that are read, if fewer than for a question are enough. */
  postings?: number
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
  /** The `match` from which the first entry is about the question; infinite if no entry can be. */
  answerableFrom: number
  /** The weight of each term of the query. */
  weights: [term: string, weight: number][]
  /** The weight of a word that no entry has. */
  unknown: number
  /** Words that no entry has, and words that were replaced by similar ones. */
  missing: string[]
  corrected: { from: string; to: string }[]
}

/** How well a search fits the question. `missing` and `corrected` contain words of the question; `listEntries` does not return them. */
export type Fit = Pick<SearchResult, 'coverage' | 'match' | 'answerableFrom' | 'missing' | 'corrected'>

/** The matches of a result by the number of their entry. */
export function matchesByEntry({ matches }: Pick<SearchResult, 'matches'>): ReadonlyMap<number, Match> {
  const byEntry = new Map<number, Match>()
  for (const match of matches) byEntry.set(match.entry, match)
  return byEntry
}
