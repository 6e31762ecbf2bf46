import { type Sql, sql } from '../../engine/database.ts'
import type { SqliteConnection } from '../../engine/sqlite.ts'
import type { SearchRequest, SearchResult } from '../../memory/searching.ts'
import { roundScore } from '../rules/answers.ts'
import { tagWord } from '../rules/terms.ts'
import { isCut, STOP_WORDS, type Term, termsOf } from '../rules/words.ts'
import { type Ranking, rank } from './ranking.ts'
import { type Extent, extentOf } from './terms.ts'

/** A search result as it is sent between threads. Cloning three arrays costs less than cloning an object for each match. */
export type SearchReply = Omit<SearchResult, 'matches'> & { entries: number[]; scores: number[]; whole: boolean[] }

/** A prefix with more words or characters than this is not expanded to its words. */
const WORDS_OF_PREFIX_MAX = 2_000
const CHARACTERS_OF_PREFIX_MAX = 50_000

const asPrefix = (prefix: string): string => `"${prefix}" *`

/**
 * The words with a prefix, as an expression. FTS5 reads the rows of words newest first, but collects all rows of a prefix before the first.
 */
function asWords(index: SqliteConnection, prefix: string): string {
  const words: string[] = []
  let characters = 0
  const beginning = index.each<{ word: string }>(
    sql`SELECT word FROM word WHERE word >= ${prefix} AND word < ${`${prefix}\u{10ffff}`} ORDER BY word`,
  )
  for (const { word } of beginning) {
    characters += word.length
    if (words.length === WORDS_OF_PREFIX_MAX || characters > CHARACTERS_OF_PREFIX_MAX) return asPrefix(prefix)
    words.push(`"${word}"`)
  }
  return words.length === 0 ? asPrefix(prefix) : `(${words.join(' OR ')})`
}

/**
 * The FTS5 expression for all terms, and for the tag as one word. Words consist of letters, marks and digits only, so quoted words need no
 * escapes. A term that may be a prefix is a whole word, or any word with that prefix.
 */
function matchExpression(
  index: SqliteConnection,
  terms: readonly Term[],
  tag: string | null,
  last: 'whole' | 'begun',
): string {
  const parts = terms.map(({ words, prefix }) =>
    prefix && last === 'begun' ? asWords(index, words.join(' ')) : `"${words.join(' ')}"`,
  )
  if (tag !== null) parts.push(`"${tagWord(tag)}"`)
  return parts.join(' AND ')
}

/** The expression for all terms, and the part of the index that a query for them reads. */
const wantedFor = (
  index: SqliteConnection,
  terms: readonly Term[],
  tag: string | null,
  last: 'whole' | 'begun',
): NewestMatches => ({
  ...partFor(index, terms, tag, extentOf(index)),
  match: matchExpression(index, terms, tag, last),
})

/** Number of the newest entries with all terms that are ranked. Older ones follow, newest first. It bounds the work of one query. */
const RELEVANCE_WINDOW = 2_000
const EVOLUTION_WINDOW = 10_000
/** If no entry has all terms, entries with at least this share of the best score are listed, up to a maximum. */
const PARTIAL_SHARE = 0.5
const PARTIAL_MAX = 1_000

type Match = { number: number; entry: number; id: string; updated_at: number; revisions: number }
/** The matches of a query in order, and how well they fit. */
type Found = { matches: Iterable<Match>; coverage: SearchReply['coverage']; match: number; ranking?: Ranking }

/** Finds one page of the entries that match a query, in the requested order, in one state of the index. */
export function searchIndex(index: SqliteConnection, request: SearchRequest): SearchReply {
  index.run(sql`BEGIN`)
  try {
    const { sort } = request
    const search = sort === 'fit' ? byFit : sort === 'relevance' ? byRelevance : inOrderOfChange
    return pageOf(search(index, request), request)
  } finally {
    // Nothing was written, so a rollback ends the read.
    if (index.raw.isTransaction) index.run(sql`ROLLBACK`)
  }
}

function pageOf({ matches, coverage, match, ranking }: Found, { limit, offset }: SearchRequest): SearchReply {
  const entries: number[] = []
  const scores: number[] = []
  const whole: boolean[] = []
  let more = false
  let skipped = 0
  for (const { entry, number } of matches) {
    if (skipped < offset) {
      skipped++
      continue
    }
    more = entries.length === limit
    if (more) break
    entries.push(entry)
    scores.push(Math.min(1, (ranking?.scores.scoreOf(number) ?? 0) / (ranking?.best || 1)))
    whole.push(ranking?.scores.hasAll(number) ?? false)
  }
  return {
    entries,
    more,
    coverage,
    match,
    answerableFrom: ranking?.answerableFrom ?? Number.POSITIVE_INFINITY,
    scores,
    whole,
    weights: [...(ranking?.weights ?? [])],
    unknown: ranking?.unknown ?? 0,
    missing: ranking?.missing ?? [],
    corrected: ranking?.corrected ?? [],
  }
}

