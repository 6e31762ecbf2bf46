import { EVERY_HIDDEN } from '../invisible-characters.js'
import { LruCache } from '../lru-cache.ts'
import { shortDigest } from '../short-digest.ts'
import { isAscii } from '../terms/fold.ts'
import { withLatinLetters } from '../terms/lookalikes.ts'
import { wordsOf } from '../terms/terms.ts'
import { shownText } from './shown-text.ts'

/** The minimum retained share at which evidence about a text also counts for the current text. */
export const RETAINED_FROM = 0.9

/** A word follows another word if it is at most this number of words after it: at most three words are between them. */
const MAX_DISTANCE_WORDS = 4
/** A pair of words is stored as one number in this base. The base is greater than the number of distinct words of any text. */
const PAIR_BASE = 32_768
/** Shares are rounded down to a multiple of 1 / SHARE_STEPS. */
const SHARE_STEPS = 1_000

export type Text = { title: string; summary: string; content: string }
/** A text in the form that is compared. */
export type Wording = {
  /** The shown words and operators in order, without case, accents, punctuation, invisible characters and layout. Ignores narrow spaces. */
  words: readonly string[]
  /** The same, but narrow spaces divide words. Only set for a text with narrow spaces. */
  splitWords?: readonly string[]
  /** The digest of `words`. */
  digest: string
}

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

/** The wording of the title and the summary alone. Lists show no other part of a text. */
export const headingOf = ({ title, summary }: Text): Wording => wordingOf({ title, summary, content: '' })

/** Narrow spaces. A reader hardly sees one inside a word, and hardly notices that one between two words is not a normal space. */
const NARROW_SPACES = /[\u2006\u2008-\u200a\u202f\u205f]+/g

/** Tatweel. It stretches an Arabic word and does not change it to another word. */
const TATWEEL = /\u0640+/g

function worded(text: string): Wording {
  const seen = text.replace(EVERY_HIDDEN, '').replace(TATWEEL, '')
  const joined = seen.replace(NARROW_SPACES, '')
  const words = wordsAndOperators(joined)
  const digest = shortDigest(words.join(' '))
  return joined === seen ? { words, digest } : { words, splitWords: wordsAndOperators(seen), digest }
}

/**
 * Runs of signs that may be operators. SIGNS is for ASCII text. SYMBOLS adds the symbols of Unicode, such as arrows, currencies and emoji.
 */
const SIGNS = /(?:[<>=&|^%+~*/!$@\\#-]|\.(?=\.?\/))+/g
const SYMBOLS = /(?:[<>=&|^%+~*/!$@\\#\u2212\p{Sm}\p{Sc}\p{So}-]|\.(?=\.?\/))+/gu
const OPERATOR = /[<>=&|^%+~$\u2212\p{Sm}\p{Sc}\p{So}]/u
/** Signs that are operators or begin a comment only if blank space surrounds them. */
const SPACED_SIGNS = /^(?:[*/#]|\/\/)$/
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
  return SPACED_SIGNS.test(signs) && /\s/.test(before) && /[ \t]/.test(after)
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
  const shareInWords = measurerOfWords(current.words)
  const shareInSplitWords = current.splitWords && measurerOfWords(current.splitWords)
  return judged => {
    if (judged.digest === current.digest) return 1
    const shares = [judged.words, judged.splitWords ?? judged.words].flatMap(words => [
      shareInWords(words),
      shareInSplitWords?.(words) ?? 0,
    ])
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
    for (const next of codes.slice(at + 1, at + 1 + MAX_DISTANCE_WORDS)) increment(pairs, code * PAIR_BASE + next)
  })
  return judged => {
    const places = judged.map(word => numbers.get(word))
    const taken = new Map<number, number>()
    const follows = (at: number): boolean => {
      const [one, next] = [places[at], places[at + 1]]
      if (one === undefined || next === undefined) return false
      const pair = one * PAIR_BASE + next
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
    return Math.floor((retained / places.length) * SHARE_STEPS) / SHARE_STEPS
  }
}
