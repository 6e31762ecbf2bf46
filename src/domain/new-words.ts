/**
 * So many slots remember a word that came lately; a power of two. Two words share two slots, so that a frequent one and a rare one
 * do not drive each other out: of 300 words of an entry 3 come anew, where 32,768 single slots had 34.
 */
const SLOTS = 262_144
/** Longer words than so many characters are not remembered. */
const REMEMBERED_MAX = 64

/** Of the words that pass by, those that were not seen lately. */
export type NewWords = {
  note(words: readonly string[]): void
  /** Those that are new since the last time, sorted. */
  take(): string[]
}

/** Remembers words in bounded memory: what another one took the place of is new again. */
export function createNewWords(): NewWords {
  const lately = new Array<string>(SLOTS).fill('')
  let fresh = new Set<string>()
  /** Puts a word before the other one of its pair; the third goes. */
  const remember = (pair: number, word: string): void => {
    lately[pair + 1] = lately[pair] as string
    lately[pair] = word
  }
  return {
    note(words) {
      for (const word of words) {
        const pair = pairOf(word)
        if (lately[pair] === word) continue
        const second = lately[pair + 1] as string
        if (second === word) {
          remember(pair, second)
          continue
        }
        const kept = copyOf(word)
        fresh.add(kept)
        if (word.length <= REMEMBERED_MAX) remember(pair, kept)
      }
    },
    take() {
      const taken = [...fresh].sort()
      fresh = new Set()
      return taken
    },
  }
}
/** The word by itself: what V8 cuts out of a text holds on to the whole of it. */
const copyOf = (word: string): string => Buffer.from(word).toString()

/** The first of the two slots of a word. */
function pairOf(word: string): number {
  let hash = 0
  for (let place = 0; place < word.length; place++) hash = Math.imul(hash, 31) + word.charCodeAt(place)
  return (hash ^ (hash >>> 15)) & (SLOTS - 2)
}