/** The entries that have all words, best first, then those that have any. */
function byFit(index: SqliteConnection, request: SearchRequest): Found {
  const { q, tag, offset, limit, postings } = request
  const ranking = rank(index, q, tag, { most: offset + limit + 1, ...(postings === undefined ? {} : { postings }) })
  if (ranking.best === 0) return byWords(index, request, ranking)
  const coverage = ranking.first === undefined ? 'NONE' : ranking.all ? 'ALL' : 'SOME'
  return { matches: documents(index, ranking.numbers), coverage, match: ranking.match, ranking }
}

/**
 * For a query without a word to rank by, such as one of stop words alone: the entries that have all its words, newest first. A phrase is
 * searched for as separate words, because finding a phrase of stop words takes time that grows with the store.
 */
function byWords(index: SqliteConnection, { q, tag }: SearchRequest, ranking: Ranking): Found {
  const words = termsOf(q).flatMap(term => term.words.map(word => ({ words: [word], prefix: false })))
  if (words.length === 0 || isCut(q)) return { matches: [], coverage: 'NONE', match: 0, ranking }
  const all = inOrder(select(index, wantedFor(index, words, tag, 'whole')), 0, byTime)
  const first = all.next()
  if (first.done === true) return { matches: [], coverage: 'NONE', match: 0, ranking }
  return { matches: resumed(first.value, all), coverage: 'ALL', match: Number(isSpecific(words)), ranking }
}

/** The entries that have all terms, best first, then those that have any. A query with too many terms lists those that have any. */
function byRelevance(index: SqliteConnection, request: SearchRequest): Found {
  const { q, tag } = request
  if (isCut(q)) return byFit(index, request)
  const ranking = rank(index, q, tag)
  const scoreOf: ScoreOf = number => ranking.scores.scoreOf(number)
  const terms = termsOf(q)
  const all = withAllTerms(index, terms, tag, scoreOf)
  const first = all.next()
  if (first.done === true) {
    const coverage = ranking.first === undefined ? 'NONE' : 'SOME'
    return { matches: documents(index, ranking.numbers), coverage, match: ranking.match, ranking }
  }
  const matches = function* (): Generator<Match> {
    const shown = new Set<number>()
    for (const one of resumed(first.value, all)) {
      shown.add(one.number)
      yield one
    }
    for (const one of documents(index, ranking.numbers)) if (!shown.has(one.number)) yield one
  }
  const match = ranking.best === 0 ? Number(isSpecific(terms)) : Math.min(1, scoreOf(first.value.number) / ranking.best)
  return { matches: matches(), coverage: 'ALL', match: roundScore(match), ranking }
}

/** The entries that have all terms, best first; then those with the last word of the query only as a prefix. */
function* withAllTerms(
  index: SqliteConnection,
  terms: readonly Term[],
  tag: string | null,
  scoreOf: ScoreOf,
): Generator<Match> {
  const whole = wantedFor(index, terms, tag, 'whole')
  let isFound = false
  for (const one of bestFirst(index, whole, scoreOf)) {
    isFound = true
    yield one
  }
  const begun = matchExpression(index, terms, tag, 'begun')
  const others = isFound ? `(${begun}) NOT (${whole.match})` : begun
  if (whole.match !== begun) yield* bestFirst(index, { ...whole, match: others }, scoreOf)
}

/** All values of a generator whose first value was already taken. The rest is read once, and closed together with this generator. */
function* resumed<T>(first: T, rest: Generator<T>): Generator<T> {
  try {
    yield first
    yield* rest
  } finally {
    rest.return(undefined)
  }
}

/** Whether terms without a word to rank by are specific: a phrase, or a word that is too long to rank by. Single stop words are not. */
const isSpecific = (terms: readonly Term[]): boolean =>
  terms.some(({ words }) => words.length > 1 || words.some(word => !STOP_WORDS.has(word)))

