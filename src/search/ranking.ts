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

/** What a name with its number counts where an entry has it, and what its parts count beside it. */
const NAME = 2
const PART = 0.5

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
  const { wanted, missing, corrected } = termsFor(index, words, extent)
  const { scores, hinted, weights, best: known } = score(index, wanted, extent, tag)
  const numbers = [...scores.keys()].sort((a, b) => (scores.get(b) as number) - (scores.get(a) as number) || b - a)
  const [first] = numbers
  const unknown = rarity(0, extent.entries)
  const best = known + missing.length * unknown
  // A hint leads to entries that have another name: it says nothing of whether there is an answer.
  const match = first === undefined ? 0 : ((scores.get(first) as number) - (hinted.get(first) ?? 0)) / best
  const all = first !== undefined && missing.length === 0 && words.every(word => hasWord(index, word, first))
  return { numbers, scores, weights, unknown, best, match: Math.round(match * 1_000) / 1_000, all, missing, corrected }
}

type Terms = { wanted: Wanted[]; missing: string[]; corrected: Correction[] }

/** The terms that entries are ranked by for the words of a query; a word that no entry has is repaired or missing. */
function termsFor(index: SqliteConnection, words: readonly QueryWord[], extent: Extent): Terms {
  const lookUp = createLookUp(index, extent)
  const wanted = new Map<string, Wanted>()
  const want = (term: string, count: number, as: Wanted['as'] = 'WORD'): boolean => {
    const postings = lookUp(term)
    if (postings.having === 0) return false
    const before = wanted.get(term)
    wanted.set(term, { postings, count: (before?.count ?? 0) + count, as: stronger(before?.as, as) })
    return true
  }
  const missing: string[] = []
  const corrected: Correction[] = []
  let repairs = 0
  for (const word of words) {
    const { name } = word
    const absent = name !== undefined && lookUp(name).having === 0
    const found = [...word.terms].map(([term, count]) => want(term, ...shareOf(word, term, count, absent)))
    if (word.optional || (found.includes(true) && !absent)) continue
    const others = name === undefined && repairs++ < REPAIRS_MAX ? repairWord(index, word.word) : []
    if (others.length === 0) missing.push(word.word)
    else corrected.push({ from: word.word, to: others.join(' ') })
    for (const other of others) for (const { term } of rankingTermsOf(other)) want(term, 1)
  }
  for (const term of joinedTerms(index, words)) want(term, JOINED)
  return { wanted: [...wanted.values()], missing, corrected }
}

/** How much a term of a word counts, and as what; `absent` says that no entry has the name that the word is. */
function shareOf({ name, optional }: QueryWord, term: string, count: number, absent: boolean): [number, Wanted['as']] {
  if (absent) return [count, 'HINT']
  if (term === name || (optional && /\d/.test(term))) return [NAME * count, 'NAME']
  return [name === undefined ? count : PART * count, 'WORD']
}

/** What a term counts as that a query asks for twice. */
const stronger = (one: Wanted['as'] | undefined, other: Wanted['as']): Wanted['as'] =>
  one === 'NAME' || (one === 'WORD' && other === 'HINT') ? one : other

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

/** Whether an entry has a word of the query, in any form of it; of a name, all of it. */
function hasWord(index: SqliteConnection, { terms, name, optional }: QueryWord, number: number): boolean {
  if (optional) return true
  const levels = (name === undefined ? [...terms.keys()] : [name]).flatMap(term =>
    Array.from({ length: LEVELS }, (_, level) => `"${levelled(term, level)}"`),
  )
  const found = index.one(sql`SELECT rowid FROM ranked WHERE ranked MATCH ${levels.join(' OR ')} AND rowid = ${number}`)
  return found !== undefined
}
