import { SECTIONS, type Section } from '../../contract/vocabulary.ts'
import { byteTable } from '../values.ts'

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
type Visit = (from: number, to: number, end: number) => unknown

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

/** The end of a piece without the blank space at its end. That after a backslash is a part of it: a shell does not continue such a line. */
function trimmed(text: string, from: number, to: number): number {
  let end = to
  for (; end > from; end--) {
    const kind = kindAt(text, end - 1)
    if (kind !== BLANK && kind !== LINE) break
  }
  if (text[end - 1] === '\\') while (end < to && kindAt(text, end) === BLANK) end++
  return end
}

/** The maximum UTF-16 units of the number of a list item. */
const NUMBER_MAX = 8

/** Whether the text before a stop is too short for a sentence, or is the number of a list item. */
const isShort = (text: string, from: number, at: number): boolean =>
  kindAt(text, at) === STOP &&
  (at - from < SHORTEST - 1 || (at - from <= NUMBER_MAX && /^\s*\d+$/.test(text.slice(from, at))))

export type Text = { title: string; summary: string; content: string }

/** The text of a section. */
export const sectionOf = (text: Text, section: Section): string => text[section.toLowerCase() as Lowercase<Section>]

/** A sentence or line of a text, without the blank space at its end. Indentation is part of it. */
export type Piece = { section: Section; text: string }

/** A quoted claim in a text: for each occurrence, the numbers of the pieces that it touches. */
type Claim = readonly (readonly number[])[]

/** The maximum number of occurrences of a quote in a section that are considered. */
const OCCURRENCES_MAX = 16

/** What a current text has of a judged text. For each piece of a text: 1 if the diff leaves it unchanged, else 0. */
export type Comparison = {
  same: boolean
  ofCurrent: Uint8Array
  ofJudged: Uint8Array
  /** The share of the current text, by characters, that is unchanged. */
  share: number
}

/** A section after NFC, and the offsets at which its pieces end. */
type CutSection = { text: string; ends: readonly number[] }

/** A text in its pieces, in order. Only texts that the same `Texts` cut can be compared. */
export class CutText {
  /** Equal for equal pieces: same section, same characters after NFC. */
  readonly numbers: readonly number[]
  /** Twice the numbers, plus 1 for a piece that begins a line. */
  readonly keys: readonly number[]
  /** The length of all pieces, in UTF-16 units. */
  readonly #size: number
  readonly #sections: readonly CutSection[]
  readonly #known: readonly Piece[]
  readonly #compared = new Map<CutText, Comparison>()
  #distinct: ReadonlySet<number> | undefined

  /** `known` has the pieces by their numbers. */
  constructor(keys: readonly number[], sections: readonly CutSection[], known: readonly Piece[]) {
    this.keys = keys
    this.numbers = keys.map(key => key >> 1)
    this.#sections = sections
    this.#known = known
    this.#size = this.#lengthOf(keys.keys())
  }

  /** The pieces at some places, by default all. Places outside the text are omitted. */
  piecesAt(places: Iterable<number> = this.numbers.keys()): Piece[] {
    return [...places].flatMap(place => this.#known[this.numbers[place] ?? -1] ?? [])
  }

  /** The share of the text, by characters, that is not at some places. */
  shareWithout(places: readonly number[]): number {
    return this.#size === 0 ? 1 : 1 - this.#lengthOf(places) / this.#size
  }

  /** The length of the pieces at some places, in UTF-16 units. */
  #lengthOf(places: Iterable<number>): number {
    let size = 0
    for (const place of places) size += (this.#known[this.numbers[place] as number] as Piece).text.length
    return size
  }

  hasKey(key: number): boolean {
    this.#distinct ??= new Set(this.keys)
    return this.#distinct.has(key)
  }

  /** Whether this text has a piece, at the begin of a line or not. */
  has(number: number): boolean {
    return this.hasKey(2 * number) || this.hasKey(2 * number + 1)
  }

  /** Whether another text has the same pieces in the same order, and begins lines with the same ones. */
  isSame({ keys }: CutText): boolean {
    return keys === this.keys || (keys.length === this.keys.length && keys.every((one, at) => one === this.keys[at]))
  }

  /** Whether this text still has a claim: all pieces of one of its occurrences, at any place. */
  hasClaim(claim: Claim): boolean {
    return claim.some(numbers => numbers.every(number => this.has(number)))
  }

  /** The pieces that a quote touches, for each occurrence in a section; empty if it does not occur. */
  claimOf(quote: string): Claim {
    const wanted = nfc(quote).trim()
    const found = new Map<string, readonly number[]>()
    let first = 0
    for (const { text, ends } of wanted === '' ? [] : this.#sections) {
      let [from, left] = [0, OCCURRENCES_MAX]
      for (let at = text.indexOf(wanted); at >= 0 && left > 0; at = text.indexOf(wanted, at + wanted.length), left--) {
        while ((ends[from] ?? text.length) <= at) from++
        let last = from
        while ((ends[last] ?? text.length) < at + wanted.length) last++
        const touched = this.numbers.slice(first + from, first + last + 1)
        found.set(touched.join(), touched)
      }
      first += ends.length
    }
    return [...found.values()]
  }

  /**
   * What this text has of a judged one. A moved piece is a changed piece, and so is one that follows the same piece in another line, such as
   * a command after a comment. Two texts are compared once.
   */
  comparedWith(judged: CutText): Comparison {
    const comparison = this.#compared.get(judged) ?? this.#compare(judged)
    this.#compared.set(judged, comparison)
    return comparison
  }

  #compare(judged: CutText): Comparison {
    const [before, after] = [judged.numbers, this.numbers]
    /** For each piece of this text the place of the judged one that it is, or -1. */
    const pairs = new Int32Array(after.length).fill(-1)
    let [first, endJudged, endCurrent] = [0, before.length, after.length]
    while (first < Math.min(endJudged, endCurrent) && before[first] === after[first]) pairs[first] = first++
    while (Math.min(endJudged, endCurrent) > first && before[endJudged - 1] === after[endCurrent - 1])
      pairs[--endCurrent] = --endJudged
    const [a, b] = [before.slice(first, endJudged), after.slice(first, endCurrent)]
    matchCommon(a, b, this.#known.length, (one, other) => {
      pairs[first + other] = first + one
    })
    const [ofJudged, ofCurrent] = [new Uint8Array(before.length), new Uint8Array(after.length)]
    for (let place = 0; place < pairs.length; place++) {
      const pair = pairs[place] as number
      const isNext = pair > 0 && pairs[place - 1] === pair - 1
      if (pair < 0 || (isNext && this.keys[place] !== judged.keys[pair])) continue
      ofJudged[pair] = 1
      ofCurrent[place] = 1
    }
    return { same: this.isSame(judged), ofCurrent, ofJudged, share: this.shareWithout(changedPlaces(ofCurrent)) }
  }
}

