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

/** The characters that may end a piece. The regular expression finds them many times faster than a loop. */
const MARK = /[\n\u2028\u2029.!?…؟۔।॥։።፧។៕。！？｡．]/g

// The engine optimises a pattern for the first texts that it searches. Without marks in them it skips to rare marks several times faster.
for (const letters of ['a'.repeat(200), 'b'.repeat(200)]) MARK.test(letters)

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
    MARK.lastIndex = at
    if (!MARK.test(text)) break
    const marked = MARK.lastIndex - 1
    const mark = kindAt(text, marked)
    at = marked + 1
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

/** A sentence or line of a text, without the blank space at its end. `from` and `to` are its place in its section, with that space. */
export type Piece = { section: Section; text: string; from: number; to: number }

/**
 * A text in its pieces, in order. Two pieces are equal if their keys are: same section, same characters after NFC. Indentation is part of a
 * piece.
 */
export type CutText = {
  /** The text after NFC. */
  text: Text
  pieces: readonly Piece[]
  keys: readonly string[]
  /** The place of the first piece with a key. */
  places: ReadonlyMap<string, number>
  /** The same for each piece: the place of the first piece that equals it. */
  firsts: readonly number[]
  /** The length of all pieces, in UTF-16 units. */
  size: number
  /** Equal for texts with the same pieces in the same order. */
  digest: string
}

const MEMBERS = { TITLE: 'title', SUMMARY: 'summary', CONTENT: 'content' } as const satisfies Record<
  Section,
  keyof Text
>

export function cutText(text: Text): CutText {
  const pieces: Piece[] = []
  const keys: string[] = []
  const places = new Map<string, number>()
  const firsts: number[] = []
  let size = 0
  const normal = { title: nfc(text.title), summary: nfc(text.summary), content: nfc(text.content) }
  for (const section of SECTIONS) {
    const whole = normal[MEMBERS[section]]
    visitPieces(whole, 0, (from, to, end) => {
      const piece = { section, text: whole.slice(from, end), from, to }
      const key = `${section} ${piece.text}`
      const first = places.get(key) ?? keys.length
      if (first === keys.length) places.set(key, first)
      firsts.push(first)
      pieces.push(piece)
      keys.push(key)
      size += piece.text.length
    })
  }
  return { text: normal, pieces, keys, places, firsts, size, digest: shortDigest(keys.join('\0')) }
}

const nfc = (text: string): string => text.normalize('NFC')

/** Whether two texts have the same pieces in the same order. */
export const isSameText = (one: CutText, other: CutText): boolean => one.digest === other.digest

/** What a current text has of a judged text. */
export type Comparison = {
  same: boolean
  /** Whether the current text has any piece of the judged one, at any place. */
  overlaps: boolean
  /** For each piece of the current text: whether the diff leaves it unchanged. */
  unchanged: readonly boolean[]
  /** The places of the pieces of the judged text that the current text does not have unchanged. */
  gone: readonly number[]
  /** The share of the current text, by characters, that is unchanged. */
  share: number
}

/**
 * The maximum number of edits of a diff: pieces that have an equal piece in the other text, but not in the same order. Past it, all pieces
 * between the common beginning and the common end count as changed.
 */
export const EDITS_MAX = 128

/** A diff by pieces: a longest common subsequence (Myers 1986). A moved piece is a changed piece. */
export function compareTexts(judged: CutText, current: CutText): Comparison {
  const unchanged = new Array<boolean>(current.keys.length).fill(false)
  const left = new Array<boolean>(judged.keys.length).fill(false)
  const match = (ofJudged: number, ofCurrent: number): void => {
    left[ofJudged] = true
    unchanged[ofCurrent] = true
  }
  let [first, endJudged, endCurrent] = [0, judged.keys.length, current.keys.length]
  for (; first < Math.min(endJudged, endCurrent) && judged.keys[first] === current.keys[first]; first++)
    match(first, first)
  while (Math.min(endJudged, endCurrent) > first && judged.keys[endJudged - 1] === current.keys[endCurrent - 1]) {
    match(--endJudged, --endCurrent)
  }
  const [ofJudged, ofCurrent] = commonPieces(judged, current, [first, endJudged, endCurrent])
  for (const [one, other] of commonPlaces(Int32Array.from(ofJudged.ids), Int32Array.from(ofCurrent.ids))) {
    match(ofJudged.places[one] as number, ofCurrent.places[other] as number)
  }
  let size = 0
  for (let place = 0; place < unchanged.length; place++) {
    if (unchanged[place]) size += (current.pieces[place] as Piece).text.length
  }
  const gone: number[] = []
  for (let place = 0; place < left.length; place++) if (!left[place]) gone.push(place)
  return {
    same: isSameText(judged, current),
    overlaps: first > 0 || endJudged < judged.keys.length || ofJudged.ids.length > 0,
    unchanged,
    gone,
    share: current.size === 0 ? 1 : size / current.size,
  }
}

