import { foldWord, isAscii } from './fold.ts'
import { isStopWord, stemOf } from './stem.ts'
import { isUnspaced } from './terms.ts'

/**
 * A term by which entries are ranked. `word` is the folded word of the text. `derived` terms are parts or other spellings of it. A NAME is
 * a name with its number, or a version; an entry that has only parts of it has another name. A PAIR is two words written as one.
 */
export type RankingTerm = { term: string; word: string; derived: boolean; role: 'NAME' | 'PAIR' | undefined }

/** Names of programming languages that consist of a letter and signs. */
const SIGNED = /^[a-z](?:\+\+|#)$/
/** A number with dots, with or without the v of a version. */
const VERSION = /^v?(\d+(?:\.\d+)+)/
const DIGIT = /\d/
/** A word of plain letters. */
const PLAIN = /^[A-Za-z]+$/
const CAMEL = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}/
const CAMEL_EDGE = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/
const WORD_AND_NUMBER = /^([a-z]{3,})(\d+)$/
const V_NUMBER = /^v(\d+)$/
/** A number or a version that may stand after a name, and a name that may stand before it. */
const NUMBER = /^v?(\d+(?:\.\d+)*)$/i
const NAME = /^(?=.{2})\p{L}[\p{L}\p{M}.-]*$/u
/** The version at the end of a name, such as python3.12. */
const DOTTED = /^\p{L}[\p{L}\p{M}_-]*?(\d+(?:\.\d+)+)$/u
/** A name with a number in it. */
const NUMBERED = /\p{L}\D*\d/u
/** The maximum number of parts that make one term together, and the maximum UTF-16 units of a term. */
const PARTS_MAX = 6
const TERM_MAX = 64

type Role = RankingTerm['role']

/** Adds a term for a whole word. */
function collect(terms: RankingTerm[], word: string, term: string, role?: Role): void {
  if (isTerm(term)) terms.push({ term, word, derived: false, role })
}

/** Adds a term for a part of a word, or for several words together. */
function derive(terms: RankingTerm[], word: string, term: string, role?: Role): void {
  if (isTerm(term)) terms.push({ term, word, derived: true, role })
}

const isTerm = (term: string): boolean => term.length > 0 && term.length <= TERM_MAX

/** Adds the term of a name and the number after it, such as Python 3.12. */
export function termOfPair(name: string, chunk: string, terms: RankingTerm[]): void {
  const number = DIGIT.test(chunk) ? NUMBER.exec(chunk)?.[1] : undefined
  if (number === undefined || !NAME.test(name) || isStopWord(foldWord(name))) return
  const pair = `${partsOf(name).map(foldWord).join('')}${number.replaceAll('.', '')}`
  derive(terms, pair, pair, 'PAIR')
}

