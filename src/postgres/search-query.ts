import type { Query } from '../database/postgres.ts'
import type { Term } from '../domain/terms.ts'
import type { SearchRequest } from '../operations/operation.ts'
import { phraseOf, segmentQuery, tagLexeme, tsquery } from './search-document.ts'

/** Of the entries that hold all words of a phrase, the newest so many are looked through for it. Bounds the work of one query too. */
export const PHRASE_WINDOW = 10_000
/** A beginning is asked for as the words that begin with it, up to so many. */
export const PREFIX_WORDS = 8
/** So many of the newest documents are looked through one by one before the index is asked: most matches of a common word that are shown stand there. */
const NEWEST = 256
/** How much a match weighs in title, tags and summary; one in the content alone weighs 1 at most. */
const WEIGHTS = { title: 10, tags: 6, summary: 4 }
/** The columns that order matches: contents are read for phrases only. */
const NARROW = 'd.number, d.entry, d.id, d.updated_at, d.revisions, d.title, d.summary, d.tags, d.content_length'

/** A search, with the words of the index that begin with what it ends with, where they are few enough to be asked for. */
export type Asked = SearchRequest & { beginning: string[] | undefined }

/** The words of the index that begin with a text; one more than PREFIX_WORDS when there are too many. */
export const wordsBeginningWith = (text: string): Query => ({
  text: 'SELECT word FROM search_word WHERE word >= $1 AND word < $2 ORDER BY word LIMIT $3',
  values: [text, `${text}\u{10ffff}`, PREFIX_WORDS + 1],
})

/** What a query is for one segment of the index. */
export const queryOf = ({ terms, tag, beginning }: Asked): string => segmentQuery(terms, tag, beginning)

/** A match, with what it is ordered by: `rank` first where the request has one, then time, then id, all of them falling. */
export type Match = { entry: number; rank: number; updated_at: number; id: string }

export const byRank = (a: Match, b: Match): number =>
  b.rank - a.rank || b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1)

/** The first `wanted` of the newest `count` matches of these segments, each with how many `matches` there are of those. */
export function matching(asked: Asked, segments: readonly number[], count: number, wanted: number): Query {
  const { terms, sort } = asked
  const values: Query['values'][number][] = []
  const value: Bind = one => `$${values.push(one)}`
  const newest = 'ORDER BY d.updated_at DESC, d.id DESC LIMIT'
  const phrases = terms.filter(({ words }) => words.length > 1)
  const looked = phrases.length === 0 ? count : PHRASE_WINDOW
  const words = `SELECT ${NARROW} FROM search_document d WHERE ${holding(asked, segments, value)} ${newest} ${value(looked)}`
  const matches =
    phrases.length === 0
      ? words
      : `SELECT ${NARROW} FROM (${words}) n JOIN search_document d USING (number) WHERE ${phrases.map(term => within(value(phraseOf(term)))).join(' AND ')} ${newest} ${value(count)}`
  const rank = sort === 'relevance' ? score(terms, value) : sort === 'evolution' ? 'd.revisions' : '0'
  return {
    text: `SELECT d.entry, ${rank} AS rank, d.updated_at, d.id, count(*) OVER () AS matches FROM (${matches}) d
      ORDER BY rank DESC, d.updated_at DESC, d.id DESC LIMIT ${value(wanted)}`,
    values,
  }
}

/** The matches among the newest documents, newest first. */
export function lookingThrough({ terms, tag }: Asked, count: number): Query {
  const values: Query['values'][number][] = []
  const value: Bind = one => `$${values.push(one)}`
  const conditions = terms.map(term => within(value(phraseOf(term))))
  if (tag !== null) conditions.push(`strpos(${field('tag_words')}, ${value(` ${tagLexeme(tag)} `)}) > 0`)
  return {
    text: `SELECT d.entry FROM (SELECT * FROM search_document ORDER BY number DESC LIMIT ${NEWEST}) d
      WHERE ${conditions.join(' AND ')} ORDER BY d.updated_at DESC, d.id DESC LIMIT ${value(count)}`,
    values,
  }
}

/** How many entries of these segments hold all words. */
export function candidates(asked: Asked, segments: readonly number[]): Query {
  const values: Query['values'][number][] = []
  const where = holding(asked, segments, one => `$${values.push(one)}`)
  return { text: `SELECT count(*) AS n FROM search_document d WHERE ${where}`, values }
}

/** Gives the place of a value in a statement. */
type Bind = (one: Query['values'][number]) => string

/** That an entry of these segments holds all words. */
const holding = (asked: Asked, segments: readonly number[], value: Bind): string =>
  `search_words(d) @@ ${value(tsquery(queryOf(asked), segments))}::tsquery`

const FIELDS = ['title', 'summary', 'tags', 'content'] as const
const field = (name: string): string => `(' ' || d.${name} || ' ')`
/** That a phrase stands in one field. */
const within = (phrase: string): string =>
  `(${FIELDS.map(name => `strpos(${field(name)}, ${phrase}) > 0`).join(' OR ')})`

/** How much a document is about the terms: in which fields they stand, and how short its content is. Contents are not read for it. */
function score(terms: readonly Term[], value: Bind): string {
  const parts = terms.flatMap(term => {
    const phrase = value(phraseOf(term))
    return Object.entries(WEIGHTS).map(
      ([name, weight]) => `CASE WHEN strpos(${field(name)}, ${phrase}) > 0 THEN ${weight} ELSE 0 END`,
    )
  })
  return [...parts, '1 / (1 + d.content_length / 2000.0)'].join(' + ')
}
