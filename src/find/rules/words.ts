import { createRequire } from 'node:module'
import { stem as stemOfEnglish } from 'porter2'
import type { Stemmer } from 'snowball-stemmers'

/** Full case folding: ß becomes ss, every sigma the same, dotless i an i. */
export function foldCase(text: string): string {
  // Lower case first: the capital ẞ is its own upper case.
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/** From this length on, counting the bytes of a text takes less time than the expression. */
const LONG = 64
const ASCII = /^[\x00-\x7f]*$/

/** Whether a text has only characters up to U+007F. Folding such a text only lowers its case, in a tenth of the time. */
export const isAscii = (text: string): boolean =>
  text.length < LONG ? ASCII.test(text) : Buffer.byteLength(text) === text.length

/**
 * More marks on one letter than any language writes (the Stream-Safe Text Format of UAX 15 allows 30). The time to order them grows with
 * the square of their number.
 */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu

/** Marks in scripts where they only accent a letter that also exists without them. */
const ACCENTS = /(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}])\p{M}+/gu

/** Variation selectors change only the shape of a character. */
const VARIATION = /\p{Variation_Selector}+/gu

/**
 * Runs of non-ASCII characters. A run includes the character before it, which a mark may accent, and up to 32 ASCII characters between two
 * others.
 */
const PAST_ASCII = /[!-~]?[^\x00-\x7f](?:[\x00-\x7f]{0,32}[^\x00-\x7f])*/g

/**
 * The form in which words are compared: NFKC, case folded, without accents in the scripts where marks only accent. Vowel signs of
 * Devanagari or Thai and the voicing marks of kana stay, because without them it is another word.
 */
export const foldWord = (text: string): string =>
  (isAscii(text) ? text : text.replace(PAST_ASCII, foldWhole)).toLowerCase()

function foldWhole(text: string): string {
  const drawn = text.replace(VARIATION, '').replace(TOO_MANY_MARKS, '$1')
  return foldCase(drawn.normalize('NFKC')).normalize('NFKD').replace(ACCENTS, '').normalize('NFKC')
}

/** A run of characters that a word can be a part of. */
const RUN = /[\p{L}\p{M}\p{N}]+/gu

/**
 * Returns a function that spells a folded word as `text` spells it, in lower-case letters: новый for новыи. A word that the text has only
 * as a part of another one stays folded.
 */
export function spelledIn(text: string): (folded: string) => string {
  if (isAscii(text)) return folded => folded
  const spellings = new Map<string, string>()
  for (const [run] of text.normalize('NFC').matchAll(RUN)) {
    const folded = foldWord(run)
    if (!spellings.has(folded)) spellings.set(folded, run.toLowerCase())
  }
  return folded => spellings.get(folded) ?? folded
}

/** Function words, folded: of English, and the most frequent ones of German, French, Spanish and Russian. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again against all also although always am an and another any are aren arent around as at be because been before being
  below between both but by came can cannot cant come comes could couldn couldnt did didn didnt do does doesn doesnt doing don dont
  done during each either else etc ever every few for from further gave get gets getting give given gives goes going gone got had hadn hadnt
  has hasn hasnt have haven havent having he her here hers herself hes hi him himself his how however i id if ill im in instead into is isn isnt it its itself
  ive just know like ll may me might mine more most much must my myself need needs neither no nor not now of off often on once
  one only onto or other others our ours ourselves out over per please quite rather re really s same see seem seems shall she should
  shouldn shouldnt since so some somehow someone something such t take than thanks that thats the their theirs them themselves then there
  theres therefore these they theyre this those though through thus to together too toward towards under until up upon us use used
  uses using ve very via want wants was wasn wasnt way we well were weren werent what whatever whats when whenever where wherever
  whether which while who whole whom whose why will with within without won wont would wouldn wouldnt yet you your youre yours
  yourself yourselves tell show explain anyone anybody everyone thing things
  der das dem den des ein eine einem einen einer und oder ist sind wird werden nicht von zu zum zur auf im am fur bei aus wie wenn
  dass sich ich wir sie es er auch nur noch nach uber kann wo warum welche welcher welches wieso
  le la les un une et ou est sont dans pour par sur avec ne pas que qui ce cette ces comment pourquoi quel quelle quels quelles du au aux en je il elle nous vous
  el los las unos unas y o es del al con por para como que cual cuales cuando donde su sus se lo no
  и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня о из ему теперь когда даже ну
  ли если или ни быть был него до вас уж вам ведь там потом себя ей они тут где есть для мы их чем была сам чтоб без чего кто этот
  того потому этого какой ним здесь этом чтобы нее сейчас были куда зачем при после это эта эти можно почему`.split(
    /\s+/,
  ),
)

const require = createRequire(import.meta.url)
const stemmers = new Map<string, Stemmer>()
/**
 * The package is large, because it has the stemmers of all languages. A thread loads it with its first word in a script other than Latin.
 */
