/**
 * The scores of one query by the number of the entry, in arrays that the next query reuses. A Map of 20,000 numbers, with the objects that
 * it leaves to the garbage collector, would take a third of the time of a query.
 */
export class ScoreTable {
  /** The hash table. A place has 1 plus the row of its entry, or 0 if it is free. At least half of the places are free. */
  readonly #places: Int32Array
  readonly #shift: number
  readonly #numbers: Float64Array
  readonly #scores: Float64Array
  /** The part of a score that is from hints. */
  readonly #hinted: Float64Array
  /** The number of words of the query that each entry has. */
  readonly #having: Uint8Array
  #size = 0
  #words = 0

  /** `most` is the maximum number of entries of one query. */
  constructor(most: number) {
    const bits = Math.ceil(Math.log2(most)) + 1
    this.#places = new Int32Array(2 ** bits)
    this.#shift = 32 - bits
    this.#numbers = new Float64Array(most)
    this.#scores = new Float64Array(most)
    this.#hinted = new Float64Array(most)
    this.#having = new Uint8Array(most)
  }

  /** Clears the table for a query with this many words. */
  begin(words: number): void {
    this.#places.fill(0)
    this.#size = 0
    this.#words = words
  }

  /** Adds `worth` to the scores of distinct entries. With `isWord`, each of them has one more word of the query. */
  add(numbers: readonly number[], worth: number, { isHint, isWord }: { isHint: boolean; isWord: boolean }): void {
    for (let at = 0; at < numbers.length; at++) {
      const row = this.#rowOf(numbers[at] as number)
      this.#scores[row] = (this.#scores[row] as number) + worth
      if (isHint) this.#hinted[row] = (this.#hinted[row] as number) + worth
      if (isWord) this.#having[row] = (this.#having[row] as number) + 1
    }
  }

  scoreOf(number: number): number {
    const row = this.#find(number)
    return row < 0 ? 0 : (this.#scores[row] as number)
  }

  /** The score without hints. */
  ownScoreOf(number: number): number {
    const row = this.#find(number)
    return row < 0 ? 0 : (this.#scores[row] as number) - (this.#hinted[row] as number)
  }

  /** Whether an entry has all words of the query. */
  hasAll(number: number): boolean {
    const row = this.#find(number)
    return row >= 0 && this.#hasAll(row)
  }

  /** The number of the entry that is ranked first, if there is one. */
  first(): number | undefined {
    let first = 0
    for (let row = 1; row < this.#size; row++) if (this.#isBefore(row, first)) first = row
    return this.#size === 0 ? undefined : this.#numbers[first]
  }

  /**
   * The numbers of all entries. Those with all words come first; within each group the best first; of equal scores the newest first. A page
   * takes few of thousands of entries, and a heap returns the first ones sooner than a sort.
   */
  *ranked(): Generator<number> {
    const heap = Array.from({ length: this.#size }, (_, row) => row)
    for (let at = (heap.length >> 1) - 1; at >= 0; at--) this.#sink(heap, at)
    for (;;) {
      const [first] = heap
      const last = heap.pop()
      if (first === undefined || last === undefined) return
      yield this.#numbers[first] as number
      if (heap.length === 0) return
      heap[0] = last
      this.#sink(heap, 0)
    }
  }

  /** Moves a row of a heap down until it ranks before both of its children. */
  #sink(heap: number[], from: number): void {
    const row = heap[from] as number
    let at = from
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && this.#isBefore(heap[below + 1] as number, heap[below] as number)) below++
      if (!this.#isBefore(heap[below] as number, row)) break
      heap[at] = heap[below] as number
      at = below
    }
    heap[at] = row
  }

  #isBefore(row: number, other: number): boolean {
    const isWhole = this.#hasAll(row)
    if (isWhole !== this.#hasAll(other)) return isWhole
    const difference = (this.#scores[row] as number) - (this.#scores[other] as number)
    return difference === 0 ? (this.#numbers[row] as number) > (this.#numbers[other] as number) : difference > 0
  }

  #hasAll(row: number): boolean {
    return this.#words > 0 && this.#having[row] === this.#words
  }

  /** The row of an entry; -1 if it has none. */
  #find(number: number): number {
    return (this.#places[this.#placeOf(number)] as number) - 1
  }

  /** The row of an entry. Adds a row if it has none. */
  #rowOf(number: number): number {
    const place = this.#placeOf(number)
    const known = this.#places[place] as number
    if (known > 0) return known - 1
    const row = this.#size++
    this.#places[place] = row + 1
    this.#numbers[row] = number
    this.#scores[row] = 0
    this.#hinted[row] = 0
    this.#having[row] = 0
    return row
  }

  /** The place of an entry, or the free one where it belongs. */
  #placeOf(number: number): number {
    const [places, numbers] = [this.#places, this.#numbers]
    let place = Math.imul(number, 0x9e3779b1) >>> this.#shift
    for (;;) {
      const known = places[place] as number
      if (known === 0 || numbers[known - 1] === number) return place
      place = (place + 1) & (places.length - 1)
    }
  }
}
