/** Places of two words each: a frequent and a rare word of one place can both be stored. A power of two; the memory is 2 MB. */
const PLACES = 131_072
/** A word is remembered as two hashes of 32 bits. */
const PLACE_SIZE = 4

/** For each byte whether it is part of a word: small letters and digits of ASCII, and all that is not ASCII. */
const OF_WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[a-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

/** A filter for words that were not seen recently. */
export type RecentWords = {
  /** Notes the words of a folded text. A word is a run without ASCII characters other than small letters and digits. */
  note(text: string): void
  /** Returns the new words since the last call, sorted. */
  take(): string[]
}

/**
 * Remembers words in bounded memory: a word that another one replaced is new again. Two words collide with a probability of 2^-64. Callers
 * cannot choose such words, because the hashes have random seeds.
 */
export function createRecentWords(places: number = PLACES): RecentWords {
  const recent = new Int32Array(places * PLACE_SIZE)
  const [seed = 0, otherSeed = 0] = crypto.getRandomValues(new Int32Array(2))
  /** The text whose words are noted. */
  let bytes = Buffer.alloc(0)
  let fresh = new Set<string>()

  /** Looks for a word by its hashes, and puts it before the other one of its place; a third goes. */
  const look = (from: number, to: number, hash: number, other: number): void => {
    const place = (hash & (places - 1)) * PLACE_SIZE
    if (recent[place] === hash && recent[place + 1] === other) return
    if (recent[place + 2] !== hash || recent[place + 3] !== other) fresh.add(bytes.toString('utf8', from, to))
    recent[place + 2] = recent[place] as number
    recent[place + 3] = recent[place + 1] as number
    recent[place] = hash
    recent[place + 1] = other
  }
  return {
    note(text) {
      // A character of a string is at most 3 bytes; one more ends the last word.
      if (bytes.length <= text.length * 3) bytes = Buffer.alloc(text.length * 3 + 1)
      const end = bytes.write(text)
      bytes[end] = 0
      for (let at = 0, from = 0, hash = seed, other = otherSeed; at <= end; at++) {
        const byte = bytes[at] as number
        if (OF_WORD[byte] === 1) {
          // Multiplied and shifted as in MurmurHash3 (Appleby, 2011), a byte at a time.
          hash = Math.imul(hash ^ byte, 0x5bd1e995)
          hash ^= hash >>> 15
          other = Math.imul(other ^ byte, 0x1b873593)
          other ^= other >>> 13
          continue
        }
        if (at > from) look(from, at, hash, other)
        from = at + 1
        hash = seed
        other = otherSeed
      }
    },
    take() {
      const taken = [...fresh].sort()
      fresh = new Set()
      return taken
    },
  }
}