function stemIn(language: 'russian' | 'arabic', word: string): string {
  let stemmer = stemmers.get(language)
  if (stemmer === undefined) {
    stemmer = (require('snowball-stemmers') as typeof import('snowball-stemmers')).newStemmer(language)
    stemmers.set(language, stemmer)
  }
  return stemmer.stem(word)
}

const LATIN = /^[a-z]{3,}$/
const CYRILLIC = /^[\p{sc=Cyrillic}\p{M}]{3,}$/u
const ARABIC = /^[\p{sc=Arabic}\p{M}]{3,}$/u
/** The article, with the conjunctions and prepositions that are written before it. */
const ARABIC_ARTICLE = /^[وف]?(?:[بك]?ال|لل)(?=..)/u

/**
 * The stem of a folded word: Snowball's English for words of a to z (after American spelling), Snowball's Russian for Cyrillic words, its
 * Arabic for Arabic words. Any other word, such as one with a digit, is returned unchanged.
 */
export function stemOf(word: string): string {
  if (LATIN.test(word)) return stemOfEnglish(american(word))
  if (CYRILLIC.test(word)) return stemIn('russian', word)
  return ARABIC.test(word) ? stemOfArabic(word) : word
}

/** Adds the article to every word: the stemmer removes other endings after the article than without it. */
const stemOfArabic = (word: string): string => stemIn('arabic', `ال${word.replace(ARABIC_ARTICLE, '')}`)

/** British endings: a part that the word must have, the ending, and its American spelling. The stemmer removes the suffix after it. */
const ENDINGS: readonly [part: string, ending: RegExp, other: string][] = [
  ['is', /^(.{2,}[^aeiou])is(e|es|ed|er|ers|ing|ation|ations|able)$/, '$1iz$2'],
  ['ys', /^(.*anal|.*paral|.*catal|.*hydrol)ys(e|es|ed|er|ers|ing)$/, '$1yz$2'],
  [
    'our',
    /^(col|hon|hum|fav|flav|lab|neighb|harb|behavi|endeav|rum|vap|arm|sav|od|rig|vig|val|tum|parl|cand|clam|ferv|glam|savi)our(.*)$/,
    '$1or$2',
  ],
  [
    're',
    /^(cent|fib|lit|met|kilomet|millimet|centimet|theat|spect|calib|lust|mit|somb|specte|meag)re(s|d)?$/,
    '$1er$2',
  ],
  ['ogue', /^(dial|anal|catal|mon|pro|epil|travel)ogue(s|d)?$/, '$1og$2'],
  ['enc', /^(defen|offen|licen|preten)c(e|es|ed|ing)$/, '$1s$2'],
  [
    'll',
    /^(.*(?:travel|cancel|label|model|signal|channel|level|fuel|counsel|marshal|tunnel|total|equal|jewel|panel|quarrel|rival))l(ed|ing|er|ers)$/,
    '$1$2',
  ],
]
/** Matches in every word with one of these endings. */
const BRITISH = /[iy]s|our|re|ogue|enc|ll/
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    grey: 'gray',
    programme: 'program',
    programmes: 'programs',
    cheque: 'check',
    cheques: 'checks',
    aeroplane: 'airplane',
    aeroplanes: 'airplanes',
    aluminium: 'aluminum',
    tyre: 'tire',
    tyres: 'tires',
    artefact: 'artifact',
    artefacts: 'artifacts',
    fulfil: 'fulfill',
    enrol: 'enroll',
    sceptical: 'skeptical',
    mould: 'mold',
    plough: 'plow',
  }),
)

