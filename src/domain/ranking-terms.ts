import { foldWord, isAscii } from './fold.ts'
import { isStopWord, stemOf } from './stem.ts'
import { isUnspaced } from './terms.ts'

/** Changes whenever the same text would give other ranking terms, so that a search index knows that it is stale. */
export const RANKING_VERSION = 1

/** A term that an entry is ranked by. `word` is what the text has, folded; `derived` terms are parts or other spellings of it. */
export type RankingTerm = { term: string; word: string; derived: boolean }

/** Words that are joined by connectors, with what languages of programmers put before and after a name. */
const ASCII_CHUNK = /(?<![A-Za-z0-9_])\.net\b|[A-Za-z0-9_]+(?:['.-]+[A-Za-z0-9_]+)*(?:\+\+|#(?![A-Za-z0-9]))?/gi
const CHUNK =
  /(?<![\p{L}\p{N}_])\.net(?![\p{L}\p{N}_])|[\p{L}\p{N}\p{M}_]+(?:['’.-]+[\p{L}\p{N}\p{M}_]+)*(?:\+\+|#(?![\p{L}\p{N}]))?/giu

/** Names of languages that are a letter and signs. */
const SIGNED = /^[a-z](?:\+\+|#)$/
/** A number with dots, with or without the v of a version. */
const VERSION = /^v?(\d+(?:\.\d+)+)/
const CAMEL = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}/
const CAMEL_EDGE = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/
const WORD_AND_NUMBER = /^([a-z]{3,})(\d+)$/
const V_NUMBER = /^v(\d+)$/
/** So many parts of a name, and characters of them together, make a term of their own at most. */
const PARTS_MAX = 6
const TERM_MAX = 64

/**
 * The terms of a text in order, repeated as often as they occur: stems without stop words, names whole and in parts, versions with and
 * without v and cut at each dot, C++, C#, F# and .NET, pairs of characters for scripts without spaces. `all` gives stop words too.
 */
export function rankingTermsOf(text: string, all = false): RankingTerm[] {
  const terms: RankingTerm[] = []
  const plain = isAscii(text)
  const collect = (word: string, term: string, derived: boolean): void => {
    if (term.length > 0 && term.length <= TERM_MAX) terms.push({ term, word, derived })
  }
  for (const [chunk] of (plain ? text : text.normalize('NFKC')).matchAll(plain ? ASCII_CHUNK : CHUNK)) {
    termsOfChunk(chunk, all, collect)
  }
  return terms
}

type Collect = (word: string, term: string, derived: boolean) => void

function termsOfChunk(chunk: string, all: boolean, collect: Collect): void {
  const lower = chunk.toLowerCase()
  if (SIGNED.test(lower) || lower === '.net') {
    collect(lower, lower, false)
    return
  }
  const version = VERSION.exec(lower)?.[1]
  if (version !== undefined) {
    const numbers = version.split('.')
    for (let count = numbers.length; count > 0; count--) {
      const term = numbers.slice(0, count).join('.')
      collect(version, term, count < numbers.length)
    }
    if (version.length >= lower.length - 1) return
  }
  const parts = chunk.split(/[.\-_+#]+|(?<=^\p{L}{1,2})['’]/u).filter(part => part !== '')
  const rest = version === undefined ? parts : parts.slice(version.split('.').length)
  for (const part of rest) termsOfPart(part.replace(/['’]s?$|['’]/gu, ''), all, collect)
  if (rest.length < 2 || rest.length > PARTS_MAX || version !== undefined) return
  const joined = foldWord(rest.join('').replace(/['’]/gu, ''))
  if (!isUnspaced(joined) && !/^\d+$/.test(joined)) collect(joined, stemOf(joined), true)
}

/** A part that holds no connector: a word, a name in camelCase, a run of a script without spaces. */
function termsOfPart(part: string, all: boolean, collect: Collect): void {
  const word = foldWord(part)
  if (word === '') return
  if (!isAscii(word) && isUnspaced(word)) {
    termsOfUnspaced(word, collect)
    return
  }
  if (!all && isStopWord(word)) return
  collect(word, stemOf(word), false)
  if (CAMEL.test(part)) {
    for (const piece of part.split(CAMEL_EDGE)) {
      const folded = foldWord(piece)
      if (folded.length > 1 && folded.length < word.length && !isStopWord(folded)) collect(word, stemOf(folded), true)
    }
    return
  }
  const numbered = WORD_AND_NUMBER.exec(word)
  if (numbered !== null) for (const piece of numbered.slice(1)) collect(word, stemOf(piece), true)
  const version = V_NUMBER.exec(word)?.[1]
  if (version !== undefined) collect(word, version, true)
}

const SEGMENT =
  /(?:[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Yi}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Tham}\p{sc=Tai_Le}\p{sc=New_Tai_Lue}\p{sc=Tibetan}\u30fc]\p{M}*)+|[\s\S]/gu

/** Each two neighbouring characters of a script without spaces; what lies between such runs is a word. */
function termsOfUnspaced(run: string, collect: Collect): void {
  let word = ''
  const flush = (): void => {
    if (word !== '') collect(word, stemOf(word), false)
    word = ''
  }
  for (const [segment] of run.matchAll(SEGMENT)) {
    if (!isUnspaced(segment)) {
      word += segment
      continue
    }
    flush()
    const characters = segment.match(/\P{M}\p{M}*/gu) ?? [segment]
    if (characters.length === 1) collect(segment, segment, false)
    for (let at = 1; at < characters.length; at++) {
      const pair = `${characters[at - 1]}${characters[at]}`
      collect(pair, pair, false)
    }
  }
  flush()
}