/** Pieces of a text in order: their places, and ids that are equal for equal pieces. */
type Pieces = { places: number[]; ids: number[] }

/** The pieces that the middles of two texts have in common. The others cannot be part of a common subsequence. */
function commonPieces(
  judged: CutText,
  current: CutText,
  [first, endJudged, endCurrent]: readonly [number, number, number],
): [Pieces, Pieces] {
  const inMiddle = new Uint8Array(current.keys.length)
  for (let place = first; place < endCurrent; place++) inMiddle[current.firsts[place] as number] = 1
  const ofJudged: Pieces = { places: [], ids: [] }
  for (let place = first; place < endJudged; place++) {
    const id = current.places.get(judged.keys[place] as string)
    if (id === undefined || inMiddle[id] === 0) continue
    inMiddle[id] = 2
    ofJudged.places.push(place)
    ofJudged.ids.push(id)
  }
  const ofCurrent: Pieces = { places: [], ids: [] }
  for (let place = first; place < endCurrent; place++) {
    const id = current.firsts[place] as number
    if (inMiddle[id] !== 2) continue
    ofCurrent.places.push(place)
    ofCurrent.ids.push(id)
  }
  return [ofJudged, ofCurrent]
}

/** The pairs of places of a longest common subsequence, last first; empty if it needs more than `EDITS_MAX` edits. */
function commonPlaces(a: Int32Array, b: Int32Array): [number, number][] {
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

/** A quoted claim in a text: for each occurrence, the keys of the pieces that it touches. */
export type Claim = readonly (readonly string[])[]

/** The pieces that a quote touches, for each occurrence in a section; empty if it does not occur. Equal occurrences are returned once. */
export function claimOf(cut: CutText, quote: string): Claim {
  const wanted = nfc(quote).trim()
  const ranges: Range[] = []
  if (wanted === '') return []
  let found = 0
  for (const section of SECTIONS) {
    const whole = cut.text[MEMBERS[section]]
    for (let at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + wanted.length)) {
      if (found++ === OCCURRENCES_MAX) break
      const range = rangeOf(cut, section, at, at + wanted.length)
      if (!ranges.some(other => hasEqualPieces(cut, other, range))) ranges.push(range)
    }
  }
  return ranges.map(({ first, after }) => cut.keys.slice(first, after))
}

/** The maximum number of occurrences of a quote that are considered. */
const OCCURRENCES_MAX = 16

/** The places of some pieces of a text. */
type Range = { first: number; after: number }

/** The pieces that a range of characters of a section touches. The pieces are in order. */
function rangeOf({ pieces }: CutText, section: Section, at: number, end: number): Range {
  const order = SECTIONS.indexOf(section)
  const isBefore = (piece: Piece): boolean =>
    piece.section === section ? piece.to <= at : SECTIONS.indexOf(piece.section) < order
  let [first, last] = [0, pieces.length]
  while (first < last) {
    const middle = (first + last) >> 1
    if (isBefore(pieces[middle] as Piece)) first = middle + 1
    else last = middle
  }
  let after = first
  for (let piece = pieces[after]; piece?.section === section && piece.from < end; piece = pieces[after]) after++
  return { first, after }
}

function hasEqualPieces({ firsts }: CutText, one: Range, other: Range): boolean {
  const length = one.after - one.first
  if (other.after - other.first !== length) return false
  for (let at = 0; at < length; at++) if (firsts[one.first + at] !== firsts[other.first + at]) return false
  return true
}

/** Whether a text still has a claim: all pieces of one of its occurrences. */
export const hasClaim = ({ places }: CutText, claim: Claim): boolean =>
  claim.some(keys => keys.every(key => places.has(key)))

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
  return written.keys.some(key => text.places.has(key) && !earlier.some(({ places }) => places.has(key)))
}
