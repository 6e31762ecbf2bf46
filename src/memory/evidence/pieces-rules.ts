import { SECTIONS, type Section } from '../../contract/vocabulary.ts'
import { byteTable, shortDigest } from '../values.ts'

/** A text with fewer UTF-16 units is not a piece of its own: it begins the next piece. */
const SHORTEST = 3

const [BLANK, LINE, STOP, FULL_STOP, CLOSER] = [1, 2, 3, 4, 5] as const

/** The kind of each UTF-16 unit; 0 for letters and all others. */
const KINDS = byteTable([
  [' \t\r\f\v\u00a0\u2002\u2003\u2009\u200a\u202f\u205f\u3000', BLANK],
  ['\n\u2028\u2029', LINE],
  ['.!?…؟۔।॥։።፧។៕', STOP],
  ['。！？｡．', FULL_STOP],
  ['"\')]}”’»›」』）】》〉*_`', CLOSER],
])

/** Called for the piece `text.slice(from, to)`. `end` excludes the blank space at its end. A visit that returns true is the last. */
export type Visit = (from: number, to: number, end: number) => unknown

/**
 * Visits the sentences and lines of a text in order, from `start`, where one begins. Concatenated, they are the text. A sentence ends with
 * its line, at a stop before blank space, or at a Chinese or Japanese full stop. It includes the blank space after it, but not the
 * indentation of the next line. The number of a list item ends no sentence. Offsets are UTF-16 units. Takes time proportional to the text.
 */
export function visitPieces(text: string, start: number, visit: Visit): void {
  let from = start
  let at = start
  while (at < text.length) {
    const marked = at++
    const mark = kindAt(text, marked)
    if (mark < LINE || mark > FULL_STOP) continue
    if (mark === LINE ? at - from < SHORTEST : isShort(text, from, marked)) continue
    let line = mark === LINE
    let full = mark === FULL_STOP
    if (!line) for (; kindAt(text, at) >= STOP; at++) full ||= kindAt(text, at) === FULL_STOP
    const end = line ? trimmed(text, from, marked) : at
    let to = line || full ? at : 0
    for (let kind = kindAt(text, at); kind === BLANK || kind === LINE; kind = kindAt(text, at)) {
      at++
      line ||= kind === LINE
      if (kind === LINE || !line) to = at
    }
    if (to === 0 || at === text.length) continue
    if (visit(from, to, end) === true) return
    from = to
  }
  if (from < text.length) visit(from, text.length, trimmed(text, from, text.length))
}

const kindAt = (text: string, at: number): number => KINDS[text.charCodeAt(at)] ?? 0

/** The end of a piece without the blank space at its end. */
function trimmed(text: string, from: number, to: number): number {
  let end = to
  for (; end > from; end--) {
    const kind = kindAt(text, end - 1)
    if (kind !== BLANK && kind !== LINE) break
  }
  return end
}

/** The maximum UTF-16 units of the number of a list item. */
const NUMBER_MAX = 8

/** Whether the text before a stop is too short for a sentence, or is the number of a list item. */
const isShort = (text: string, from: number, at: number): boolean =>
  kindAt(text, at) === STOP &&
  (at - from < SHORTEST - 1 || (at - from <= NUMBER_MAX && /^\s*\d+$/.test(text.slice(from, at))))

/** The sentences and lines of a text in order. Concatenated, they are the text. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  visitPieces(text, 0, (from, to) => void pieces.push(text.slice(from, to)))
  return pieces
}

export type Text = { title: string; summary: string; content: string }

const MEMBERS = { TITLE: 'title', SUMMARY: 'summary', CONTENT: 'content' } as const satisfies Record<
  Section,
  keyof Text
>

/** A sentence or line of a text, without the blank space at its end. Indentation is part of it. */
export type Piece = { section: Section; text: string }

/** A section of a text after NFC, and the places of its pieces: from `first`, before `after`. */
type CutSection = { section: Section; text: string; first: number; after: number }

