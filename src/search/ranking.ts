import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { LEVELS, type QueryWord, queryWords, rarity } from '../domain/ranking.ts'
import { rankingTermsOf } from '../domain/ranking-terms.ts'
import { type Extent, levelled, type Postings, samplePostings, score, type Wanted } from './postings.ts'
import { knownWords, repairWord } from './repair.ts'

/** Of the words of a query that no entry has, so many are repaired at most. */
const REPAIRS_MAX = 6
/** What two neighbouring words written as one count. */
const JOINED = 0.5

/** A word that was searched for as another one, or as two. */
export type Correction = { from: string; to: string }

/** The entries that a query leads to, best first, by their number, and how well they fit. */
export type Ranking = {
  numbers: number[]
  scores: Map<number, number>
  /** What each term weighs, for finding the passage that fits best. */
  weights: Map<string, number>
  /** What a word weighs that no entry has. */
  unknown: number
  /** The most that an entry could score. */
  best: number
  /** The score of the first, of the best that is possible: 0 to 1. Words that no entry has count in full. */
  match: number
  /** Whether the first has every word of the query. */
  all: boolean
  /** Words of the query that no entry has, and those that were searched for as others. */
  missing: string[]
  corrected: Correction[]
}

export const extentOf = (index: SqliteConnection): Extent =>
  index.one<Extent>(sql`SELECT entries, (SELECT max(number) FROM doc) AS newest FROM progress WHERE one = 1`) ?? {
    entries: 0,
    newest: 0,
  }

/** Ranks the entries that have any of the words of a query; with a tag, those that carry it. */
export function rank(index: SqliteConnection, query: string, tag: string | null): Ranking {
  const extent = extentOf(index)
  const words = queryWords(query)
  const lookUp = createLookUp(index, extent)
  const wanted = new Map<string, Wanted>()
  const want = (term: string, count: number): boolean => {
    const postings = lookUp(term)
    if (postings.having === 0) return false
    wanted.set(term, { postings, count: (wanted.get(term)?.count ?? 0) + count })
    return true
  }
  const missing: string[] = []
  const corrected: Correction[] = []
  let repairs = 0
  for (const { word, terms } of words) {
    const known = [...terms].map(([term, count]) => want(term, count)).some(found => found)
    if (known) continue
    const others = repairs++ < REPAIRS_MAX ? repairWord(index, word) : []
    if (others.length === 0) missing.push(word)
    else corrected.push({ from: word, to: others.join(' ') })
    for (const other of others) for (const { term } of rankingTermsOf(other)) want(term, 1)
  }
  for (const term of joinedTerms(index, words)) want(term, JOINED)

  const { scores, weights, best: known } = score(index, [...wanted.values()], extent, tag)
  const numbers = [...scores.keys()].sort((a, b) => (scores.get(b) as number) - (scores.get(a) as number) || b - a)
  const [first] = numbers
  const unknown = rarity(0, extent.entries)
  const best = known + missing.length * unknown
  const match = first === undefined ? 0 : (scores.get(first) as number) / best
  const all = first !== undefined && missing.length === 0 && words.every(word => hasWord(index, word, first))
  return { numbers, scores, weights, unknown, best, match: Math.round(match * 1_000) / 1_000, all, missing, corrected }
}

/** Looks each term up once. */
function createLookUp(index: SqliteConnection, extent: Extent): (term: string) => Postings {
  const found = new Map<string, Postings>()
  return term => {
    let postings = found.get(term)
    if (postings === undefined) {
      postings = samplePostings(index, term, extent)
      found.set(term, postings)
    }
    return postings
  }
}

/** Terms of two neighbouring words that entries write as one. */
function joinedTerms(index: SqliteConnection, words: readonly QueryWord[]): string[] {
  const pairs = words.slice(1).map(({ word }, at) => `${words[at]?.word}${word}`)
  return knownWords(index, pairs).flatMap(pair => rankingTermsOf(pair).map(({ term }) => term))
}

/** Whether an entry has a word of the query, in any form of it. */
function hasWord(index: SqliteConnection, { terms }: QueryWord, number: number): boolean {
  const levels = [...terms.keys()].flatMap(term =>
    Array.from({ length: LEVELS }, (_, level) => `"${levelled(term, level)}"`),
  )
  const found = index.one(sql`SELECT rowid FROM ranked WHERE ranked MATCH ${levels.join(' OR ')} AND rowid = ${number}`)
  return found !== undefined
}