/** The entries that have all terms, or the best partial matches if there are none, by change or by number of revisions. */
function inOrderOfChange(index: SqliteConnection, { q, tag, sort }: SearchRequest): Found {
  const window = sort === 'evolution' ? EVOLUTION_WINDOW : 0
  const all = inOrder(select(index, wantedFor(index, termsOf(q), tag, 'begun')), window, byRevisions)
  const first = all.next()
  if (first.done === false) return { matches: resumed(first.value, all), coverage: 'ALL', match: 1 }
  const ranking = rank(index, q, tag)
  const least = ranking.first === undefined ? 0 : ranking.scores.scoreOf(ranking.first) * PARTIAL_SHARE
  const good = Iterator.from(ranking.numbers)
    .take(PARTIAL_MAX)
    .filter(number => ranking.scores.scoreOf(number) >= least)
  const matches = [...documents(index, good)].sort(sort === 'evolution' ? byRevisions : byTime)
  return { matches, coverage: matches.length === 0 ? 'NONE' : 'SOME', match: ranking.match, ranking }
}

const COLUMNS: Sql = sql`d.number, d.entry, d.id, d.updated_at, d.revisions`

/** The matches, the newest first. */
function select(index: SqliteConnection, wanted: NewestMatches, below = Number.MAX_SAFE_INTEGER): Iterable<Match> {
  if (wanted.isSparse) return documents(index, allNewest(index, wanted, below))
  return index.each<Match>(sql`
    SELECT ${COLUMNS} FROM terms CROSS JOIN doc d ON d.number = terms.rowid
    WHERE terms MATCH ${wanted.match} AND terms.rowid > CAST(${wanted.above} AS INTEGER)
      AND terms.rowid < CAST(${below} AS INTEGER)
    ORDER BY terms.rowid DESC`)
}

/** The numbers of the newest matches, the newest first. */
function newest(index: SqliteConnection, wanted: NewestMatches, limit: number): number[] {
  if (wanted.isSparse) return allNewest(index, wanted).slice(0, limit)
  const row = index.one<{ numbers: string }>(sql`
    SELECT json_group_array(number) AS numbers
    FROM (
      SELECT rowid AS number FROM terms WHERE terms MATCH ${wanted.match} AND rowid > CAST(${wanted.above} AS INTEGER)
      ORDER BY rowid DESC LIMIT ${limit}
    )`)
  return JSON.parse(row?.numbers ?? '[]') as number[]
}

/** Number of documents that are read together: a page of a search, and the one that follows. */
const TOGETHER = 21

/** The documents of these numbers, in their order. */
function* documents(index: SqliteConnection, numbers: Iterable<number>): Generator<Match> {
  const rest = numbers[Symbol.iterator]()
  for (;;) {
    const some: number[] = []
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      if (some.push(next.value) === TOGETHER) break
    }
    if (some.length === 0) return
    yield* index.all<Match>(
      sql`SELECT ${COLUMNS} FROM json_each(${JSON.stringify(some)}) CROSS JOIN doc d ON d.number = value ORDER BY key`,
    )
  }
}

type ScoreOf = (number: number) => number
type Compare = (a: Match, b: Match) => number
const byTime: Compare = (a, b) => b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1)
const byRevisions: Compare = (a, b) => b.revisions - a.revisions || byTime(a, b)

/**
 * The newest matches within the window by score, best first, then all older ones, newest first. Rows are read on demand, because a page has
 * few of them.
 */
function* bestFirst(index: SqliteConnection, wanted: NewestMatches, scoreOf: ScoreOf): Generator<Match> {
  const numbers = newest(index, wanted, RELEVANCE_WINDOW)
  const last = numbers.at(-1)
  if (last === undefined) return
  // The sort is stable: of equal scores, the latest change is first.
  const best = documents(
    index,
    numbers.toSorted((a, b) => scoreOf(b) - scoreOf(a)),
  )
  yield* tiesById(best, (a, b) => scoreOf(a.number) === scoreOf(b.number) && isSameTime(a, b))
  if (numbers.length === RELEVANCE_WINDOW) yield* inOrder(select(index, wanted, last), 0, byTime)
}

const isSameTime = (a: Match, b: Match): boolean => a.updated_at === b.updated_at

/** Matches in their order. Matches of a tie are in the order of their ids. */
function* tiesById(matches: Iterable<Match>, isTie: (a: Match, b: Match) => boolean): Generator<Match> {
  let ties: Match[] = []
  for (const match of matches) {
    if (ties[0] !== undefined && !isTie(ties[0], match)) {
      yield* ties.sort(byTime)
      ties = []
    }
    ties.push(match)
  }
  yield* ties.sort(byTime)
}

