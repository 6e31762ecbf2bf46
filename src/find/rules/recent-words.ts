import { nextHash, nextOther, randomSeed } from './chunk-terms.ts'

/** Places of two words each: a frequent and a rare word of one place can both be stored. A power of two; the memory is 2 MB. */
const PLACES = 131_072
/** A word is remembered as two hashes of 32 bits. */
const PLACE_SIZE = 4

/** Whether each byte is part of a word: lower-case ASCII letters, digits, and every byte that is not ASCII. */
const OF_WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 || /[a-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0,
)

/**
 * A filter for words that were not seen recently, in bounded memory. An evicted word counts as new. Two words collide with a probability of
 * 2^-64. Callers cannot choose such words, because the hashes have random seeds.
 */
export class RecentWords {
  readonly #places: number
  readonly #recent: Int32Array
  readonly #seed = randomSeed()
  readonly #otherSeed = randomSeed()
  /** The text whose words are noted. */
  #bytes = Buffer.alloc(0)
  #fresh = new Set<string>()

  /** `places` is a power of two. */
  constructor(places: number = PLACES) {
    this.#places = places
    this.#recent = new Int32Array(places * PLACE_SIZE)
  }

  /** Notes the words of a folded text. A word is a run without ASCII characters other than small letters and digits. */
  note(text: string): void {
    // A UTF-16 unit is at most 3 bytes of UTF-8. One more byte ends the last word.
    if (this.#bytes.length <= text.length * 3) this.#bytes = Buffer.alloc(text.length * 3 + 1)
    const bytes: Uint8Array = this.#bytes
    const seed = this.#seed
    const otherSeed = this.#otherSeed
    const end = this.#bytes.write(text)
    bytes[end] = 0
    for (let at = 0; at < end; at++) {
      const from = at
      let hash = seed
      let other = otherSeed
      for (;;) {
        const byte = bytes[at] as number
        if (OF_WORD[byte] === 0) break
        hash = nextHash(hash, byte)
        other = nextOther(other, byte)
        at++
      }
      if (at > from) this.#look(from, at, hash, other)
    }
  }

  /** Returns the new words since the last call, sorted. */
  take(): string[] {
    const taken = [...this.#fresh].sort()
    this.#fresh = new Set()
    return taken
  }

  /**
   * Looks up a word by its hashes and makes it the first of its place. The other word of the place becomes the second; a third one is
   * evicted.
   */
  #look(from: number, to: number, hash: number, other: number): void {
    const recent = this.#recent
    const place = (hash & (this.#places - 1)) * PLACE_SIZE
    if (recent[place] === hash && recent[place + 1] === other) return
    if (recent[place + 2] !== hash || recent[place + 3] !== other)
      this.#fresh.add(this.#bytes.toString('utf8', from, to))
    recent[place + 2] = recent[place] as number
    recent[place + 3] = recent[place + 1] as number
    recent[place] = hash
    recent[place + 1] = other
  }
}
