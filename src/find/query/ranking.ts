import { sql } from '../../engine/database.ts'
import type { SqliteConnection } from '../../engine/sqlite.ts'
import { roundScore } from '../rules/answers.ts'
import { answerableFrom, codeTerms, queryWords } from '../rules/question.ts'
import { emphasis, impactOf, impactOfName, LEVELS, levelled, rarity } from '../rules/ranking.ts'
import { tagWord } from '../rules/terms.ts'
import { spelledIn } from '../rules/words.ts'
import { type Correction, type Extent, extentOf, readNumbers, SAMPLE, termsFor, type WantedPostings } from './terms.ts'

/** More words than any query has, for a query of whose words no entry has all. */
const NO_ENTRY_HAS = 255

/**
 * The scores of one query by the number of the entry, in arrays that the next query reuses. A Map of 20,000 numbers, with the objects that
 * it leaves to the garbage collector, would take a third of the time of a query.
 */
export class ScoreTable {
  /** The hash table. A place has 1 plus the row of its entry, or 0 if it is free. At least half of the places are free. */
  readonly #places: Int32Array
  readonly #shift: number
  readonly #numbers: Float64Array
  readonly #scores: Float64Array
  /** The part of a score that is from hints. */
  readonly #hinted: Float64Array
  /** The number of words of the query that each entry has. */
  readonly #having: Uint8Array
  #size = 0
  /** The number of words that an entry with all words of the query has. */
  #words = NO_ENTRY_HAS

  /** `most` is the maximum number of entries of one query. */
  constructor(most: number) {
    const bits = Math.ceil(Math.log2(most)) + 1
    this.#places = new Int32Array(2 ** bits)
    this.#shift = 32 - bits
    this.#numbers = new Float64Array(most)
    this.#scores = new Float64Array(most)
    this.#hinted = new Float64Array(most)
    this.#having = new Uint8Array(most)
  }

  /** Clears the table for a query with this many words. */
  begin(words: number): void {
    this.#places.fill(0)
    this.#size = 0
    this.#words = words === 0 ? NO_ENTRY_HAS : words
  }