/** Matches that come in the order of change: the first `window` sorted by `compare`, the others in their order, ties by id. */
function* inOrder(matches: Iterable<Match>, window: number, compare: Compare): Generator<Match> {
  let first: Match[] | undefined = []
  for (const match of tiesById(matches, isSameTime)) {
    if (first !== undefined && first.length < window) {
      first.push(match)
      continue
    }
    if (first !== undefined) yield* first.sort(compare)
    first = undefined
    yield match
  }
  if (first !== undefined) yield* first.sort(compare)
}

/** Approximate maximum number of entries that the phrases of one query read: the newest ones with the rarest word of each phrase. */
const READ_MAX = 100_000
/** An index with at most this multiple of that maximum is read whole. */
const WHOLE_UP_TO = 2.5
/** The frequency of a word is estimated from this many of the newest entries with the word. */
const SAMPLE = 64
/** If at least about this many matches are expected, a page is found among the newest entries. */
const DENSE = 100
/** Estimated share of the entries with a phrase among the entries with all words of the phrase. */
const PHRASE_SHARE = 1 / 50

/** The part of an index that a query reads: entries with numbers above `above`. If `isSparse`, so few of them match that all are read. */
type NewestPart = { above: number; isSparse: boolean }

/** An FTS5 expression, and the part of the index to search with it. */
type NewestMatches = NewestPart & { match: string }

const WHOLE: NewestPart = { above: 0, isSparse: false }

/**
 * The part of a large index that a search for all terms reads; the whole index if no term is a phrase. The time to find a phrase of
 * frequent words grows with the number of entries that have all of the words, and thus with the store.
 */
export function partFor(
  index: SqliteConnection,
  terms: readonly Term[],
  tag: string | null,
  { entries, newest }: Extent,
  most: number = READ_MAX,
): NewestPart {
  const isPhrase = (words: readonly string[]): boolean => words.length > 1
  if (entries <= WHOLE_UP_TO * most || !terms.some(({ words }) => isPhrase(words))) return WHOLE
  const quoted = terms.map(({ words }) => words.map(word => `"${word}"`))
  if (tag !== null) quoted.push([`"${tagWord(tag)}"`])
  const shares = new Map(quoted.flat().map(word => [word, shareOf(index, word, newest)]))
  const rarestOf = (words: readonly string[]): number => Math.min(...words.map(word => shares.get(word) as number))
  const phrases = quoted.filter(isPhrase)
  const limits = phrases.map(words => newest - most / phrases.length / rarestOf(words))
  const above = Math.floor(Math.max(0, ...limits))
  const expected = shares.values().reduce((product, share) => product * share, newest - above)
  return { above, isSparse: above > 0 && expected * PHRASE_SHARE ** phrases.length < DENSE }
}

/**
 * The numbers of all matches in a sparse part and below a number, newest first. Reads the part forwards, because FTS5 can begin at a bound,
 * but stops at one only when it finds the next match.
 */
export function allNewest(
  index: SqliteConnection,
  { match, above }: NewestMatches,
  below = Number.MAX_SAFE_INTEGER,
): number[] {
  const row = index.one<{ numbers: string }>(sql`
    SELECT json_group_array(number) AS numbers
    FROM (
      SELECT rowid AS number FROM terms
      WHERE terms MATCH ${match} AND rowid > CAST(${above} AS INTEGER) AND rowid < CAST(${below} AS INTEGER)
      ORDER BY rowid
    )`)
  return (JSON.parse(row?.numbers ?? '[]') as number[]).reverse()
}

/** Approximate share of the newest entries that have a word; 0 if few entries have it. */
function shareOf(index: SqliteConnection, word: string, newest: number): number {
  const sampled = index.one<{ number: number }>(sql`
    SELECT rowid AS number FROM terms WHERE terms MATCH ${word} ORDER BY rowid DESC LIMIT 1 OFFSET ${SAMPLE - 1}`)
  return sampled === undefined ? 0 : SAMPLE / (newest - sampled.number + 1)
}

/** A row that takes longer than this is read from the disk, in milliseconds. A row in memory takes a tenth of it. */
const FROM_DISK = 0.1

/**
 * Prefetches found entries from the last to the first. The main thread reads them from the first to the last, so that two pages are read
 * from the disk at a time. Ends at the first row that is already in memory, which is also where both threads meet. Ends at a row that
 * cannot be read, because the main thread reports the error.
 */
export function prefetch(
  entries: readonly number[],
  read: (entry: number) => void,
  clock: { now(): number } = performance,
): void {
  for (const entry of entries.toReversed()) {
    const began = clock.now()
    try {
      read(entry)
    } catch {
      return
    }
    if (clock.now() - began < FROM_DISK) return
  }
}
