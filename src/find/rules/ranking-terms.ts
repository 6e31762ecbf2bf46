import {
  nextHash,
  nextOther,
  type RankingTerm,
  randomSeed,
  termOfPair,
  termsOfChunk,
  termsOfPlain,
} from './chunk-terms.ts'
import { isAscii } from './fold.ts'

/** Places of two chunks each: a frequent and a rare one of the same place can both be remembered. A power of two. */
const PLACES = 16_384
/** A chunk is remembered as two hashes of 32 bits. */
const PLACE_SIZE = 4

const NONE: readonly RankingTerm[] = []

/** Remembers the terms of recent chunks by the hashes of a chunk, in bounded memory. */
export class RecentTerms {
  readonly seed = randomSeed()
  readonly otherSeed = randomSeed()
  readonly #places: number
  readonly #hashes: Int32Array
  readonly #terms: (readonly RankingTerm[])[]

  constructor(places: number = PLACES) {
    this.#places = places
    this.#hashes = new Int32Array(places * PLACE_SIZE)
    this.#terms = new Array<readonly RankingTerm[]>(places * 2).fill(NONE)
  }

  /** The terms of the chunk with these hashes, if they are remembered. */
  find(hash: number, other: number): readonly RankingTerm[] | undefined {
    const place = hash & (this.#places - 1)
    const hashes = this.#hashes
    const at = place * PLACE_SIZE
    if (hashes[at] === hash && hashes[at + 1] === other) return this.#terms[2 * place]
    if (hashes[at + 2] !== hash || hashes[at + 3] !== other) return undefined
    const terms = this.#terms[2 * place + 1] as readonly RankingTerm[]
    this.add(hash, other, terms)
    return terms
  }

  /** Stores the terms of a chunk as the first of its place. The previous first becomes the second; the previous second is evicted. */
  add(hash: number, other: number, terms: readonly RankingTerm[]): void {
    const place = hash & (this.#places - 1)
    const hashes = this.#hashes
    const at = place * PLACE_SIZE
    hashes[at + 2] = hashes[at] as number
    hashes[at + 3] = hashes[at + 1] as number
    hashes[at] = hash
    hashes[at + 1] = other
    this.#terms[2 * place + 1] = this.#terms[2 * place] as readonly RankingTerm[]
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

/**
 * The terms of a text in order, repeated as often as they occur: stems without stop words; names whole and in parts; versions with and
 * without v, and cut at each dot; C++, C#, F# and .NET; pairs of characters in scripts without spaces and in Hangul; a name with the number
 * that follows it.
 */
export function rankingTermsOf(text: string): RankingTerm[] {
  const terms: RankingTerm[] = []
  if (isAscii(text)) {
    addTermsOfAscii(text, terms)
    return terms
  }
  const whole = text.normalize('NFKC')
  let before = ''
  let end = 0
  for (const match of whole.matchAll(CHUNK)) {
    const [chunk] = match
    // V8 makes a longer chunk a slice of the text. A cached slice would keep the whole text in memory.
    for (const term of chunk.length > COPIED_CHARACTERS ? termsOfChunk(chunk) : termsOf(chunk)) terms.push(term)
    if (end === match.index - 1 && whole[end] === ' ') termOfPair(before, chunk, terms)
    before = chunk
    end = match.index + chunk.length
  }
  return terms
}

/** The kinds of ASCII characters, as bits: word characters, connectors, and signs after which ASCII_CHUNK finds the end of a chunk. */
const SMALL = 1
const DIGIT = 2
const OF_WORD = 7
const CONNECTOR = 8
const SIGN = 16
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return SMALL
  if (/\d/.test(character)) return DIGIT
  if (/\w/.test(character)) return OF_WORD & ~SMALL & ~DIGIT
  if ("'.-".includes(character)) return CONNECTOR
  return '+#/'.includes(character) ? SIGN : 0
})

const SPACE = 0x20
const DOT = 0x2e

/** The bytes of a text, followed by a zero. A loop over bytes takes a third of the time of a loop over a text. */
let bytes = Buffer.alloc(1 << 14)

/** Adds the terms of an ASCII text. Most chunks are single cached words, which are found by their hashes. ASCII_CHUNK finds the others. */
function addTermsOfAscii(text: string, terms: RankingTerm[]): void {
  if (bytes.length <= text.length) bytes = Buffer.alloc(2 * text.length)
  const codes: Uint8Array = bytes
  codes[bytes.write(text, 'latin1')] = 0
  const { seed, otherSeed } = recent
  let from = 0
  let end = -1
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
    if (at === start && !isNet(codes, at)) continue
    const before = from
    const gap = end
    let found: readonly RankingTerm[]
    if (at === start || isContinued(codes, at)) {
      ASCII_CHUNK.lastIndex = start
      const match = ASCII_CHUNK.exec(text)
      if (match === null) return
      from = match.index
      at = from + match[0].length
      kinds |= DIGIT
      found = termsOf(bytes.toString('latin1', from, at))
    } else {
      from = start
      found = recent.find(hash, other) ?? newTerms(bytes.toString('latin1', from, at), kinds, hash, other)
    }
    end = at
    for (let one = 0; one < found.length; one++) terms.push(found[one] as RankingTerm)
    if ((kinds & DIGIT) !== 0 && gap === from - 1 && codes[gap] === SPACE) {
      termOfPair(text.slice(before, gap), text.slice(from, end), terms)
    }
    // The character after the chunk may begin another one.
    at -= 1
  }
}

/** Whether .net begins here, in any case. */
const isNet = (codes: Uint8Array, at: number): boolean =>
  codes[at] === DOT &&
  ['n', 'e', 't'].every((letter, of) => ((codes[at + 1 + of] as number) | 0x20) === letter.charCodeAt(0))

/** Whether a chunk may continue after the word that ends here. */
function isContinued(codes: Uint8Array, end: number): boolean {
  const kind = kindAt(codes, end)
  if (kind !== CONNECTOR) return kind === SIGN
  let at = end + 1
  while (kindAt(codes, at) === CONNECTOR) at++
  return (kindAt(codes, at) & OF_WORD) !== 0
}

const kindAt = (codes: Uint8Array, at: number): number => KINDS[codes[at] as number] as number

/** V8 copies the characters of a slice up to this length. */
const COPIED_CHARACTERS = 12
/** Longer chunks are rare and not cached. */
const REMEMBERED_CHARACTERS = 40
const recent = new RecentTerms()

/** The terms of a chunk. By Zipf's law most words are in the cache and allocate nothing. */
function termsOf(chunk: string): readonly RankingTerm[] {
  let [hash, other] = [recent.seed, recent.otherSeed]
  for (let at = 0; at < chunk.length; at++) {
    const code = chunk.charCodeAt(at)
    hash = nextHash(hash, code)
    other = nextOther(other, code)
  }
  return recent.find(hash, other) ?? newTerms(chunk, SMALL | DIGIT, hash, other)
}

/** The terms of a chunk that is not in the cache. `kinds` are the kinds of its characters. */
function newTerms(chunk: string, kinds: number, hash: number, other: number): readonly RankingTerm[] {
  const terms = kinds === SMALL ? termsOfPlain(chunk) : termsOfChunk(chunk)
  if (chunk.length <= REMEMBERED_CHARACTERS) recent.add(hash, other, terms)
  return terms
}