  /** Adds `worth` to the scores of distinct entries. With `isWord`, each of them has one more word of the query. */
  add(numbers: readonly number[], worth: number, { isHint, isWord }: { isHint: boolean; isWord: boolean }): void {
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] as number
      const place = this.#placeOf(number)
      let row = (this.#places[place] as number) - 1
      if (row < 0) {
        row = this.#size++
        this.#places[place] = row + 1
        this.#numbers[row] = number
        this.#scores[row] = 0
        this.#hinted[row] = 0
        this.#having[row] = 0
      }
      this.#scores[row] = (this.#scores[row] as number) + worth
      if (isHint) this.#hinted[row] = (this.#hinted[row] as number) + worth
      if (isWord) this.#having[row] = (this.#having[row] as number) + 1
    }
  }

  scoreOf(number: number): number {
    const row = (this.#places[this.#placeOf(number)] as number) - 1
    return row < 0 ? 0 : (this.#scores[row] as number)
  }

  /** The score without hints. */
  ownScoreOf(number: number): number {
    const row = (this.#places[this.#placeOf(number)] as number) - 1
    return row < 0 ? 0 : (this.#scores[row] as number) - (this.#hinted[row] as number)
  }

  /** Whether an entry has all words of the query. */
  hasAll(number: number): boolean {
    const row = (this.#places[this.#placeOf(number)] as number) - 1
    return row >= 0 && this.#having[row] === this.#words
  }

  /** The number of the entry that is ranked first, if there is one. */
  first(): number | undefined {
    let first = 0
    for (let row = 1; row < this.#size; row++) if (this.#isBefore(row, first)) first = row
    return this.#size === 0 ? undefined : this.#numbers[first]
  }

  /**
   * The numbers of all entries. Those with all words come first; within each group the best first; of equal scores the newest first. A page
   * takes few of thousands of entries, and a heap returns the first ones sooner than a sort.
   */
  *ranked(): Generator<number> {
    const heap = [...Array(this.#size).keys()]
    for (let at = (heap.length >> 1) - 1; at >= 0; at--) this.#sink(heap, at)
    for (;;) {
      const [first] = heap
      const last = heap.pop()
      if (first === undefined || last === undefined) return
      yield this.#numbers[first] as number
      if (heap.length === 0) return
      heap[0] = last
      this.#sink(heap, 0)
    }
  }

  /** Moves a row of a heap down until it ranks before both of its children. */
  #sink(heap: number[], from: number): void {
    const row = heap[from] as number
    let at = from
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && this.#isBefore(heap[below + 1] as number, heap[below] as number)) below++
      if (!this.#isBefore(heap[below] as number, row)) break
      heap[at] = heap[below] as number
      at = below
    }
    heap[at] = row
  }

  #isBefore(row: number, other: number): boolean {
    const isWhole = this.#having[row] === this.#words
    if (isWhole !== (this.#having[other] === this.#words)) return isWhole
    const difference = (this.#scores[row] as number) - (this.#scores[other] as number)
    return difference === 0 ? (this.#numbers[row] as number) > (this.#numbers[other] as number) : difference > 0
  }

  /** The place of an entry, or the free one where it belongs. */
  #placeOf(number: number): number {
    const [places, numbers] = [this.#places, this.#numbers]
    let place = Math.imul(number, 0x9e3779b1) >>> this.#shift
    for (;;) {
      const known = places[place] as number
      if (known === 0 || numbers[known - 1] === number) return place
      place = (place + 1) & (places.length - 1)
    }
  }
}

/** Maximum number of postings that one query reads in addition to the samples, so that its cost does not grow with the store. */
const POSTINGS_MAX = 20_000
/** Maximum number of terms of a query that count for ranking: those with the highest weights. */
const RANKED_TERMS_MAX = 24

/** Scores of entries by their number; weights of terms; the best possible score. */
type Scores = { scores: ScoreTable; weights: Map<string, number>; best: number }

/** Reused, because each thread runs one query at a time. */
const table = new ScoreTable(POSTINGS_MAX + RANKED_TERMS_MAX * LEVELS * SAMPLE)

/** How much of the index a query reads. */
type Reading = {
  /** The number of the best entries that are needed. */
  most: number
  /** The maximum number of postings that are read in addition to the samples. */
  postings: number
}
const ALL: Reading = { most: POSTINGS_MAX, postings: POSTINGS_MAX }

/**
 * Scores entries by BM25F. Reads the lists of postings in descending order of what one adds to the score of an entry (Lin and Trotman,
 * Anytime ranking for impact-ordered indexes, ICTIR 2015), up to `postings` of them. Of the list at that limit, reads the newest entries. Of
 * a single term, the first `most` are enough. With `tag`, scores only entries with that tag. With `isLacking`, no entry has all words. The
 * scores are valid until the next query.
 */
export function score(
  index: SqliteConnection,
  wanted: readonly WantedPostings[],
  { extent, tag, isLacking, reading }: { extent: Extent; tag: string | null; isLacking: boolean; reading: Reading },
): Scores {
  const all: (WantedPostings & { weight: number })[] = []
  for (const one of wanted) {
    const weight = emphasis(one.postings.term, one.count) * rarity(one.postings.entryCount, extent.entries)
    all.push({ ...one, weight })
  }
  const weighed = all
    .sort((a, b) => b.weight - a.weight || (a.postings.term < b.postings.term ? -1 : 1))
    .slice(0, RANKED_TERMS_MAX)
  const weights = new Map<string, number>()
  let [best, words] = [0, 0]
  for (const { postings, weight, kind, isMain } of weighed) {
    weights.set(postings.term, weight)
    if (kind !== 'OTHER') best += weight
    if (isMain) words++
  }
  table.begin(isLacking ? 0 : words)
  const lists = weighed.flatMap(({ postings, weight, kind, isMain }) =>
    postings.lists.map(list => {
      const worth = weight * (kind === 'NAME' ? impactOfName(list.level) : impactOf(list.level))
      return { list, match: `"${levelled(postings.term, list.level)}"`, worth, isHint: kind === 'HINT', isWord: isMain }
    }),
  )
  const { most, postings } = reading
  let left = weighed.length === 1 ? Math.min(most, postings) : postings
  for (const { list, match, worth, ...role } of lists.sort((a, b) => b.worth - a.worth)) {
    // The sample stays if it is complete, or if no more postings may be read.
    if (tag !== null) list.numbers = readNumbers(index, `${match} AND "${tagWord(tag)}"`, Math.max(SAMPLE, left))
    else if (!list.whole && left > SAMPLE) list.numbers = readNumbers(index, match, left)
    left = Math.max(0, left - list.numbers.length)
    table.add(list.numbers, worth, role)
  }
  return { scores: table, weights, best }
}

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

/** Ranks the entries that have any word of a query, as far as `reading` says. With `tag`, ranks only entries with that tag. */
export function rank(
  index: SqliteConnection,
  query: string,
  tag: string | null,
  reading: Partial<Reading> = {},
): Ranking {
  const extent = extentOf(index)
  const words = queryWords(query)
  const { wanted, missing, corrected } = termsFor(index, words, extent)
  const isLacking = missing.length > 0
  const {
    scores,
    weights,
    best: known,
  } = score(index, wanted, { extent, tag, isLacking, reading: { ...ALL, ...reading } })
  const first = scores.first()
  const spelled = spelledIn(query)
  const unknown = rarity(0, extent.entries)
  const best = known + missing.length * unknown
  // A hint finds entries with another name, so it does not count as a match.
  const match = first === undefined ? 0 : scores.ownScoreOf(first) / best
  const codes = codeTerms(query)
  const lacksCode = codes.some(term => !isFound(index, [term], undefined))
  let all = first !== undefined && !isLacking
  for (const { terms, name, optional } of words) {
    // A name must match as a whole.
    all &&= optional || isFound(index, name === undefined ? [...terms.keys()] : [name], first, wanted)
  }
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

/**
 * Whether an entry has any of some terms, or whether any entry has one. Of an entry, most postings in `read` tell it, and a look into the
 * index takes as long as reading thousands of postings.
 */
function isFound(
  index: SqliteConnection,
  terms: readonly string[],
  number: number | undefined,
  read: readonly WantedPostings[] = [],
): boolean {
  for (const { postings } of read) {
    if (!terms.includes(postings.term)) continue
    for (const { numbers } of postings.lists) if (number !== undefined && numbers.includes(number)) return true
  }
  const words: string[] = []
  for (const term of terms) for (let level = 0; level < LEVELS; level++) words.push(`"${levelled(term, level)}"`)
  const match = words.join(' OR ')
  // FTS5 compares a rowid only with integers, but JavaScript numbers are bound as reals. Without the cast, every row would match.
  const found =
    number === undefined
      ? index.one(sql`SELECT rowid FROM ranked WHERE ranked MATCH ${match} LIMIT 1`)
      : index.one(sql`SELECT rowid FROM ranked WHERE ranked MATCH ${match} AND rowid = CAST(${number} AS INTEGER)`)
  return found !== undefined
}