const partsOf = (chunk: string): string[] => chunk.split(/[./\-_+#]+|(?<=^\p{L}{1,2})['’]/u).filter(part => part !== '')

/** The terms of a word in lower-case letters. */
export function termsOfPlain(word: string): RankingTerm[] {
  if (isStopWord(word)) return []
  const term = stemOf(word)
  return term.length > TERM_MAX ? [] : [{ term, word, derived: false, role: undefined }]
}

/** The terms of a chunk: a word, or several words that are joined by connectors. */
export function termsOfChunk(chunk: string): RankingTerm[] {
  const terms: RankingTerm[] = []
  addTermsOfChunk(chunk, terms)
  return terms
}

function addTermsOfChunk(chunk: string, terms: RankingTerm[]): void {
  if (PLAIN.test(chunk)) {
    termsOfPart(chunk, undefined, terms)
    return
  }
  const lower = chunk.toLowerCase()
  if (SIGNED.test(lower) || lower === '.net') {
    collect(terms, lower, lower)
    return
  }
  const version = VERSION.exec(lower)?.[1]
  if (version !== undefined) {
    const numbers = version.split('.')
    collect(terms, version, version, 'NAME')
    // A version of more than TERM_MAX / 2 numbers, each with a dot, is longer than TERM_MAX.
    for (let count = Math.min(numbers.length - 1, TERM_MAX / 2); count > 0; count--) {
      derive(terms, version, numbers.slice(0, count).join('.'))
    }
    if (version.length >= lower.length - 1) return
  }
  const parts = partsOf(chunk)
  const rest = version === undefined ? parts : parts.slice(version.split('.').length)
  const several = rest.length > 1 && rest.length <= PARTS_MAX && version === undefined
  const joined = several ? foldWord(rest.join('').replace(/['’]/gu, '')) : ''
  const isJoined = several && !isUnspaced(joined)
  const isName = isJoined && joined.length <= TERM_MAX && NUMBERED.test(joined)
  for (const part of rest) {
    const text = part.replace(/['’]s?$|['’]/gu, '')
    termsOfPart(text, isName ? lower : undefined, terms)
  }
  if (!isJoined || /^\d+$/.test(joined)) return
  const dotted = isName ? DOTTED.exec(lower)?.[1] : undefined
  if (dotted !== undefined) derive(terms, lower, dotted)
  derive(terms, isName ? lower : joined, stemOf(joined), isName ? 'NAME' : 'PAIR')
}

/**
 * Adds the terms of a part without connectors: a word, a name in camelCase, or a run of a script without spaces. `name` is the name that
 * contains the part.
 */
function termsOfPart(part: string, name: string | undefined, terms: RankingTerm[]): void {
  const folded = foldWord(part)
  if (folded === '') return
  if (!isAscii(folded) && isPaired(folded)) {
    termsOfPaired(folded, terms)
    return
  }
  if (isStopWord(folded)) return
  const word = name ?? folded
  const numbered = DIGIT.test(folded)
  const version = numbered ? V_NUMBER.exec(folded)?.[1] : undefined
  const isName = numbered && name === undefined && version === undefined && NUMBERED.test(folded)
  collect(terms, word, stemOf(folded), isName ? 'NAME' : undefined)
  if (CAMEL.test(part)) {
    for (const piece of part.split(CAMEL_EDGE)) {
      const own = foldWord(piece)
      if (own.length > 1 && own.length < folded.length && !isStopWord(own)) derive(terms, word, stemOf(own))
    }
    return
  }
  if (!numbered) return
  for (const piece of WORD_AND_NUMBER.exec(folded)?.slice(1) ?? []) derive(terms, word, stemOf(piece))
  if (version !== undefined) derive(terms, word, version)
}

/** Korean joins particles and endings to a word: one word has many forms with the same beginning. */
const HANGUL = /\p{sc=Hangul}/u
const SEGMENT =
  /(?:\p{sc=Hangul}\p{M}*)+|(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Yi}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Tham}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tibetan}\u30fc]\p{M}*)+|[\s\S]/gu

/** Whether a word is of a script whose words are found by pairs of characters. */
const isPaired = (word: string): boolean => isUnspaced(word) || HANGUL.test(word)

/**
 * Adds each pair of neighbouring characters of a script without spaces, or of a word in Hangul. The text between such runs is a word. A
 * single syllable of Hangul next to other text is a particle, and is left out.
 */
function termsOfPaired(run: string, terms: RankingTerm[]): void {
  let word = ''
  const flush = (): void => {
    if (word !== '') collect(terms, word, stemOf(word))
    word = ''
  }
  for (const [segment] of run.matchAll(SEGMENT)) {
    if (!isPaired(segment)) {
      word += segment
      continue
    }
    flush()
    const isHangul = HANGUL.test(segment)
    const characters = segment.match(/\P{M}\p{M}*/gu) ?? [segment]
    if (characters.length === 1 && !(isHangul && segment !== run)) collect(terms, segment, segment)
    for (let at = 1; at < characters.length; at++) {
      const pair = `${characters[at - 1]}${characters[at]}`
      collect(terms, isHangul ? segment : pair, pair)
    }
  }
  flush()
}

/** A random seed of a hash: callers cannot choose words with equal hashes. */
export const randomSeed = (): number => crypto.getRandomValues(new Int32Array(1))[0] as number

/** Adds a code to the first hash of a word, mixed as in MurmurHash3 (Appleby, 2011). */
export const nextHash = (hash: number, code: number): number => {
  const mixed = Math.imul(hash ^ code, 0x5bd1e995)
  return mixed ^ (mixed >>> 15)
}

/** Adds a code to the second hash of a word. Two words have both hashes in common with a probability of 2^-64. */
export const nextOther = (hash: number, code: number): number => {
  const mixed = Math.imul(hash ^ code, 0x1b873593)
  return mixed ^ (mixed >>> 13)
}
