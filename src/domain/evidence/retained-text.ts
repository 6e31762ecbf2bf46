import { EVERY_HIDDEN } from '../invisible-characters.js'
import { LruCache } from '../lru-cache.ts'
import { shortDigest } from '../short-digest.ts'
import { isAscii } from '../terms/fold.ts'
import { withLatinLetters } from '../terms/lookalikes.ts'
import { wordsOf } from '../terms/terms.ts'
import { shownText } from './shown-text.ts'

/** Raise it when the share of the same two texts changes: stores then compute all standings again. */
export const RETAINED_VERSION = 6

/** From this share on, evidence about a text counts for the text that replaced it. */
export const RETAINED_FROM = 0.9

/** The maximum distance, in words, at which one word still follows another: at most three words are between them. */
const REACH = 4
/** Exceeds the number of distinct words of any text: the base in which a pair of words is one number. */
const WORDS_MAX = 32_768
const PRECISION = 1_000

export type Text = { title: string; summary: string; content: string }
/**
 * A text in the form that is compared. `words` are its shown words and operators in order, without case, accents, punctuation, invisible
 * characters and layout. `apart` are the words if narrow spaces divide words; only a text with such spaces has it. `digest` is a digest of
 * `words`.
 */
export type Wording = { words: readonly string[]; apart?: readonly string[]; digest: string }

/**
 * The maximum total length of the cached texts, in UTF-16 units. Each new revision of an entry needs the wordings of its judged texts
 * again.
 */
const REMEMBERED_CHARACTERS = 1_500_000
const remembered = new LruCache<string, Wording>(REMEMBERED_CHARACTERS)

export function wordingOf({ title, summary, content }: Text): Wording {
  const key = JSON.stringify([title, summary, content])
  const known = remembered.get(key)
  if (known !== undefined) return known
  const wording = worded(`${title}\n${summary}\n${shownText(content)}`)
  remembered.set(key, wording, key.length)
  return wording
}

/** The wording of title and summary alone: lists show nothing else of a text. */
export const headingOf = ({ title, summary }: Text): Wording => wordingOf({ title, summary, content: '' })

/** Narrow spaces: hardly visible inside a word, hardly missed between two words. */
const NARROW = /[\u2006\u2008-\u200a\u202f\u205f]+/g

/** Tatweel: it stretches an Arabic word and does not make it another word. */
const TATWEEL = /\u0640+/g

function worded(text: string): Wording {
  const seen = text.replace(EVERY_HIDDEN, '').replace(TATWEEL, '')
  const joined = seen.replace(NARROW, '')
  const words = wordsAndOperators(joined)
  const digest = shortDigest(words.join(' '))
  return joined === seen ? { words, digest } : { words, apart: wordsAndOperators(seen), digest }
}

/**
 * Runs of signs that may be operators. SIGNS is for ASCII text. SYMBOLS adds the symbols of Unicode, such as arrows, currencies and emoji.
 */
const SIGNS = /(?:[<>=&|^%+~*/!$@\\#-]|\.(?=\.?\/))+/g
const SYMBOLS = /(?:[<>=&|^%+~*/!$@\\#\u2212\p{Sm}\p{Sc}\p{So}-]|\.(?=\.?\/))+/gu
const OPERATOR = /[<>=&|^%+~$\u2212\p{Sm}\p{Sc}\p{So}]/u
/** Signs that are operators or begin a comment only if blank space surrounds them. */
const APART = /^(?:[*/#]|\/\/)$/
const OF_WORD = /[\p{L}\p{M}\p{N}]/u

/**
 * The words and operators of a text. Operators are symbols, signs before a number, an option, a path or a condition, and signs of comments.
 */
function wordsAndOperators(text: string): string[] {
  const found = wordsOf(
    text.replace(isAscii(text) ? SIGNS : SYMBOLS, (signs, at: number) =>
      isOperator(text, signs, at) ? ` ${[...signs].map(sign => `sign${sign.codePointAt(0)}`).join('')} ` : signs,
    ),
  )
  // A text without words counts as one word.
  if (found.length === 0) return [text]
  const plain = found.join(' ')
  return isAscii(plain) ? found : withLatinLetters(plain).split(' ')
}

function isOperator(text: string, signs: string, at: number): boolean {
  if (OPERATOR.test(signs)) return true
  const [before = ' ', after = ' '] = [text[at - 1], text[at + signs.length]]
  // A sign before a number or an option, the root or current directory of a path, or a negation.
  if (/[-/!]/.test(signs) && /[\p{L}\p{M}\p{N}(]/u.test(after) && !OF_WORD.test(before)) return true
  return APART.test(signs) && /\s/.test(before) && /[ \t]/.test(after)
}

const increment = (counts: Map<number, number>, key: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/**
 * Returns a function that measures the share of a text's words that `current` retains, from 0 to 1, rounded down to three decimals. A word
 * is retained if it still follows or precedes its neighbour with at most three words between them. A pair of neighbours that occurs twice
 * must occur twice in `current`. Moved paragraphs and added text do not lower the share; the same words in random order have a low share.
 * Takes time proportional to both texts.
 */
export function measurerOf(current: Wording): (judged: Wording) => number {
  const [joined, apart] = [measurerOfWords(current.words), current.apart && measurerOfWords(current.apart)]
  return judged => {
    if (judged.digest === current.digest) return 1
    const shares = [judged.words, judged.apart ?? judged.words].flatMap(words => [joined(words), apart?.(words) ?? 0])
    return Math.max(...shares)
  }
}

function measurerOfWords(current: readonly string[]): (judged: readonly string[]) => number {
  const numbers = new Map<string, number>()
  const codes = current.map(word => {
    const known = numbers.get(word) ?? numbers.size
    numbers.set(word, known)
    return known
  })
  const pairs = new Map<number, number>()
  codes.forEach((code, at) => {
    for (const next of codes.slice(at + 1, at + 1 + REACH)) increment(pairs, code * WORDS_MAX + next)
  })
  return judged => {
    const places = judged.map(word => numbers.get(word))
    const taken = new Map<number, number>()
    const follows = (at: number): boolean => {
      const [one, next] = [places[at], places[at + 1]]
      if (one === undefined || next === undefined) return false
      const pair = one * WORDS_MAX + next
      if ((taken.get(pair) ?? 0) >= (pairs.get(pair) ?? 0)) return false
      increment(taken, pair)
      return true
    }
    if (places.length === 1) return places[0] === undefined ? 0 : 1
    let retained = 0
    let before = false
    for (let at = 0; at < places.length; at++) {
      const after = follows(at)
      if (before || after) retained++
      before = after
    }
    return Math.floor((retained / places.length) * PRECISION) / PRECISION
  }
}
