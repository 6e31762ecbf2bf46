import { type RankingTerm, termOfPair, termsOfChunk, termsOfPlain } from './chunk-terms.ts'
import { isAscii } from './fold.ts'

/** Raise it when the same text gets other ranking terms, also of one word: search indexes are then rebuilt. */
export const RANKING_VERSION = 2

/**
 * Words that are joined by connectors, with the signs that programming languages put before and after a name; a name and number such as
 * HTTP/2.
 */
const ASCII_CHUNK =
  /(?<![A-Za-z0-9_])\.net\b|[A-Za-z0-9_]+(?:['.-]+[A-Za-z0-9_]+)*(?:\+\+|#(?![A-Za-z0-9])|(?<=(?<![\w/.-])[a-z]{2,})\/\d+(?:\.\d+)*(?![\w/]))?/gi
const CHUNK =
  /(?<![\p{L}\p{N}_])\.net(?![\p{L}\p{N}_])|[\p{L}\p{N}\p{M}_]+(?:['’.-]+[\p{L}\p{N}\p{M}_]+)*(?:\+\+|#(?![\p{L}\p{N}])|(?<=(?<![\p{L}\p{N}_/.-])\p{L}{2,})\/\d+(?:\.\d+)*(?![\p{L}\p{N}_/]))?/giu

/**
 * The terms of a text in order, repeated as often as they occur: stems without stop words, names whole and in parts, versions with and
 * without v and cut at each dot, C++, C#, F# and .NET, pairs of characters for scripts without spaces, a name with the number that follows it.
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
    for (const term of termsOf(chunk)) terms.push(term)
    if (end === match.index - 1 && whole[end] === ' ') termOfPair(before, chunk, terms)
    before = chunk
    end = match.index + chunk.length
  }
  return terms
}

/** The characters of ASCII: those of words, connectors, and signs after which ASCII_CHUNK says where a chunk ends. */
const [OTHER, OF_WORD, CONNECTOR, SIGN] = [0, 1, 2, 3]
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/\w/.test(character)) return OF_WORD
  if ("'.-".includes(character)) return CONNECTOR
  return '+#/'.includes(character) ? SIGN : OTHER
})
const kindAt = (text: string, at: number): number => (at < text.length ? (KINDS[text.charCodeAt(at)] as number) : OTHER)

const DOT = 0x2e
const NINE = 0x39
const SMALL_A = 0x61

/** The same for ASCII. Most chunks are a word alone and in the cache: they are compared in place. The expression finds the others. */
function addTermsOfAscii(text: string, terms: RankingTerm[]): void {
  let from = 0
  let end = -1
  for (let at = 0; at < text.length; ) {
    if (kindAt(text, at) !== OF_WORD && !(text.charCodeAt(at) === DOT && /^net/i.test(text.slice(at + 1, at + 4)))) {
      at += 1
      continue
    }
    const [before, gap] = [from, end]
    let hash = 0
    let [plain, numbered] = [true, false]
    for (from = at; kindAt(text, at) === OF_WORD; at++) {
      const code = text.charCodeAt(at)
      hash = Math.imul(hash ^ code, 0x5bd1e995)
      plain &&= code >= SMALL_A
      numbered ||= code <= NINE
    }
    end = at
    let found: readonly RankingTerm[] | undefined
    if (at === from || isContinued(text, at)) {
      ASCII_CHUNK.lastIndex = from
      const match = ASCII_CHUNK.exec(text)
      if (match === null) return
      from = match.index
      at = end = from + match[0].length
      numbered = true
      found = termsOf(match[0])
    } else found = termsAt(text, from, end, placeOfHash(hash), plain)
    for (let one = 0; one < found.length; one++) terms.push(found[one] as RankingTerm)
    if (numbered && gap === from - 1 && text[gap] === ' ') {
      termOfPair(text.slice(before, gap), text.slice(from, end), terms)
    }
  }
}

/** Whether a chunk may go on after the word that ends here. */
function isContinued(text: string, end: number): boolean {
  const kind = kindAt(text, end)
  if (kind !== CONNECTOR) return kind === SIGN
  let at = end + 1
  while (kindAt(text, at) === CONNECTOR) at++
  return kindAt(text, at) === OF_WORD
}

/** The terms of the word between two places of a text; `place` is its place in the cache, `plain` whether it is in small letters alone. */
function termsAt(text: string, from: number, end: number, place: number, plain: boolean): readonly RankingTerm[] {
  const cached = chunksOfPlaces[place] as string
  if (cached.length === end - from) {
    let at = 0
    while (at < cached.length && cached.charCodeAt(at) === text.charCodeAt(from + at)) at++
    if (at === cached.length) return termsOfPlaces[place] as readonly RankingTerm[]
  }
  const word = text.slice(from, end)
  const terms = plain ? termsOfPlain(word) : termsOfChunk(word)
  if (word.length <= CACHED_CHARACTERS) {
    chunksOfPlaces[place] = word
    termsOfPlaces[place] = terms
  }
  return terms
}

/** Places of the cache, one chunk each; a power of two. A hash of the characters gives the place. */
const PLACES = 16_384
/** Of a longer chunk V8 keeps a reference to its text: it is not cached. */
const CACHED_CHARACTERS = 12

const chunksOfPlaces: string[] = Array.from({ length: PLACES }, () => '')
const termsOfPlaces: (readonly RankingTerm[])[] = Array.from({ length: PLACES }, () => [])

/** The terms of a chunk. Words follow Zipf's law: most chunks are in the cache, and cause no garbage. */
function termsOf(chunk: string): readonly RankingTerm[] {
  if (chunk.length > CACHED_CHARACTERS) return termsOfChunk(chunk)
  const place = placeOf(chunk)
  if (chunksOfPlaces[place] !== chunk) {
    termsOfPlaces[place] = termsOfChunk(chunk)
    chunksOfPlaces[place] = chunk
  }
  return termsOfPlaces[place] as readonly RankingTerm[]
}

function placeOf(chunk: string): number {
  let hash = 0
  for (let at = 0; at < chunk.length; at++) hash = Math.imul(hash ^ chunk.charCodeAt(at), 0x5bd1e995)
  return placeOfHash(hash)
}

const placeOfHash = (hash: number): number => (hash ^ (hash >>> 15)) & (PLACES - 1)