/** A folded word in American spelling. */
function american(word: string): string {
  const known = WORDS.get(word)
  if (known !== undefined) return known
  if (!BRITISH.test(word)) return word
  for (const [part, ending, other] of ENDINGS) {
    if (word.includes(part) && ending.test(word)) return word.replace(ending, other)
  }
  return word
}

/** Raise it when the same text gets other terms: search indexes are then rebuilt. */
export const TERMS_VERSION = 2

const QUERY_TERMS_MAX = 8
const QUERY_WORDS_MAX = 32
const PREFIX_CHARACTERS = 3

/** Scripts that are written without spaces; each of their characters is a word of its own. */
export const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Yi}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Tham}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tibetan}\u30fc]/u
/** A run of letters, marks and digits. Only in scripts without spaces, where any part is found, it may begin with a mark. */
const WORD = new RegExp(`(?:[\\p{L}\\p{N}]|(?=\\p{M})${UNSPACED.source})[\\p{L}\\p{M}\\p{N}]*`, 'gu')
/** A character of a script without spaces with its combining marks, or the text between two such characters. */
const UNSPACED_OR_REST = new RegExp(
  `(${UNSPACED.source}(?:(?!${UNSPACED.source})\\p{M})*)|(?:(?!${UNSPACED.source})[^])+`,
  'gu',
)

/** The words of a text in order, folded. Characters of scripts without spaces are one word each: a run of them is found as a phrase. */
export const wordsOf = (text: string): string[] => wordsIn(foldWord(text))

function wordsIn(folded: string): string[] {
  if (isAscii(folded)) return folded.match(/[a-z0-9]+/g) ?? []
  const words: string[] = []
  for (const [word] of folded.matchAll(WORD)) {
    if (UNSPACED.test(word)) for (const [part] of word.matchAll(UNSPACED_OR_REST)) words.push(part)
    else words.push(word)
  }
  return words
}

/** At most this many occurrences of a word in one field are indexed: a repetitive text must not make phrase searches slow. */
const OCCURRENCES_MAX = 1_000

/** Removes the occurrences of a word past OCCURRENCES_MAX. */
function thinned(words: string[]): string[] {
  if (words.length <= OCCURRENCES_MAX) return words
  const counts = new Map<string, number>()
  return words.filter(word => {
    const count = (counts.get(word) ?? 0) + 1
    counts.set(word, count)
    return count <= OCCURRENCES_MAX
  })
}

/** A field for an index that splits text at every ASCII character other than letters and digits: ASCII text is only folded. */
export function indexedText(field: string): string {
  const folded = foldWord(field)
  if (!isAscii(folded)) return thinned(wordsIn(folded)).join(' ')
  // A word and the space after it have at least two characters.
  const mayRepeat = folded.length >= 2 * OCCURRENCES_MAX && countWords(folded) > OCCURRENCES_MAX
  return mayRepeat ? thinned(wordsIn(folded)).join(' ') : folded
}

function countWords(ascii: string): number {
  let words = 0
  let within = false
  for (let at = 0; at < ascii.length; at++) {
    const code = ascii.charCodeAt(at)
    const part = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
    if (part && !within) words++
    within = part
  }
  return words
}

/** A term of a query: its words must occur next to each other within one field; with `prefix` the last word is a prefix. */
export type Term = { words: string[]; prefix: boolean }

/**
 * The terms of a query, all of which must match. A quoted part is one term, and so is a run of a script without spaces. Of a long query,
 * the first 8 distinct terms count, and of those the first 32 words. An empty list is no filter.
 */
export const termsOf = (query: string): Term[] => readTerms(query).terms

/** Whether a query has more terms or words than the limits: an entry with all counted terms may lack others. */
export const isCut = (query: string): boolean => readTerms(query).cut

