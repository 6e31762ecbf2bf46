import { tagKey } from '../../memory/entries/rules.ts'
import { foldWord, isAscii, nextHash, nextOther, randomSeed, STOP_WORDS, stemOf, UNSPACED } from './words.ts'

/**
 * A term by which entries are ranked. `word` is the folded word of the text. `derived` terms are parts or other spellings of it. A NAME is
 * a name with its number, or a version; an entry that has only parts of it has another name. A PAIR is two words written as one.
 */
export type RankingTerm = { term: string; word: string; derived: boolean; role: 'NAME' | 'PAIR' | undefined }

/** Names of programming languages that consist of a letter and signs. */
const SIGNED = /^[a-z](?:\+\+|#)$/
/** A number with dots, with or without the v of a version. */
const VERSION = /^v?(\d+(?:\.\d+)+)/
const HAS_DIGIT = /\d/
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

/** Adds a term of a word, unless it is empty or too long. Equal texts are one string, because terms are cached. */
function add(terms: RankingTerm[], word: string, term: string, derived: boolean, role?: RankingTerm['role']): void {
  if (term.length > 0 && term.length <= TERM_MAX) terms.push({ term: term === word ? word : term, word, derived, role })
}

/** Adds the term of a name and the number after it, such as Python 3.12. */
function addTermOfPair(terms: RankingTerm[], name: string, chunk: string): void {
  const number = HAS_DIGIT.test(chunk) ? NUMBER.exec(chunk)?.[1] : undefined
  if (number === undefined || !NAME.test(name) || STOP_WORDS.has(foldWord(name))) return
  const pair = `${partsOf(name).map(foldWord).join('')}${number.replaceAll('.', '')}`
  add(terms, pair, pair, true, 'PAIR')
}

const partsOf = (chunk: string): string[] => chunk.split(/[./\-_+#]+|(?<=^\p{L}{1,2})['’]/u).filter(Boolean)

/** The terms of a chunk: a word, or several words that are joined by connectors. */
function termsOfChunk(chunk: string): RankingTerm[] {
  const terms: RankingTerm[] = []
  if (PLAIN.test(chunk)) {
    addTermsOfPart(terms, chunk, undefined)
    return terms
  }
  const lower = chunk.toLowerCase()
  if (SIGNED.test(lower) || lower === '.net') {
    add(terms, lower, lower, false)
    return terms
  }
  const version = VERSION.exec(lower)?.[1]
  if (version !== undefined) {
    const numbers = version.split('.')
    add(terms, version, version, false, 'NAME')
    // A version of more than TERM_MAX / 2 numbers, each with a dot, is longer than TERM_MAX.
    for (let count = Math.min(numbers.length - 1, TERM_MAX / 2); count > 0; count--) {
      add(terms, version, numbers.slice(0, count).join('.'), true)
    }
    if (version.length >= lower.length - 1) return terms
  }
  const parts = partsOf(chunk)
  const rest = version === undefined ? parts : parts.slice(version.split('.').length)
  const several = rest.length > 1 && rest.length <= PARTS_MAX && version === undefined
  const joined = several ? foldWord(rest.join('').replace(/['’]/gu, '')) : ''
  const isJoined = several && !UNSPACED.test(joined)
  const isName = isJoined && joined.length <= TERM_MAX && NUMBERED.test(joined)
  for (const part of rest) {
    const text = part.replace(/['’]s?$|['’]/gu, '')
    addTermsOfPart(terms, text, isName ? lower : undefined)
  }
  if (!isJoined || /^\d+$/.test(joined)) return terms
  const dotted = isName ? DOTTED.exec(lower)?.[1] : undefined
  if (dotted !== undefined) add(terms, lower, dotted, true)
  add(terms, isName ? lower : joined, stemOf(joined), true, isName ? 'NAME' : 'PAIR')
  return terms
}

/**
 * Adds the terms of a part without connectors: a word, a name in camelCase, or a run of a script without spaces. `name` is the name that
 * contains the part.
 */
function addTermsOfPart(terms: RankingTerm[], part: string, name: string | undefined): void {
  const folded = foldWord(part)
  if (folded === '') return
  if (!isAscii(folded) && isPaired(folded)) {
    addTermsOfPaired(terms, folded)
    return
  }
  if (STOP_WORDS.has(folded)) return
  const word = name ?? folded
  const numbered = HAS_DIGIT.test(folded)
  const version = numbered ? V_NUMBER.exec(folded)?.[1] : undefined
  const isName = numbered && name === undefined && version === undefined && NUMBERED.test(folded)
  add(terms, word, stemOf(folded), false, isName ? 'NAME' : undefined)
  if (CAMEL.test(part)) {
    for (const piece of part.split(CAMEL_EDGE)) {
      const own = foldWord(piece)
      if (own.length > 1 && own.length < folded.length && !STOP_WORDS.has(own)) add(terms, word, stemOf(own), true)
    }
    return
  }
  if (!numbered) return
  for (const piece of WORD_AND_NUMBER.exec(folded)?.slice(1) ?? []) add(terms, word, stemOf(piece), true)
  if (version !== undefined) add(terms, word, version, true)
}

/** Korean joins particles and endings to a word: one word has many forms with the same beginning. */
const HANGUL = /\p{sc=Hangul}/u
const SEGMENT =
  /(?:\p{sc=Hangul}\p{M}*)+|(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Yi}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Tham}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tibetan}\u30fc]\p{M}*)+|[\s\S]/gu

/** Whether a word is of a script whose words are found by pairs of characters. */
const isPaired = (word: string): boolean => UNSPACED.test(word) || HANGUL.test(word)

/**
 * Adds each pair of neighbouring characters of a script without spaces, or of a word in Hangul. The text between such runs is a word. A
 * single syllable of Hangul next to other text is a particle, and is left out.
 */
function addTermsOfPaired(terms: RankingTerm[], run: string): void {
  let word = ''
  const flush = (): void => {
    if (word !== '') add(terms, word, stemOf(word), false)
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
    if (characters.length === 1 && !(isHangul && segment !== run)) add(terms, segment, segment, false)
    for (let at = 1; at < characters.length; at++) {
      const pair = `${characters[at - 1]}${characters[at]}`
      add(terms, isHangul ? segment : pair, pair, false)
    }
  }
  flush()
}

/** Places of two chunks each: a frequent and a rare one of the same place can both be remembered. A power of two. */
const PLACES = 16_384
/** A chunk is remembered as two hashes of 32 bits. */
const PLACE_SIZE = 4

/** The terms of a chunk. Most chunks have one, and a list of one would take as much memory as the term. */
type ChunkTerms = RankingTerm | readonly RankingTerm[]
const NONE: ChunkTerms = []

/** Remembers the terms of recent chunks by the hashes of a chunk, in bounded memory. */
export class RecentTerms {
  readonly seed = randomSeed()
  readonly otherSeed = randomSeed()
  readonly #places: number
  readonly #hashes: Int32Array
  readonly #terms: ChunkTerms[]

  constructor(places: number = PLACES) {
    this.#places = places
    this.#hashes = new Int32Array(places * PLACE_SIZE)
    this.#terms = new Array<ChunkTerms>(places * 2).fill(NONE)
  }

  /** The terms of the chunk with these hashes, if they are remembered. */
  find(hash: number, other: number): ChunkTerms | undefined {
    const place = hash & (this.#places - 1)
    const hashes = this.#hashes
    const at = place * PLACE_SIZE
    if (hashes[at] === hash && hashes[at + 1] === other) return this.#terms[2 * place]
    if (hashes[at + 2] !== hash || hashes[at + 3] !== other) return undefined
    const terms = this.#terms[2 * place + 1] as ChunkTerms
    this.add(hash, other, terms)
    return terms
  }

  /** Stores the terms of a chunk as the first of its place. The previous first becomes the second; the previous second is evicted. */
  add(hash: number, other: number, terms: ChunkTerms): void {
    const place = hash & (this.#places - 1)
    const hashes = this.#hashes
    const at = place * PLACE_SIZE
    hashes[at + 2] = hashes[at] as number
    hashes[at + 3] = hashes[at + 1] as number
    hashes[at] = hash
    hashes[at + 1] = other
    this.#terms[2 * place + 1] = this.#terms[2 * place] as ChunkTerms
    this.#terms[2 * place] = terms
  }
}

/** Raise it when the same text gets other ranking terms, also of one word: search indexes are then rebuilt. */
export const RANKING_VERSION = 3

/**
 * Words that are joined by connectors, with the signs that programming languages put before and after a name; or a name and number such as
 * HTTP/2.
 */
const ASCII_CHUNK =
  /(?<![A-Za-z0-9_])\.net\b|[A-Za-z0-9_]+(?:['.-]+[A-Za-z0-9_]+)*(?:\+\+|#(?![A-Za-z0-9])|(?<=(?<![\w/.-])[a-z]{2,})\/\d+(?:\.\d+)*(?![\w/]))?/gi
const CHUNK =
  /(?<![\p{L}\p{N}_])\.net(?![\p{L}\p{N}_])|[\p{L}\p{N}\p{M}_]+(?:['’.-]+[\p{L}\p{N}\p{M}_]+)*(?:\+\+|#(?![\p{L}\p{N}])|(?<=(?<![\p{L}\p{N}_/.-])\p{L}{2,})\/\d+(?:\.\d+)*(?![\p{L}\p{N}_/]))?/giu

/** The terms of a text that is not ASCII. */
function termsOfOther(text: string): RankingTerm[] {
  const terms: RankingTerm[] = []
  const whole = text.normalize('NFKC')
  let before = ''
  let end = 0
  for (const match of whole.matchAll(CHUNK)) {
    const [chunk] = match
    // V8 makes a longer chunk a slice of the text. A cached slice would keep the whole text in memory.
    const found = chunk.length > COPIED_CHARACTERS ? termsOfChunk(chunk) : termsOf(chunk)
    if ('term' in found) terms.push(found)
    else terms.push(...found)
    if (end === match.index - 1 && whole[end] === ' ') addTermOfPair(terms, before, chunk)
    before = chunk
    end = match.index + chunk.length
  }
  return terms
}

/** The kinds of ASCII characters, as bits: word characters, connectors, and signs after which ASCII_CHUNK finds the end of a chunk. */
const LETTER = 1
const DIGIT = 2
const OF_WORD = LETTER | DIGIT
const CONNECTOR = 4
const SIGN = 8
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/\d/.test(character)) return DIGIT
  if (/\w/.test(character)) return LETTER
  if ("'.-".includes(character)) return CONNECTOR
  return '+#/'.includes(character) ? SIGN : 0
})

const SPACE = 0x20
const DOT = 0x2e
/** The bit that makes a letter lower-case. */
const LOWER = 0x20

/** The bytes of a text, followed by a zero. A loop over bytes takes a third of the time of a loop over a text. */
let bytes = Buffer.alloc(1 << 14)

/**
 * The terms of a text in order, repeated as often as they occur: stems without stop words; names whole and in parts; versions with and
 * without v, and cut at each dot; C++, C#, F# and .NET; pairs of characters in scripts without spaces and in Hangul; a name with the number
 * that follows it. Most chunks of an ASCII text
 * are single cached words, which are found by their hashes. ASCII_CHUNK finds the others.
 */
export function rankingTermsOf(text: string): RankingTerm[] {
  if (!isAscii(text)) return termsOfOther(text)
  const terms: RankingTerm[] = []
  if (bytes.length <= text.length) bytes = Buffer.alloc(2 * text.length)
  const codes: Uint8Array = bytes
  codes[bytes.write(text, 'latin1')] = 0
  const { seed, otherSeed } = recent
  let [from, end] = [0, -1]
  for (let at = 0; at < text.length; at++) {
    const start = at
    let hash = seed
    let other = otherSeed
    let kinds = 0
    for (;;) {
      const code = codes[at] as number
      const kind = KINDS[code] as number
      if ((kind & OF_WORD) === 0) break
      kinds |= kind
      hash = nextHash(hash, code)
      other = nextOther(other, code)
      at++
    }
    const isJoined = mayBeJoined(codes, start, at)
    if (at === start && !isJoined) continue
    const before = from
    const gap = end
    let found: ChunkTerms
    if (isJoined) {
      ASCII_CHUNK.lastIndex = start
      const match = ASCII_CHUNK.exec(text)
      if (match === null) return terms
      from = match.index
      at = from + match[0].length
      kinds |= DIGIT
      found = termsOf(bytes.toString('latin1', from, at))
    } else {
      from = start
      found = recent.find(hash, other) ?? newTerms(bytes.toString('latin1', from, at), hash, other)
    }
    end = at
    if ('term' in found) terms.push(found)
    else terms.push(...found)
    if ((kinds & DIGIT) !== 0 && gap === from - 1 && codes[gap] === SPACE) {
      addTermOfPair(terms, text.slice(before, gap), text.slice(from, end))
    }
    // The character after the chunk may begin another one.
    at -= 1
  }
  return terms
}

/** Whether a chunk may continue after the word from `start` to `end`. Without a word: whether .net begins here, in any case. */
function mayBeJoined(codes: Uint8Array, start: number, end: number): boolean {
  if (start === end) {
    return (
      codes[end] === DOT &&
      ((codes[end + 1] as number) | LOWER) === 0x6e &&
      ((codes[end + 2] as number) | LOWER) === 0x65 &&
      ((codes[end + 3] as number) | LOWER) === 0x74
    )
  }
  let at = end
  let kind = KINDS[codes[at] as number] as number
  if (kind !== CONNECTOR) return kind === SIGN
  while (kind === CONNECTOR) kind = KINDS[codes[++at] as number] as number
  return (kind & OF_WORD) !== 0
}

/** V8 copies the characters of a slice up to this length. */
const COPIED_CHARACTERS = 12
/** Longer chunks are rare and not cached. */
const REMEMBERED_CHARACTERS = 40
const recent = new RecentTerms()

/** The terms of a chunk. By Zipf's law most words are in the cache and allocate nothing. */
function termsOf(chunk: string): ChunkTerms {
  let [hash, other] = [recent.seed, recent.otherSeed]
  for (let at = 0; at < chunk.length; at++) {
    const code = chunk.charCodeAt(at)
    hash = nextHash(hash, code)
    other = nextOther(other, code)
  }
  return recent.find(hash, other) ?? newTerms(chunk, hash, other)
}

/** The terms of a chunk that is not in the cache. */
function newTerms(chunk: string, hash: number, other: number): ChunkTerms {
  const terms = termsOfChunk(chunk)
  // V8 reserves room for 17 elements when it grows an array. The copy has exactly the elements.
  const found = terms.length === 1 ? (terms[0] as RankingTerm) : terms.slice()
  if (chunk.length <= REMEMBERED_CHARACTERS) recent.add(hash, other, found)
  return found
}

/** Raise it when the same text gets other pairs: search indexes are then rebuilt. */
export const PAIRS_VERSION = 1

/** The number of terms of a text that are paired. */
const PAIRED = 5
/** The distinct terms of texts, without derived terms. */
export function distinctTerms(...texts: readonly (readonly RankingTerm[])[]): Set<string> {
  const terms = new Set<string>()
  for (const text of texts) for (const { term, derived } of text) if (!derived) terms.add(term)
  return terms
}

/**
 * The pairs of the five longest terms, each as a word of the index: a hash of 32 bits after a character that no term and no tag begins
 * with. Long words are rare words. Of 59 titles and summaries that were rewritten in
 * other words, 55 have a pair in common with the original. A single term counts as a pair.
 */
export function pairsOf(terms: Iterable<string>): string[] {
  const longest: string[] = []
  // One pass takes a fraction of the time of sorting all terms.
  for (const term of terms) {
    let at = longest.length
    for (; at > 0; at--) {
      const before = longest[at - 1] as string
      if (term.length < before.length || (term.length === before.length && term >= before)) break
    }
    if (at === PAIRED) continue
    longest.splice(at, 0, term)
    if (longest.length > PAIRED) longest.pop()
  }
  longest.sort()
  const pairs: string[] = []
  if (longest.length === 1) pairs.push(`:${(hashOf(longest[0] as string) >>> 0).toString(36)}`)
  for (const [at, one] of longest.entries()) {
    const first = hashOf(' ', hashOf(one))
    for (const other of longest.slice(at + 1)) pairs.push(`:${(hashOf(other, first) >>> 0).toString(36)}`)
  }
  return pairs
}

/** The FNV-1a hash of a text, continued from the hash `before`. */
function hashOf(text: string, before = 0x811c9dc5 | 0): number {
  let hash = before
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}

/** The separator between two fields, and between two tags, in an index: no phrase can cross it, and no text can contain it as a word. */
export const FENCE = '\u0080'

/** Brackets around the code point of a character that is not part of a word: no sign may end the word of a tag. */
const EDGE = '\u0081'

/** One tag as a single word for an index: equal exactly when the tags are. */
export function tagWord(tag: string): string {
  const word = tagKey(tag).replace(/[^\p{L}\p{M}\p{N}]/gu, sign => `${EDGE}${sign.codePointAt(0)?.toString(36)}${EDGE}`)
  return `${FENCE}${word}`
}
