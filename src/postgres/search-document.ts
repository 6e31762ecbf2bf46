import { hash } from 'node:crypto'
import type { Value } from '../database/sql.ts'
import { indexedText, TERMS_VERSION, type Term, tagWord } from '../domain/terms.ts'
import { type ChangedEntryRow, tagsOf } from '../store/entry.ts'

/** Changes whenever documents of older versions must be made anew. */
export const SEARCH_VERSION = 3_000 + TERMS_VERSION

/** Rows of one slice: those that a search for a common word looks at first. */
const SLICE = 1_024
export const sliceOf = (number: number): number => Math.floor(number / SLICE)

/**
 * PostgreSQL takes lexemes of at most 2,046 bytes; a longer word is kept by its beginning and a digest. No query asks for a longer
 * beginning: its 200 characters are at most 8 bytes each when they are folded.
 */
const WORD_BYTES = 1_600
const DIGEST_MARK = '\ue002'

function shortWord(word: string): string {
  const bytes = Buffer.from(word)
  if (bytes.length <= WORD_BYTES) return word
  const beginning = bytes
    .subarray(0, WORD_BYTES)
    .toString()
    .replace(/\ufffd$/, '')
  return `${beginning}${DIGEST_MARK}${hash('sha256', word, 'hex').slice(0, 32)}`
}

const shortWords = (text: string): string => text.split(' ').map(shortWord).join(' ')

/** Between two tags stand two spaces, so that no phrase reaches from one into the next. */
const TAG_GAP = '  '

/** The columns of a document, in this order, with their types. */
export const DOCUMENT_COLUMNS = [
  ['number', 'bigint'],
  ['entry', 'bigint'],
  ['id', 'text'],
  ['updated_at', 'bigint'],
  ['revisions', 'bigint'],
  ['slice', 'bigint'],
  ['title', 'text'],
  ['summary', 'text'],
  ['tags', 'text'],
  ['content', 'text'],
  ['content_length', 'bigint'],
  ['tag_words', 'text'],
] as const

/** An entry as it stands, as a row of the index. */
export function documentOf(entry: ChangedEntryRow): Value[] {
  const tags = tagsOf(entry)
  const content = shortWords(indexedText(entry.content))
  return [
    entry.revision,
    entry.number,
    entry.id,
    entry.updated_at,
    entry.revisions,
    sliceOf(entry.revision),
    shortWords(indexedText(entry.title)),
    shortWords(indexedText(entry.summary)),
    tags.map(tag => shortWords(indexedText(tag))).join(TAG_GAP),
    content,
    content.length,
    tags.map(tagLexeme).join(' '),
  ]
}

/** Words hold letters, marks, digits and characters of private use only, so that quoting needs no escape. */
const lexeme = (word: string, prefix: boolean): string => `'${shortWord(word)}'${prefix ? ':*' : ''}`

/** What stands for a tag among the words of a document. */
export const tagLexeme = (tag: string): string => shortWord(tagWord(tag))

/** What the index is asked: every word of every term, and the tag. `beginning` are the words that stand for the one that is only begun. */
export function tsquery(terms: readonly Term[], tag: string | null, beginning: readonly string[] | undefined): string {
  const parts = terms.flatMap(({ words, prefix }) =>
    words.map((word, index) => {
      const begun = prefix && index === words.length - 1
      // A word that nothing begins with is asked for too: it finds nothing.
      return begun && beginning !== undefined && beginning.length > 0
        ? `(${beginning.map(one => `'${one}'`).join(' | ')})`
        : lexeme(word, begun && beginning === undefined)
    }),
  )
  if (tag !== null) parts.push(lexeme(tagWord(tag), false))
  return [...new Set(parts)].join(' & ')
}

/** What a phrase looks like in a field that begins and ends with a space. */
export const phraseOf = ({ words, prefix }: Term): string => ` ${words.map(shortWord).join(' ')}${prefix ? '' : ' '}`

const TEXT_COLUMNS = ['title', 'summary', 'tags', 'content', 'tag_words']
const TEXT_PLACES = DOCUMENT_COLUMNS.flatMap(([name], place) => (TEXT_COLUMNS.includes(name) ? [place] : []))

/** All words of a document. */
export const wordsOfDocument = (document: readonly Value[]): string[] =>
  TEXT_PLACES.flatMap(place => String(document[place]).split(' ')).filter(word => word !== '')
