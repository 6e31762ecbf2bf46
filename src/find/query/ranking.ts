import { only } from '../../engine/database.ts'
import { sql } from '../../engine/sql.ts'
import type { SqliteConnection } from '../../engine/sqlite.ts'
import { roundScore } from '../rules/answers.ts'
import { spelledIn } from '../rules/fold.ts'
import { answerableFrom, codeTerms, LEVELS, type QueryWord, queryWords, rarity } from '../rules/ranking.ts'
import { type Extent, levelled, type ScoreTable, score } from './postings.ts'
import { type Correction, termsFor } from './terms.ts'

/** The entries of a query by number, those with all words first, each group best first, and how well they fit. */
export type Ranking = {
  numbers: Iterable<number>
  first: number | undefined
  /** Their scores, and which of them have all words, in any form. */
  scores: ScoreTable
  /** The weight of each term, for finding the passage that fits best. */
  weights: Map<string, number>
  /** The weight of a word that no entry has. */
  unknown: number
  /** The most that an entry could score. */
  best: number
  /** The score of the first entry divided by the best possible score: 0 to 1. Words that no entry has count in full. */
  match: number
  /** The match from which the first entry is about the query; infinite if no entry can be. */
  answerableFrom: number
  /** Whether the first entry has every word of the query. */
  all: boolean
  /** Words of the query that no entry has, and corrected words, as the query spells them. */
  missing: string[]
  corrected: Correction[]
}

/** The size of an index. */
export const extentOf = (index: SqliteConnection): Extent =>
  only(index.one<Extent>(sql`SELECT entries, (SELECT max(number) FROM doc) AS newest FROM progress WHERE one = 1`))

/** Ranks the entries that have any word of a query. With `tag`, ranks only entries with that tag. */
export function rank(index: SqliteConnection, query: string, tag: string | null): Ranking {
  const extent = extentOf(index)
  const words = queryWords(query)
  const { wanted, missing, corrected } = termsFor(index, words, extent)
  const isLacking = missing.length > 0
  const { scores, weights, best: known } = score(index, wanted, { extent, tag, isLacking })
  const first = scores.first()
  const spelled = spelledIn(query)
  const unknown = rarity(0, extent.entries)
  const best = known + missing.length * unknown
  // A hint finds entries with another name, so it does not count as a match.
  const match = first === undefined ? 0 : scores.ownScoreOf(first) / best
  const codes = codeTerms(query)
  const lacksCode = codes.some(term => !isFound(index, term))
  const all = first !== undefined && !isLacking && words.every(word => hasWord(index, word, first))
  return {
    numbers: scores.ranked(),
    first,
    scores,
    weights,
    unknown,
    best,
    match: roundScore(Math.min(1, match)),
    answerableFrom: lacksCode
      ? Number.POSITIVE_INFINITY
      : answerableFrom(query, { words: words.length, isCoded: codes.length > 0, whole: all }),
    all,
    missing: missing.map(spelled),
    corrected: corrected.map(({ from, to }) => ({ from: from.split(' ').map(spelled).join(' '), to })),
  }
}

/** Whether any entry has a term. */
const isFound = (index: SqliteConnection, term: string): boolean => {
  const levels = Array.from({ length: LEVELS }, (_, level) => `"${levelled(term, level)}"`)
  return index.one(sql`SELECT rowid FROM ranked WHERE ranked MATCH ${levels.join(' OR ')} LIMIT 1`) !== undefined
}

/** Whether an entry has a word of the query in any form. A name must match as a whole. */
function hasWord(index: SqliteConnection, { terms, name, optional }: QueryWord, number: number): boolean {
  if (optional) return true
  const levels = (name === undefined ? [...terms.keys()] : [name]).flatMap(term =>
    Array.from({ length: LEVELS }, (_, level) => `"${levelled(term, level)}"`),
  )
  // FTS5 compares a rowid only with integers, but JavaScript numbers are bound as reals. Without the cast, every row would match.
  const found = index.one(sql`
    SELECT rowid FROM ranked WHERE ranked MATCH ${levels.join(' OR ')} AND rowid = CAST(${number} AS INTEGER)`)
  return found !== undefined
}