const nfc = (text: string): string => text.normalize('NFC')

/** Texts whose pieces have common numbers. Each text is cut once. */
export class Texts {
  readonly #numbers = new Map(SECTIONS.map(section => [section, new Map<string, number>()]))
  readonly #pieces: Piece[] = []
  readonly #cuts = new Map<string, CutText>()
  readonly #grown: (size: number) => void
  #size = 0

  /** `grown` is called with the length of all texts, in UTF-16 units, after a text was cut. */
  constructor(grown: (size: number) => void = () => {}) {
    this.#grown = grown
  }

  cut(text: Text): CutText {
    const key = `${text.title}\0${text.summary}\0${text.content}`
    const known = this.#cuts.get(key)
    if (known !== undefined) return known
    const keys: number[] = []
    const sections = [...this.#numbers].map(([section, known]): CutSection => {
      const whole = nfc(sectionOf(text, section))
      const ends: number[] = []
      visitPieces(whole, 0, (from, to, end) => {
        const piece = whole.slice(from, end)
        const beginsLine = from === 0 || whole[from - 1] === '\n'
        const number = known.get(piece) ?? this.#pieces.push({ section, text: piece }) - 1
        known.set(piece, number)
        keys.push(2 * number + (beginsLine ? 1 : 0))
        ends.push(to)
      })
      return { text: whole, ends }
    })
    const cut = new CutText(keys, sections, this.#pieces)
    this.#cuts.set(key, cut)
    this.#size += key.length
    this.#grown(this.#size)
    return cut
  }
}

/** The maximum number of pairs of equal pieces of two texts. Past it, all pieces between the common beginning and the common end count as changed. */
export const PAIRS_MAX = 32_768

/**
 * Calls `match` with the places of a longest common subsequence of numbers below `count`, unless there are more than PAIRS_MAX pairs of equal
 * places: a longest chain of pairs that ascends in both (Hunt and Szymanski 1977).
 */
function matchCommon(a: readonly number[], b: readonly number[], count: number, match: (a: number, b: number) => void) {
  /** For each number how often it is in `b`, and its last place there; for each place the one before it with its number. From 1. */
  const [copies, last, before] = [new Int32Array(count), new Int32Array(count), new Int32Array(b.length + 1)]
  for (let place = 1; place <= b.length; place++) {
    const number = b[place - 1] as number
    before[place] = last[number] as number
    last[number] = place
    copies[number] = (copies[number] as number) + 1
  }
  const most = a.reduce((sum, number) => sum + (copies[number] as number), 0)
  if (most === 0 || most > PAIRS_MAX) return
  /** For each pair, from 1, its places and the pair before it in its chain. */
  const [ofA, ofB, previous] = [new Int32Array(most + 1), new Int32Array(most + 1), new Int32Array(most + 1)]
  /** For each length of a chain the pair that ends one first in `b`. */
  const ends = new Int32Array(Math.min(a.length, b.length) + 1)
  let [pair, length, longest] = [0, 0, 0]
  for (let place = 0; place < a.length; place++) {
    for (let other = last[a[place] as number] as number; other > 0; other = before[other] as number) {
      const isLonger = (one: number): boolean => (ofB[ends[one] as number] as number) < other
      // A pair mostly prolongs the chain of the pair before it. Otherwise the longest chain that it prolongs is sought.
      let [least, limit] = isLonger(length) ? [length, longest] : [0, length - 1]
      if (least < limit && !isLonger(least + 1)) limit = least
      while (least < limit) {
        const middle = (least + limit + 1) >> 1
        if (isLonger(middle)) least = middle
        else limit = middle - 1
      }
      pair++
      previous[pair] = ends[least] as number
      ofA[pair] = place
      ofB[pair] = other
      length = least + 1
      ends[length] = pair
      longest = Math.max(longest, length)
    }
  }
  for (let at = ends[longest] as number; at > 0; at = previous[at] as number) {
    match(ofA[at] as number, (ofB[at] as number) - 1)
  }
}

/** The places whose piece is not unchanged. */
export function changedPlaces(unchanged: Uint8Array): number[] {
  const places: number[] = []
  for (let place = 0; place < unchanged.length; place++) if (unchanged[place] === 0) places.push(place)
  return places
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
  if (earlier.some(one => one.isSame(written))) return false
  if (text.isSame(written)) return true
  return written.keys.some(key => text.hasKey(key) && !earlier.some(one => one.hasKey(key)))
}
