/** So many slots remember a word that came lately; a power of two. Small enough for the nearest memory: most words are among them. */
const SLOTS = 32_768
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
  return {
    note(words) {
      for (const word of words) {
        const slot = slotOf(word)
        if (lately[slot] === word) continue
        const kept = copyOf(word)
        fresh.add(kept)
        if (word.length <= REMEMBERED_MAX) lately[slot] = kept
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

function slotOf(word: string): number {
  let hash = 0
  for (let place = 0; place < word.length; place++) hash = Math.imul(hash, 31) + word.charCodeAt(place)
  return (hash ^ (hash >>> 15)) & (SLOTS - 1)
}
