import { foldCase } from '../terms/fold.ts'
import { codesOf } from './codes.ts'

/** Words are distinguished by this many first letters. */
const LETTERS = 10
/** The places of the hash table: several times the number of words. */
const PLACES = 4_096

/** For each code up to U+017F, its letter without case and accents; for digits and signs, the letter that they replace. 0 for others. */
const FOLDED = new Uint8Array(0x10000)
for (let code = 0; code < 0x180; code++) {
  const letter = foldCase(String.fromCharCode(code).normalize('NFKD').charAt(0))
  const read = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' }[letter] ?? letter
  FOLDED[code] = /[a-z0-9]/.test(read) ? read.charCodeAt(0) : 0
}

const next = (hash: number, letter: number): number => (Math.imul(hash, 0x01000193) ^ letter) | 0

/** Codes from here on may be in one of the ranges. */
const SCRIPTS_FROM = 0x400

/** A set of lower-case words, separated by spaces. ASCII signs and ranges of characters can count as words of the set. */
export type TriggerSet = {
  words: string
  signs?: string
  scripts?: readonly (readonly [from: number, to: number])[]
}

/**
 * Returns a function that finds, in one pass, the sets of which a text has a word: bit n stands for set n, at most 32 sets. A clear bit is
 * certain. A set bit may come from another word with the same first letters or hash.
 */
export function createTriggers(sets: readonly TriggerSet[]): (text: string) => number {
  const hashes = new Int32Array(PLACES)
  const found = new Int32Array(PLACES)
  const placeOf = (hash: number): number => {
    let place = (hash ^ (hash >>> 12)) & (PLACES - 1)
    while (hashes[place] !== 0 && hashes[place] !== hash) place = (place + 1) & (PLACES - 1)
    return place
  }
  const ofSigns = new Int32Array(SCRIPTS_FROM)
  for (const [at, { words, signs = '' }] of sets.entries()) {
    for (const sign of signs) ofSigns[sign.charCodeAt(0)] = (ofSigns[sign.charCodeAt(0)] ?? 0) | (1 << at)
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
    const codes = codesOf(text)
    const end = text.length
    let bits = 0
    for (let at = 0; at < end; at++) {
      const code = codes[at] as number
      let letter = FOLDED[code] as number
      if (letter === 0) {
        if (code < SCRIPTS_FROM) bits |= ofSigns[code] as number
        else for (const { from, to, bit } of ranges) if (code >= from && code <= to) bits |= bit
        continue
      }
      const from = at
      let hash = 0
      while (letter !== 0) {
        if (at - from < LETTERS) hash = next(hash, letter)
        at += 1
        letter = at < end ? (FOLDED[codes[at] as number] as number) : 0
      }
      if (at - from > 1) bits |= found[placeOf(hash)] as number
      // The character after the word is next.
      at -= 1
    }
    return bits
  }
}
