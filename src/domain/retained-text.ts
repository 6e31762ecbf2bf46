import { hash } from 'node:crypto'
import { isAscii } from './fold.ts'
import { EVERY_HIDDEN } from './invisible-characters.js'
import { wordsOf } from './terms.ts'

/** Raise it when the same texts get another measure: stores then compute all standings again. */
export const KEPT_VERSION = 2

/** From this share on, evidence about a text counts for the text that replaced it. */
export const KEPT_FROM = 0.9

/** How many words further on a word still follows another one: up to three words may be put between them. */
const REACH = 4
/** More distinct words than a text can have. */
const WORDS_MAX = 32_768
const PRECISION = 1_000

/** Letters of other scripts that look like Latin ones: exchanging them makes no other word. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map(
  [...'авекмнорстухіјѕһαβεικμνορτυχ'].map((letter, index) => [
    letter,
    [...'abekmhopctyxijshabeikmvoptux'][index] ?? '',
  ]),
)
const LOOKALIKE = new RegExp(`[${[...LOOKALIKES.keys()].join('')}]`, 'g')

/** A folded text with Latin letters in place of those that look like them. */
export const withLatinLetters = (text: string): string =>
  text.replace(LOOKALIKE, letter => LOOKALIKES.get(letter) ?? letter)

export type Text = { title: string; summary: string; content: string }
/** A text as it is measured: its words in order, without case, accents, signs, invisible characters and layout, and a digest of them. */
export type Wording = { words: readonly string[]; digest: string }

/** The texts that were worded last: one judgement words the same text several times. */
const REMEMBERED = 4
const remembered: { text: string; wording: Wording }[] = []

export function wordingOf({ title, summary, content }: Text): Wording {
  const text = `${title}\n${summary}\n${content}`
  const known = remembered.find(one => one.text === text)
  if (known !== undefined) return known.wording
  const wording = worded(text)
  remembered.unshift({ text, wording })
  remembered.length = Math.min(remembered.length, REMEMBERED)
  return wording
}

function worded(text: string): Wording {
  const found = wordsOf(text.replace(EVERY_HIDDEN, ''))
  // A text of signs alone is one word.
  const joined = found.length > 0 ? found.join(' ') : text
  const plain = isAscii(joined) ? joined : withLatinLetters(joined)
  const words = found.length === 0 ? [text] : plain === joined ? found : plain.split(' ')
  return { words, digest: hash('sha256', plain, 'base64url').slice(0, 22) }
}

const increment = (counts: Map<number, number>, key: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/**
 * Returns the function that measures the share of a text's words that is kept in `current`, from 0 to 1, rounded down to three digits. A
 * word is kept if it still follows or precedes its neighbour with at most three words between them. Two words that are neighbours in two
 * places must be so in two places of `current`. Moved paragraphs and added text lower nothing; for a heap of the same words the share is
 * low. Takes time proportional to both texts.
 */
export function measurerOf(current: Wording): (judged: Wording) => number {
  const numbers = new Map<string, number>()
  const codes = current.words.map(word => {
    const known = numbers.get(word) ?? numbers.size
    numbers.set(word, known)
    return known
  })
  const pairs = new Map<number, number>()
  codes.forEach((code, at) => {
    for (const next of codes.slice(at + 1, at + 1 + REACH)) increment(pairs, code * WORDS_MAX + next)
  })
  return judged => {
    if (judged.digest === current.digest) return 1
    const places = judged.words.map(word => numbers.get(word))
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
    let kept = 0
    let before = false
    for (let at = 0; at < places.length; at++) {
      const after = follows(at)
      if (before || after) kept++
      before = after
    }
    return Math.floor((kept / places.length) * PRECISION) / PRECISION
  }
}
