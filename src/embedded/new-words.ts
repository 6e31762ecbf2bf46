/** So many slots remember a word that came lately; a power of two. Small enough for the nearest memory: most words are among them. */
const SLOTS = 32_768
/** Words that are remembered in all; past this many they are forgotten. */
const KNOWN_MAX = 200_000

/** Of the words that pass by, those that were not seen before. */
export type NewWords = {
  note(words: readonly string[]): void
  /** Those that are new since the last time, sorted. */
  take(): string[]
}

/** Remembers words in bounded memory: what it forgot is new again. */
export function createNewWords(): NewWords {
  const lately = new Array<string>(SLOTS).fill('')
  const known = new Set<string>()
  let fresh: string[] = []
  return {
    note(words) {
      for (const word of words) {
        const slot = slotOf(word)
        if (lately[slot] === word) continue
        lately[slot] = word
        if (known.has(word)) continue
        if (known.size >= KNOWN_MAX) known.clear()
        known.add(word)
        fresh.push(word)
      }
    },
    take() {
      const taken = fresh.sort()
      fresh = []
      return taken
    },
  }
}

function slotOf(word: string): number {
  let hash = 0
  for (let place = 0; place < word.length; place++) hash = Math.imul(hash, 31) + word.charCodeAt(place)
  return (hash ^ (hash >>> 15)) & (SLOTS - 1)
}
