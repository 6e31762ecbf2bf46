import { hash } from 'node:crypto'
import type { Value } from '../database/sql.ts'
import type { NewWords } from '../domain/new-words.ts'
import { indexedWords, TERMS_VERSION, type Term, tagWord } from '../domain/terms.ts'
import { type ChangedEntryRow, tagsOf } from '../store/entry.ts'

/** Changes whenever documents of older versions must be made anew. */
export const SEARCH_VERSION = 4_000 + TERMS_VERSION

/** Revision numbers of one segment, in which each word is a key of the index by itself; `search_words` in the schema knows it too. */
const SEGMENT = 8_192
/** The segment of a revision, by its number. */
export const segmentOf = (number: number): number => Math.floor(number / SEGMENT)

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

/** Words of so many characters are short enough whatever they are: none takes more than 4 bytes. */
const SHORT = WORD_BYTES / 4

function shortWords(text: string): string {
  for (let from = 0; from + SHORT < text.length; ) {
    const gap = text.lastIndexOf(' ', from + SHORT)
    if (gap < from) return text.split(' ').map(shortWord).join(' ')
    from = gap + 1
  }
  return text
}

/** Between two tags stand two spaces, so that no phrase reaches from one into the next. */
const TAG_GAP = '  '

/** The columns of a document, in this order, with their types. */
export const DOCUMENT_COLUMNS = [
  ['number', 'bigint'],
  ['entry', 'bigint'],
  ['id', 'text'],
  ['updated_at', 'bigint'],
  ['revisions', 'bigint'],
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
  const content = shortWords(indexedWords(entry.content))
  return [
    entry.revision,
    entry.number,
    entry.id,
    entry.updated_at,
    entry.revisions,
    shortWords(indexedWords(entry.title)),
    shortWords(indexedWords(entry.summary)),
    tags.map(tag => shortWords(indexedWords(tag))).join(TAG_GAP),
    content,
    content.length,
    tags.map(tagLexeme).join(' '),
  ]
}

/** Where the segment goes in a query: before each word, and in the schema's `search_words`. */
const SEGMENT_MARK = '/'
/** A word as the index has it. Words hold letters, marks, digits and characters of private use only, so that quoting needs no escape. */
const lexeme = (word: string): string => `'${SEGMENT_MARK}${word}'`

/** What stands for a tag among the words of a document. */
export const tagLexeme = (tag: string): string => shortWord(tagWord(tag))

/** What the index is asked of any segment: every word of every term, and the tag. `beginning` are the words that stand for the one that is only begun. */
export function segmentQuery(
  terms: readonly Term[],
  tag: string | null,
  beginning: readonly string[] | undefined,
): string {
  const parts = terms.flatMap(({ words, prefix }) =>
    words.map((word, index) => {
      const begun = prefix && index === words.length - 1
      // A word that nothing begins with is asked for too: it finds nothing.
      return begun && beginning !== undefined && beginning.length > 0
        ? `(${beginning.map(lexeme).join(' | ')})`
        : `${lexeme(shortWord(word))}${begun && beginning === undefined ? ':*' : ''}`
    }),
  )
  if (tag !== null) parts.push(lexeme(tagLexeme(tag)))
  return `(${[...new Set(parts)].join(' & ')})`
}

/** The same of these segments. */
export const tsquery = (query: string, segments: readonly number[]): string =>
  segments.map(segment => query.replaceAll(`'${SEGMENT_MARK}`, `'${segment}${SEGMENT_MARK}`)).join(' | ')

/** What a phrase looks like in a field that begins and ends with a space. */
export const phraseOf = ({ words, prefix }: Term): string => ` ${words.map(shortWord).join(' ')}${prefix ? '' : ' '}`

const TEXT_COLUMNS = ['title', 'summary', 'tags', 'content', 'tag_words']
const TEXT_PLACES = DOCUMENT_COLUMNS.flatMap(([name], place) => (TEXT_COLUMNS.includes(name) ? [place] : []))

/** Notes the words of a document. */
export function noteWords(words: NewWords, document: readonly Value[]): void {
  for (const place of TEXT_PLACES) words.note(String(document[place]))
}
