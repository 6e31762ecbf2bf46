/** Bytes of a word that is remembered, in UTF-8; longer ones are new each time. */
const WORD_BYTES = 32
/** Two words share a place, so that a frequent one and a rare one do not drive each other out. */
const PLACE_BYTES = 2 * WORD_BYTES
/** So many places; a power of two. What is remembered takes 8 MB once they are full. */
const PLACES = 131_072

/** For each byte whether it is part of a word: small letters and digits of ASCII, and all that is not ASCII. */
const OF_WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[a-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

/** Of the words that pass by, those that were not seen lately. */
export type NewWords = {
  /** Notes the words of a folded text: what stands between two characters of ASCII that are no small letter and no digit. */
  note(text: string): void
  /** Those that are new since the last time, sorted. */
  take(): string[]
}

/** Remembers words in bounded memory: what another one took the place of is new again. */
export function createNewWords(): NewWords {
  const lately = new Uint8Array(PLACES * PLACE_BYTES)
  /** The text whose words are noted. */
  let bytes = Buffer.alloc(0)
  let fresh = new Set<string>()

  /** Whether the word from `from` to `to` is what is remembered at `at`. */
  const isAt = (at: number, from: number, to: number): boolean => {
    const length = to - from
    for (let n = 0; n < length; n++) if (lately[at + n] !== bytes[from + n]) return false
    return length === WORD_BYTES || lately[at + length] === 0
  }
  /** Puts a word before the other one of its place; the third goes. */
  const remember = (place: number, from: number, to: number): void => {
    lately.copyWithin(place + WORD_BYTES, place, place + WORD_BYTES)
    lately.fill(0, place, place + WORD_BYTES)
    lately.set(bytes.subarray(from, to), place)
  }
  const look = (from: number, to: number, hash: number): void => {
    const place = ((hash ^ (hash >>> 15)) & (PLACES - 1)) * PLACE_BYTES
    const short = to - from <= WORD_BYTES
    if (short && isAt(place, from, to)) return
    if (!short || !isAt(place + WORD_BYTES, from, to)) fresh.add(bytes.toString('utf8', from, to))
    if (short) remember(place, from, to)
  }
  return {
    note(text) {
      // A character of a string is at most 3 bytes; one more ends the last word.
      if (bytes.length <= text.length * 3) bytes = Buffer.alloc(text.length * 3 + 1)
      const end = bytes.write(text)
      bytes[end] = 0
      for (let at = 0, from = 0, hash = 0; at <= end; at++) {
        const byte = bytes[at] as number
        if (OF_WORD[byte] === 1) {
          hash = Math.imul(hash, 31) + byte
          continue
        }
        if (at > from) look(from, at, hash)
        from = at + 1
        hash = 0
      }
    },
    take() {
      const taken = [...fresh].sort()
      fresh = new Set()
      return taken
    },
  }
}
