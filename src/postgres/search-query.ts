import type { Query } from '../database/postgres.ts'
import type { Term } from '../domain/terms.ts'
import type { SearchRequest } from '../operations/operation.ts'
import { phraseOf, tagLexeme, tsquery } from './search-document.ts'

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

/** The newest `count` matches of these slices, or of all, ranked. */
export function matching(asked: Asked, slices: number[] | undefined, count: number): Query {
  const { terms, sort } = asked
  const values: Query['values'][number][] = []
  const value: Bind = one => `$${values.push(one)}`
  const newest = 'ORDER BY d.updated_at DESC, d.id DESC LIMIT'
  const phrases = terms.filter(({ words }) => words.length > 1)
  const looked = phrases.length === 0 ? count : PHRASE_WINDOW
  const words = `SELECT ${NARROW} FROM search_document d WHERE ${holding(asked, slices, value)} ${newest} ${value(looked)}`
  const matches =
    phrases.length === 0
      ? words
      : `SELECT ${NARROW} FROM (${words}) n JOIN search_document d USING (number) WHERE ${phrases.map(term => within(value(phraseOf(term)))).join(' AND ')} ${newest} ${value(count)}`
  const rank = sort === 'relevance' ? `${score(terms, value)} DESC,` : sort === 'evolution' ? 'd.revisions DESC,' : ''
  return { text: `SELECT d.entry FROM (${matches}) d ORDER BY ${rank} d.updated_at DESC, d.id DESC`, values }
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

/** How many entries of these slices hold all words. */
export function candidates(asked: Asked, slices: number[] | undefined): Query {
  const values: Query['values'][number][] = []
  const where = holding(asked, slices, one => `$${values.push(one)}`)
  return { text: `SELECT count(*) AS n FROM search_document d WHERE ${where}`, values }
}

/** Gives the place of a value in a statement. */
type Bind = (one: Query['values'][number]) => string

/**
 * That an entry of these slices holds all words. One by one, slices are keys of the index, met with the words by skipping; a range would be a scan
 * of all its keys. A beginning that is not known as words is such a scan too: then the range is read once.
 */
function holding({ terms, tag, beginning }: Asked, slices: number[] | undefined, value: Bind): string {
  const holds = `search_words(d) @@ ${value(tsquery(terms, tag, beginning))}::tsquery`
  if (slices === undefined) return holds
  const open = beginning === undefined && terms.some(({ prefix }) => prefix)
  return open
    ? `${holds} AND d.slice >= ${value(Math.min(...slices))}`
    : `${holds} AND d.slice = ANY(${value(slices)}::bigint[])`
}

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
