import { SIGNALS, type Signal } from '../../contract/vocabulary.ts'
import { isAscii } from '../../find/rules/words.ts'
import { EVERY_HIDDEN } from '../invisible-characters.js'
import { LruCache } from '../lru-cache.ts'
import { ANY_INVISIBLE } from '../plain.ts'
import { type Pattern, readPatterns } from './pattern.ts'
import { PATTERNS } from './patterns.ts'
import { commentsOf, hidesCharacters, isMixed, proseOf, withDisguised } from './text.ts'
import { Triggers } from './triggers.ts'

/** The texts of a revision, and the tags of its entry. */
export type SignalledText = {
  title: string
  summary: string
  content: string
  rationale: string
  tags?: readonly string[]
}

const bitOf = (signal: Signal): number => 1 << SIGNALS.indexOf(signal)

/** Reads the patterns. Takes some 50 ms, so a thread does it when it is first needed. */
function makeFinder() {
  const patterns = readPatterns(PATTERNS)
  const visible = patterns.filter(({ over }) => over !== 'comment')
  return {
    visible,
    bits: visible.map(({ signal }) => bitOf(signal)),
    triggers: new Triggers(visible),
    inComments: patterns.filter(({ over }) => over === 'comment'),
  }
}
let finder: ReturnType<typeof makeFinder> | undefined

/** Reads the patterns now, so that no request waits for them. */
export const loadPatterns = (): void => {
  finder ??= makeFinder()
}

/** A backslash at the end of a line, after which a command continues. */
const CONTINUED = /(?<=[ \t])\\\r?\n[ \t]*/g
/** Matches in every text with a comment. */
const MAY_COMMENT = /<!--|\]:/
/** The signs that divide the words of a tag. */
const IN_TAGS = /[-_./]+/g

/**
 * The signals of the texts of a revision and of the tags of its entry, as bits in the order of SIGNALS. A signal states a fact about the
 * words. It is not a judgement and refuses nothing. Takes time proportional to the text.
 */
export function signalsOf({ title, summary, content, rationale, tags = [] }: SignalledText): number {
  const bits = signalsIn(`${title}\n\n${summary}\n\n${content}\n\n${rationale}`, content)
  return tags.length === 0 ? bits : bits | signalsOfTags(tags)
}

/** The signals of the tags of an entry, as bits. */
export const signalsOfTags = (tags: readonly string[]): number =>
  signalsIn(tags.map(tag => `${tag}\n\n${tag.replace(IN_TAGS, ' ')}`).join('\n\n'), '')

/** The maximum total length of the searched texts that are remembered, in UTF-16 units. */
const REMEMBERED_CHARACTERS = 1_000_000
const remembered = new LruCache<string, number>(REMEMBERED_CHARACTERS)
/** The length that a remembered text counts in addition to its characters. */
const BESIDES_TEXT = 50

/**
 * The signals of one text that is no revision, such as a rationale, a quotation or a declared name. A new text can take
 * several milliseconds; the results for recent texts are cached.
 */
export function signalsOfText(text: string): Signal[] {
  let bits = remembered.get(text)
  if (bits === undefined) {
    bits = signalsIn(text, text)
    remembered.set(text, bits, text.length + BESIDES_TEXT)
  }
  return signalNames(bits)
}

/** The signals of texts that are shown together, as a member of an answer. It is missing if they have none. */
export function signalsMember(...texts: (string | null | undefined)[]): { signals?: Signal[] } {
  const signals = signalsOfText(texts.join('\n\n').trim())
  return signals.length === 0 ? {} : { signals }
}

/** The signals of a text. `markdown` is the part of it that may contain comments. */
function signalsIn(text: string, markdown: string): number {
  finder ??= makeFinder()
  const { visible, bits: bitsOf, triggers } = finder
  const ascii = isAscii(text)
  const invisible = ANY_INVISIBLE.test(text)
  const seen = withDisguised(ascii ? text : seenOf(text, invisible))
  const tried = triggers.of(seen)
  const every = !ascii && isMixed(seen)
  let bits = invisible && hidesCharacters(text) ? bitOf('INVISIBLE_CHARACTERS') : 0
  if (MAY_COMMENT.test(markdown) && speaksInComments(markdown, finder.inComments)) bits |= bitOf('HTML_COMMENT')
  let code: string | undefined
  let prose: string[] | undefined
  for (let at = 0; at < visible.length; at++) {
    const bit = bitsOf[at] as number
    if ((tried[at] === 0 && !every) || (bits & bit) !== 0) continue
    const { over, expression } = visible[at] as (typeof visible)[number]
    if (over === 'code') code ??= seen.includes('\\') ? seen.replaceAll(CONTINUED, ' ') : seen
    else prose ??= proseOf(seen)
    for (const one of over === 'code' ? [code ?? seen] : (prose ?? [])) if (expression.test(one)) bits |= bit
  }
  return bits
}

/** A text as a reader sees it: without invisible characters, in the plain forms of letters (NFKC). */
const seenOf = (text: string, invisible: boolean): string =>
  (invisible ? text.replace(EVERY_HIDDEN, '') : text).normalize('NFKC')

/** Whether a comment addresses a model. */
function speaksInComments(content: string, patterns: readonly Pattern[]): boolean {
  const comments = commentsOf(content).join('\n\n')
  if (comments === '') return false
  const texts = proseOf(isAscii(comments) ? comments : seenOf(comments, true))
  return texts.some(one => patterns.some(({ expression }) => expression.test(one)))
}

/** The names of stored signals. */
export const signalNames = (bits: number): Signal[] =>
  bits === 0 ? [] : SIGNALS.filter((_, at) => (bits & (1 << at)) !== 0)
