import { foldCase } from './fold.ts'

/** Words are distinguished by this many first letters. */
const LETTERS = 10
/** Places of the table of words: several times as many as there are words. */
const PLACES = 4_096

/** Letters up to U+017F without case and accents, and digits and signs that replace letters; 0 for other characters. */
const FOLDED = Uint8Array.from({ length: 0x180 }, (_, code) => {
  const letter = foldCase(String.fromCharCode(code).normalize('NFKD').charAt(0))
  const read = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' }[letter] ?? letter
  return /[a-z0-9]/.test(read) ? read.charCodeAt(0) : 0
})

const next = (hash: number, letter: number): number => (Math.imul(hash, 0x01000193) ^ letter) | 0

/** A set of words in small letters between spaces, and ranges of characters that count as one of them. */
export type TriggerSet = { words: string; scripts?: readonly (readonly [from: number, to: number])[] }

/**
 * Returns a function that finds, in one pass, the sets (at most 31) that a text has a word of, as bits. A missing bit is certain; a set bit
 * may come from another word with the same beginning or hash.
 */
export function createTriggers(sets: readonly TriggerSet[]): (text: string) => number {
  const hashes = new Int32Array(PLACES)
  const found = new Int32Array(PLACES)
  const placeOf = (hash: number): number => {
    let place = (hash ^ (hash >>> 12)) & (PLACES - 1)
    while (hashes[place] !== 0 && hashes[place] !== hash) place = (place + 1) & (PLACES - 1)
    return place
  }
  for (const [at, { words }] of sets.entries()) {
    for (const word of words.split(' ').filter(one => one !== '')) {
      const letters = [...word.slice(0, LETTERS)].map(letter => FOLDED[letter.charCodeAt(0)] ?? 0)
      const hash = letters.reduce(next, 0)
      const place = placeOf(hash)
      hashes[place] = hash
      found[place] = (found[place] ?? 0) | (1 << at)
    }
  }
  const ranges = sets.flatMap(({ scripts = [] }, at) => scripts.map(([from, to]) => ({ from, to, bit: 1 << at })))
  return text => {
    let bits = 0
    let hash = 0
    let letters = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const letter = code < FOLDED.length ? (FOLDED[code] as number) : 0
      if (letter !== 0) {
        if (letters < LETTERS) hash = next(hash, letter)
        letters += 1
        continue
      }
      if (letters > 1) bits |= found[placeOf(hash)] as number
      hash = 0
      letters = 0
      if (code >= 0x400) for (const { from, to, bit } of ranges) if (code >= from && code <= to) bits |= bit
    }
    return letters > 1 ? bits | (found[placeOf(hash)] as number) : bits
  }
}