/** A text in its pieces, in order. */
export class CutText {
  readonly #sections: readonly CutSection[]
  /** For each piece its offset in its section, and its end without the blank space. */
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  #distinct: ReadonlySet<number> | undefined
  /** Equal for equal pieces of all texts that the same `Texts` cut: same section, same characters after NFC. */
  readonly numbers: readonly number[]
  /** The length of all pieces, in UTF-16 units. */
  readonly size: number
  /** Equal for texts with the same pieces in the same order. */
  readonly digest: string

  constructor(text: Text, numberOf: (section: Section, piece: string) => number) {
    const numbers: number[] = []
    let size = 0
    this.#sections = SECTIONS.map(section => {
      const whole = nfc(text[MEMBERS[section]])
      const first = numbers.length
      visitPieces(whole, 0, (from, _, end) => {
        numbers.push(numberOf(section, whole.slice(from, end)))
        this.#starts.push(from)
        this.#ends.push(end)
        size += end - from
      })
      return { section, text: whole, first, after: numbers.length }
    })
    this.numbers = numbers
    this.size = size
    this.digest = shortDigest(new Uint8Array(new Int32Array(numbers).buffer))
  }

  has(number: number): boolean {
    this.#distinct ??= new Set(this.numbers)
    return this.#distinct.has(number)
  }

  lengthAt(place: number): number {
    return (this.#ends[place] ?? 0) - (this.#starts[place] ?? 0)
  }

  /** The pieces at some places, by default all. */
  piecesAt(places: readonly number[] = [...this.numbers.keys()]): Piece[] {
    return places.flatMap(place => {
      const found = this.#sections.find(({ after }) => place < after)
      if (found === undefined) return []
      return [{ section: found.section, text: found.text.slice(this.#starts[place], this.#ends[place]) }]
    })
  }

  /** The pieces that a quote touches, for each occurrence in a section; empty if it does not occur. Equal occurrences are returned once. */
  claimOf(quote: string): Claim {
    const wanted = nfc(quote).trim()
    const found: (readonly number[])[] = []
    if (wanted === '') return found
    let occurrences = 0
    for (const { text, first, after } of this.#sections) {
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
        if (occurrences++ === OCCURRENCES_MAX) break
        const from = this.#countBefore(at + 1, first, after) - 1
        const touched = this.numbers.slice(from, this.#countBefore(at + wanted.length, first, after))
        if (!found.some(other => areEqual(other, touched))) found.push(touched)
      }
    }
    return found
  }

  /** The place after the last piece, from `first` up to `after`, that begins before an offset of its section. */
  #countBefore(offset: number, first: number, after: number): number {
    let [least, most] = [first, after]
    while (least < most) {
      const middle = (least + most) >> 1
      if ((this.#starts[middle] as number) < offset) least = middle + 1
      else most = middle
    }
    return least
  }
}

const nfc = (text: string): string => text.normalize('NFC')

const areEqual = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((number, at) => number === other[at])

/** A quoted claim in a text: for each occurrence, the numbers of the pieces that it touches. */
export type Claim = readonly (readonly number[])[]

/** The maximum number of occurrences of a quote that are considered. */
const OCCURRENCES_MAX = 16

/** Whether a text still has a claim: all pieces of one of its occurrences. */
export const hasClaim = (text: CutText, claim: Claim): boolean =>
  claim.some(numbers => numbers.every(number => text.has(number)))

/** Whether two texts have the same pieces in the same order. */
export const isSameText = (one: CutText, other: CutText): boolean => one.digest === other.digest

/** What a current text has of a judged text. */
export type Comparison = {
  same: boolean
  /** Whether the current text has any piece of the judged one, at any place. */
  overlaps: boolean
  /** For each piece of the current text: 1 if the diff leaves it unchanged, else 0. */
  unchanged: Uint8Array
  /** The same for each piece of the judged text. */
  kept: Uint8Array
  /** The share of the current text, by characters, that is unchanged. */
  share: number
}

/** Texts that are compared with each other. Each text is cut once, and each two texts are compared once. */
export class Texts {
  readonly #numbers = {
    TITLE: new Map<string, number>(),
    SUMMARY: new Map<string, number>(),
    CONTENT: new Map<string, number>(),
  }
  readonly #cuts = new Map<string, CutText>()
  readonly #comparisons = new Map<CutText, Map<CutText, Comparison>>()
  readonly #grown: (size: number) => void
  #count = 0
  #size = 0

  /** `grown` is called with the length of all texts, in UTF-16 units, after a text was cut. */
  constructor(grown: (size: number) => void = () => {}) {
    this.#grown = grown
  }

  cut({ title, summary, content }: Text): CutText {
    const key = `${title}\0${summary}\0${content}`
    const known = this.#cuts.get(key)
    if (known !== undefined) return known
    const cut = new CutText({ title, summary, content }, (section, piece) => this.#numberOf(section, piece))
    this.#cuts.set(key, cut)
    this.#size += key.length
    this.#grown(this.#size)
    return cut
  }

  #numberOf(section: Section, piece: string): number {
    const known = this.#numbers[section].get(piece)
    if (known !== undefined) return known
    this.#numbers[section].set(piece, this.#count)
    return this.#count++
  }

  /** The numbers of the pieces at some places of a text as marks: 1 for each, else 0. */
  marked({ numbers }: CutText, places: readonly number[]): Uint8Array {
    const marks = new Uint8Array(this.#count)
    for (const place of places) marks[numbers[place] as number] = 1
    return marks
  }

  /** What a current text has of a judged one: a diff by pieces, a longest common subsequence (Myers 1986). A moved piece is a changed piece. */
  compare(judged: CutText, current: CutText): Comparison {
    const known = this.#comparisons.get(current) ?? new Map<CutText, Comparison>()
    const comparison = known.get(judged) ?? comparisonOf(judged, current, this.#count)
    this.#comparisons.set(current, known.set(judged, comparison))
    return comparison
  }
}

/** Compares two texts whose pieces have numbers below `count`. */
function comparisonOf(judged: CutText, current: CutText, count: number): Comparison {
  const [before, after] = [judged.numbers, current.numbers]
  const unchanged = new Uint8Array(after.length)
  const kept = new Uint8Array(before.length)
  const match = (ofJudged: number, ofCurrent: number): void => {
    kept[ofJudged] = 1
    unchanged[ofCurrent] = 1
  }
  let [first, endJudged, endCurrent] = [0, before.length, after.length]
  for (; first < Math.min(endJudged, endCurrent) && before[first] === after[first]; first++) match(first, first)
  while (Math.min(endJudged, endCurrent) > first && before[endJudged - 1] === after[endCurrent - 1]) {
    match(--endJudged, --endCurrent)
  }
  // A piece that only one of the texts has cannot be part of a common subsequence.
  const inCurrent = new Uint8Array(count)
  for (let place = first; place < endCurrent; place++) inCurrent[after[place] as number] = 1
  const ofJudged = placesIn(before, first, endJudged, inCurrent)
  const inBoth = new Uint8Array(count)
  for (const place of ofJudged) inBoth[before[place] as number] = 1
  const ofCurrent = placesIn(after, first, endCurrent, inBoth)
  const numbersAt = (numbers: readonly number[], places: number[]) => places.map(place => numbers[place] as number)
  for (const [one, other] of commonPlaces(numbersAt(before, ofJudged), numbersAt(after, ofCurrent))) {
    match(ofJudged[one] as number, ofCurrent[other] as number)
  }
  let size = 0
  for (let place = 0; place < unchanged.length; place++) if (unchanged[place] === 1) size += current.lengthAt(place)
  return {
    same: isSameText(judged, current),
    overlaps: first > 0 || endJudged < before.length || ofJudged.length > 0,
    unchanged,
    kept,
    share: current.size === 0 ? 1 : size / current.size,
  }
}

/** The places from `first` before `end` whose numbers are marked. */
function placesIn(numbers: readonly number[], first: number, end: number, marks: Uint8Array): number[] {
  const places: number[] = []
  for (let place = first; place < end; place++) if (marks[numbers[place] as number] === 1) places.push(place)
  return places
}

/** The places without a mark. */
export function unmarked(marks: Uint8Array): number[] {
  const places: number[] = []
  for (let place = 0; place < marks.length; place++) if (marks[place] === 0) places.push(place)
  return places
}

/**
 * The maximum number of edits of a diff: pieces that have an equal piece in the other text, but not in the same order. Past it, all pieces
 * between the common beginning and the common end count as changed.
 */
export const EDITS_MAX = 128

/** The pairs of places of a longest common subsequence, last first; empty if it needs more than `EDITS_MAX` edits. */
function commonPlaces(a: readonly number[], b: readonly number[]): [number, number][] {
  if (a.length === 0 || b.length === 0) return []
  /** `reached[d]` has, for each diagonal from -d to d, the furthest place in `a` that d edits reach. */
  const reached: Int32Array[] = []
  for (let edits = 0; edits <= Math.min(EDITS_MAX, a.length + b.length); edits++) {
    const row = new Int32Array(2 * edits + 1)
    const before = reached[edits - 1]
    reached.push(row)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let place = startOf(before, edits, diagonal)
      while (place < a.length && place - diagonal < b.length && a[place] === b[place - diagonal]) place++
      row[diagonal + edits] = place
      if (place >= a.length && place - diagonal >= b.length) return pathOf(reached, place, diagonal)
    }
  }
  return []
}

/** The place at which a diagonal is entered after the rows of one edit less. Row `edits - 1` has diagonal k at k + edits - 1. */
function startOf(before: Int32Array | undefined, edits: number, diagonal: number): number {
  if (before === undefined) return 0
  return isInsertion(before, edits, diagonal)
    ? (before[diagonal + edits] as number)
    : (before[diagonal + edits - 2] as number) + 1
}

/** Whether the last edit comes from the diagonal above. */
const isInsertion = (before: Int32Array, edits: number, diagonal: number): boolean =>
  diagonal === -edits ||
  (diagonal !== edits && (before[diagonal + edits - 2] as number) < (before[diagonal + edits] as number))

function pathOf(reached: readonly Int32Array[], end: number, last: number): [number, number][] {
  const pairs: [number, number][] = []
  let [place, diagonal] = [end, last]
  for (let edits = reached.length - 1; edits >= 0; edits--) {
    const before = reached[edits - 1]
    const start = startOf(before, edits, diagonal)
    while (place > start) {
      place--
      pairs.push([place, place - diagonal])
    }
    if (before === undefined) break
    const inserted = isInsertion(before, edits, diagonal)
    diagonal += inserted ? 1 : -1
    place = inserted ? start : start - 1
  }
  return pairs
}

const NOTABLE =
  /\p{N}|`|https?:|\]\(|[<>=&|^%$\\{}]|[-+*/]\S|\b(?:not?|never|none|neither|nor|without|cannot|only|must|\w+n['’]t|nicht|kein\w*|nie|pas|jamais|sans|nunca|sin|non|mai)\b/iu

/** Whether a piece has a digit, a negation, code, a link or an operator: a small change of it may reverse its meaning. */
export const isNotable = ({ text }: Piece): boolean => NOTABLE.test(text)

/**
 * Whether a revision wrote a part of a later text: a piece that no earlier revision had, or, if it is that text itself, a new selection or
 * order of pieces. An exact restore writes nothing. `earlier` are the revisions before it, newest first.
 */
export function hasWritten(written: CutText, earlier: readonly CutText[], text: CutText): boolean {
  if (earlier.some(one => isSameText(one, written))) return false
  if (isSameText(written, text)) return true
  return written.numbers.some(number => text.has(number) && !earlier.some(one => one.has(number)))
}
