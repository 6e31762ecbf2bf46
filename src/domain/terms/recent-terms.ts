import type { RankingTerm } from './chunk-terms.ts'
import { randomSeed } from './word-hash.ts'

/** Places of two chunks each: a frequent and a rare one of the same place can both be remembered. A power of two. */
const PLACES = 16_384
/** A chunk is remembered as two hashes of 32 bits. */
const PLACE_SIZE = 4

const NONE: readonly RankingTerm[] = []

/** Remembers the terms of recent chunks by the hashes of a chunk, in bounded memory. */
export class RecentTerms {
  readonly seed = randomSeed()
  readonly otherSeed = randomSeed()
  readonly #places: number
  readonly #hashes: Int32Array
  readonly #terms: (readonly RankingTerm[])[]

  constructor(places: number = PLACES) {
    this.#places = places
    this.#hashes = new Int32Array(places * PLACE_SIZE)
    this.#terms = new Array<readonly RankingTerm[]>(places * 2).fill(NONE)
  }

  /** The terms of the chunk with these hashes, if they are remembered. */
  find(hash: number, other: number): readonly RankingTerm[] | undefined {
    const place = hash & (this.#places - 1)
    const hashes = this.#hashes
    const at = place * PLACE_SIZE
    if (hashes[at] === hash && hashes[at + 1] === other) return this.#terms[2 * place]
    if (hashes[at + 2] !== hash || hashes[at + 3] !== other) return undefined
    const terms = this.#terms[2 * place + 1] as readonly RankingTerm[]
    this.add(hash, other, terms)
    return terms
  }

  /** Stores the terms of a chunk as the first of its place. The previous first becomes the second; the previous second is evicted. */
  add(hash: number, other: number, terms: readonly RankingTerm[]): void {
    const place = hash & (this.#places - 1)
    const hashes = this.#hashes
    const at = place * PLACE_SIZE
    hashes[at + 2] = hashes[at] as number
    hashes[at + 3] = hashes[at + 1] as number
    hashes[at] = hash
    hashes[at + 1] = other
    this.#terms[2 * place + 1] = this.#terms[2 * place] as readonly RankingTerm[]
    this.#terms[2 * place] = terms
  }
}
