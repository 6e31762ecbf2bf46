import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { emphasis, impactOf, impactOfName, LEVELS, rarity } from '../domain/find/ranking.ts'
import { tagWord } from '../domain/terms/terms.ts'
import { ScoreTable } from './score-table.ts'

/** Number of the newest postings of each list that are read to estimate how many entries have a term. */
const SAMPLE = 64
/** Maximum number of postings that one query reads in addition to the samples, so that its cost does not grow with the store. */
const POSTINGS_MAX = 20_000
/** Maximum number of terms of a query that count for ranking: those with the highest weights. */
const RANKED_TERMS_MAX = 24

const SUFFIXES = Array.from({ length: LEVELS }, (_, level) => `:${level.toString(LEVELS)}`)

/** A term with its impact level, as a word of the index. */
export const levelled = (term: string, level: number): string => `${term}${SUFFIXES[level]}`

/** A term with its newest postings by level, highest level first. `entryCount` is the approximate number of entries that have it. */
export type Postings = {
  term: string
  entryCount: number
  lists: { level: number; numbers: number[]; whole: boolean }[]
}

/** The number of entries in an index, and the highest number of an entry. */
export type Extent = { entries: number; newest: number }

/** The numbers of the newest entries that match. */
function read(index: SqliteConnection, match: string, limit: number): number[] {
  const row = index.one<{ numbers: string }>(sql`
    SELECT json_group_array(number) AS numbers
    FROM (SELECT rowid AS number FROM ranked WHERE ranked MATCH ${match} ORDER BY rowid DESC LIMIT ${limit})`)
  return JSON.parse(row?.numbers ?? '[]') as number[]
}

/** Looks up a term. If more entries have it than are read, their number is estimated from the density of the newest ones. */
export function samplePostings(index: SqliteConnection, term: string, { entries, newest }: Extent): Postings {
  const lists: Postings['lists'] = []
  let entryCount = 0
  for (let level = LEVELS - 1; level >= 0; level--) {
    const numbers = read(index, `"${levelled(term, level)}"`, SAMPLE)
    if (numbers.length === 0) continue
    const whole = numbers.length < SAMPLE
    lists.push({ level, numbers, whole })
    entryCount += whole ? numbers.length : (SAMPLE * newest) / (newest - (numbers.at(-1) as number) + 1)
  }
  return { term, entryCount: Math.min(entryCount, entries), lists }
}

/** A term by which entries are ranked for a query. */
export type Wanted = {
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
/** Scores of entries by their number; weights of terms; the best possible score. */
export type Scores = { scores: ScoreTable; weights: Map<string, number>; best: number }

/** Reused, because each thread runs one query at a time. */
const scores = new ScoreTable(POSTINGS_MAX + RANKED_TERMS_MAX * LEVELS * SAMPLE)

/**
 * Scores entries by BM25F. Reads the rarest terms first, up to POSTINGS_MAX postings. Of a longer list, reads the highest impacts and the
 * newest entries. With `tag`, scores only entries with that tag. With `isLacking`, no entry has all words. The scores are valid until the
 * next query.
 */
export function score(
  index: SqliteConnection,
  wanted: readonly Wanted[],
  { extent, tag, isLacking }: { extent: Extent; tag: string | null; isLacking: boolean },
): Scores {
  const weighed = wanted
    .map(({ postings, count, kind, isMain }) => ({
      postings,
      kind,
      isMain,
      weight: emphasis(postings.term, count) * rarity(postings.entryCount, extent.entries),
    }))
    .sort((a, b) => b.weight - a.weight || (a.postings.term < b.postings.term ? -1 : 1))
    .slice(0, RANKED_TERMS_MAX)
  scores.begin(isLacking ? 0 : weighed.filter(({ isMain }) => isMain).length)
  let left = POSTINGS_MAX
  const rarestFirst = weighed.toSorted((a, b) => a.postings.entryCount - b.postings.entryCount)
  for (const { postings, weight, kind, isMain } of rarestFirst) {
    for (const list of postings.lists) {
      const numbers = fetchList(index, postings.term, list, left, tag)
      left = Math.max(0, left - numbers.length)
      const worth = weight * (kind === 'NAME' ? impactOfName(list.level) : impactOf(list.level))
      scores.add(numbers, worth, { isHint: kind === 'HINT', isWord: isMain })
    }
  }
  const weights = new Map(weighed.map(({ postings, weight }) => [postings.term, weight]))
  const best = weighed.reduce((sum, { weight, kind }) => (kind === 'OTHER' ? sum : sum + weight), 0)
  return { scores, weights, best }
}

/** The postings of a list. Returns the sample if it is complete or if no more postings may be read. */
function fetchList(
  index: SqliteConnection,
  term: string,
  { level, numbers, whole }: Postings['lists'][number],
  left: number,
  tag: string | null,
): number[] {
  const match = `"${levelled(term, level)}"`
  if (tag !== null) return read(index, `${match} AND "${tagWord(tag)}"`, Math.max(SAMPLE, left))
  return whole || left <= SAMPLE ? numbers : read(index, match, left)
}