function readTerms(query: string): { terms: Term[]; cut: boolean } {
  const terms: Term[] = []
  let cut = false
  const seen = new Set<string>()
  let room = QUERY_WORDS_MAX
  const add = (words: string[], prefix: boolean): void => {
    const kept = words.slice(0, room)
    const key = kept.join(' ') + (prefix ? '*' : '')
    if (words.length > kept.length) cut = true
    if (kept.length === 0 || seen.has(key)) return
    if (terms.length === QUERY_TERMS_MAX) {
      cut = true
      return
    }
    seen.add(key)
    room -= kept.length
    terms.push({ words: kept, prefix: prefix && kept.length === words.length })
  }
  const parts = query.split(/["\u201c\u201d\u201e\u00ab\u00bb]/)
  parts.forEach((part, index) => {
    const closed = index < parts.length - 1
    if (index % 2 === 1 && closed) add(wordsOf(part), false)
    else addLoose(part, index === parts.length - 1, add)
  })
  return { terms, cut }
}

/** Adds the words outside quotes. Each is a term; a run of a script without spaces is one term of several words. */
function addLoose(part: string, last: boolean, add: (words: string[], prefix: boolean) => void): void {
  const runs: string[][] = []
  for (const [word] of foldWord(part).matchAll(WORD)) {
    let run: string[] | undefined
    for (const [piece] of word.matchAll(UNSPACED_OR_REST)) {
      if (!UNSPACED.test(piece)) {
        run = undefined
        runs.push([piece])
      } else if (run === undefined) {
        run = [piece]
        runs.push(run)
      } else run.push(piece)
    }
  }
  runs.forEach((run, index) => {
    const word = run[0] ?? ''
    const prefix = last && index === runs.length - 1 && !UNSPACED.test(word)
    add(run, prefix && [...word].length >= PREFIX_CHARACTERS)
  })
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

/** Places of two words each: a frequent and a rare word of one place can both be stored. A power of two; the memory is 2 MB. */
const PLACES = 131_072
/** A word is remembered as two hashes of 32 bits. */
const PLACE_SIZE = 4

/** Whether each byte is part of a word: lower-case ASCII letters, digits, and every byte that is not ASCII. */
const OF_WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[a-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

/**
 * A filter for words that were not seen recently, in bounded memory. An evicted word counts as new. Two words collide with a probability of
 * 2^-64. Callers cannot choose such words, because the hashes have random seeds.
 */
export class RecentWords {
  readonly #places: number
  readonly #recent: Int32Array
  readonly #seed = randomSeed()
  readonly #otherSeed = randomSeed()
  /** The text whose words are noted. */
  #bytes = Buffer.alloc(0)
  #fresh = new Set<string>()

  /** `places` is a power of two. */
  constructor(places: number = PLACES) {
    this.#places = places
    this.#recent = new Int32Array(places * PLACE_SIZE)
  }

  /** Notes the words of a folded text. A word is a run without ASCII characters other than small letters and digits. */
  note(text: string): void {
    // A UTF-16 unit is at most 3 bytes of UTF-8. One more byte ends the last word.
    if (this.#bytes.length <= text.length * 3) this.#bytes = Buffer.alloc(text.length * 3 + 1)
    const bytes: Uint8Array = this.#bytes
    const recent = this.#recent
    const seed = this.#seed
    const otherSeed = this.#otherSeed
    const end = this.#bytes.write(text)
    bytes[end] = 0
    for (let at = 0; at < end; at++) {
      const from = at
      let hash = seed
      let other = otherSeed
      for (;;) {
        const byte = bytes[at] as number
        if (OF_WORD[byte] === 0) break
        hash = nextHash(hash, byte)
        other = nextOther(other, byte)
        at++
      }
      if (at === from) continue
      // The word becomes the first of its place, and the other one the second. A third one is evicted.
      const place = (hash & (this.#places - 1)) * PLACE_SIZE
      if (recent[place] === hash && recent[place + 1] === other) continue
      const isKnown = recent[place + 2] === hash && recent[place + 3] === other
      if (!isKnown) this.#fresh.add(this.#bytes.toString('utf8', from, at))
      recent[place + 2] = recent[place] as number
      recent[place + 3] = recent[place + 1] as number
      recent[place] = hash
      recent[place + 1] = other
    }
  }

  /** Returns the new words since the last call, sorted. */
  take(): string[] {
    const taken = [...this.#fresh].sort()
    this.#fresh = new Set()
    return taken
  }
}
