import { SECTIONS, type Section } from '../../contract/vocabulary.ts'
import { sectionOf, type Text, visitPieces } from '../evidence/pieces-rules.ts'
import {
  type Evidence,
  inFavourBeside,
  isAgainst,
  type Judgement,
  newestOfActors,
  objectionsOf,
  verdictOf,
} from '../evidence/rules.ts'

/**
 * Costs of a comparison, in units of about 2 ns: for each revision, each character read, each piece cut again, each character hashed, and
 * each piece sought.
 */
export const COSTS = { revision: 3_000, read: 2, piece: 200, hashed: 3, sought: 8 } as const
/** A text, the offsets at which its pieces begin, and the number of each piece: -1 if it equals no sought piece. */
type Cut = { text: string; starts: number[]; keys: number[] }

/** The number of signs. A sign is a short hash that distinguishes most pieces. */
const SIGNS = 65_536

/** A hash below `SIGNS` of the length of a piece and three of its characters. */
function signOf(text: string, from: number, end: number): number {
  // A piece of blank space is empty, because `end` excludes the blank space at its end.
  if (from === end) return 0
  const [first, middle, late] = [from, (from + end) >> 1, Math.max(from, end - 3)]
  let sign = end - from
  for (const at of [first, middle, late]) sign = Math.imul(sign, 31) + text.charCodeAt(at)
  return Math.imul(sign, 0x9e3779b1) >>> 16
}

/**
 * Numbers the distinct pieces of a text. Most pieces of other texts have a sign that no piece of this text has. These pieces are not sliced
 * and hashed, which would cost more than cutting them.
 */
class PieceKeys {
  readonly #known = new Map<string, number>()
  readonly #signs = new Uint8Array(SIGNS)
  #hashed = 0

  /** How many characters were hashed to find pieces. */
  get hashed(): number {
    return this.#hashed
  }

  add(text: string, from: number, end: number): number {
    const piece = text.slice(from, end)
    const key = this.#known.get(piece) ?? this.#known.size
    this.#known.set(piece, key)
    this.#signs[signOf(text, from, end)] = 1
    return key
  }

  /** The number of the equal piece; -1 if there is none. */
  find(text: string, from: number, end: number): number {
    if (this.#signs[signOf(text, from, end)] === 0) return -1
    this.#hashed += end - from
    return this.#known.get(text.slice(from, end)) ?? -1
  }
}

/** The pieces of one section of a text, and which of them another text has. */
class SectionComparison {
  readonly pieces: readonly string[]
  readonly #known = new PieceKeys()
  /** The number of each piece, and its rank among the equal pieces, from 1. */
  readonly #keys: number[] = []
  readonly #copies: number[] = []
  /** How often each number occurs in the last compared text. */
  readonly #counts: number[] = []
  readonly #last: Cut = { text: '', starts: [], keys: [] }

  constructor(section: string) {
    const pieces: string[] = []
    const counts = this.#counts
    visitPieces(section, 0, (from, to, end) => {
      const key = this.#known.add(section, from, end)
      counts[key] = (counts[key] ?? 0) + 1
      pieces.push(section.slice(from, to))
      this.#keys.push(key)
      this.#copies.push(counts[key])
    })
    counts.fill(0)
    this.pieces = pieces
  }

  /** Compares another text and returns the cost. The cost is lowest for a text that differs little from the previous one. */
  compare(text: string): number {
    const last = this.#last
    const { hashed } = this.#known
    const { first, rest, starts, keys } = cutAgain(last, text, this.#known)
    const moved = text.length - last.text.length
    for (const key of last.keys.splice(first, rest - first, ...keys)) this.#count(key, -1)
    for (const key of keys) this.#count(key, 1)
    last.starts.splice(first, rest - first, ...starts)
    const after = first + starts.length
    for (let at = after; moved !== 0 && at < last.starts.length; at++) last.starts[at] = (last.starts[at] ?? 0) + moved
    last.text = text
    return text.length * COSTS.read + starts.length * COSTS.piece + (this.#known.hashed - hashed) * COSTS.hashed
  }

  /** Whether the last compared text has the piece at `place`. The second copy of a piece needs a text with two copies. */
  has(place: number): boolean {
    return (this.#counts[this.#keys[place] ?? -1] ?? 0) >= (this.#copies[place] ?? 1)
  }

  #count(key: number, by: number): void {
    if (key >= 0) this.#counts[key] = (this.#counts[key] ?? 0) + by
  }
}

/** Cuts the part of a text that differs from the previous text. The result replaces the previous pieces from `first` up to `rest`. */
function cutAgain(before: Cut, text: string, known: PieceKeys) {
  const most = Math.min(text.length, before.text.length)
  const prefix = commonPrefix(before.text, text, most)
  const suffix = commonSuffix(before.text, text, most - prefix)
  const moved = text.length - before.text.length
  // A piece is known to end only where the next one begins: cutting starts one piece before the difference.
  const first = Math.max(0, countUpTo(before.starts, prefix) - 2)
  const starts: number[] = []
  const keys: number[] = []
  let next = first
  let rest = before.starts.length
  visitPieces(text, before.starts[first] ?? 0, (from, _, end) => {
    if (from >= text.length - suffix) {
      while (next < before.starts.length && (before.starts[next] ?? 0) < from - moved) next++
      if (before.starts[next] === from - moved) {
        rest = next
        return true
      }
    }
    starts.push(from)
    keys.push(known.find(text, from, end))
    return false
  })
  return { first, rest, starts, keys }
}

/** The greatest number from 0 to `most` for which a monotonic condition is true. */
function greatest(most: number, holds: (size: number, held: number) => boolean): number {
  let least = 0
  let limit = most
  while (least < limit) {
    const middle = (least + limit + 1) >> 1
    if (holds(middle, least)) least = middle
    else limit = middle - 1
  }
  return least
}

/** Compares slices by binary search: the engine compares slices many times faster than code compares units. */
const commonPrefix = (a: string, b: string, most: number): number =>
  greatest(most, (size, held) => a.slice(held, size) === b.slice(held, size))
const commonSuffix = (a: string, b: string, most: number): number =>
  greatest(
    most,
    (size, held) => a.slice(a.length - size, a.length - held) === b.slice(b.length - size, b.length - held),
  )
/** How many of the ascending numbers are at most `limit`. */
const countUpTo = (rising: readonly number[], limit: number): number =>
  greatest(rising.length, size => (rising[size - 1] ?? 0) <= limit)

/** The maximum cost of one text, in units of COSTS: enough for 500 revisions of 20,000 characters without a common sentence. */
export const COST_MAX = 75_000_000

/** A sentence or line of a text, including the blank space after it. */
export type Piece = { section: Section; text: string }

/** `first` is the ordinal of the first revision that has the piece. Every compared revision from ordinal `since` on has it. */
export type Origin = { first: number; since: number }

/**
 * Finds the revision that wrote each sentence of a text: the first one that has it in the same section, even if later revisions lack it. A
 * sentence that was moved or restored keeps its author. The second copy of a sentence is by the first revision with two copies.
 */
export class TextBlame {
  readonly pieces: readonly Piece[]
  readonly #sections: readonly { section: Section; comparison: SectionComparison }[]
  /**
   * For each piece: the comparison of its section, its place in that section, and its origin. `alive`: every compared revision has the
   * piece.
   */
  readonly #places: readonly { comparison: SectionComparison; place: number; origin: Origin & { alive: boolean } }[]

  constructor(current: Text, ordinal: number) {
    const sections = SECTIONS.map(section => ({
      section,
      comparison: new SectionComparison(sectionOf(current, section)),
    }))
    this.#sections = sections
    this.pieces = sections.flatMap(({ section, comparison }) => comparison.pieces.map(text => ({ section, text })))
    this.#places = sections.flatMap(({ comparison }) =>
      comparison.pieces.map((_, place) => ({
        comparison,
        place,
        origin: { first: ordinal, since: ordinal, alive: true },
      })),
    )
  }

  /** Compares an earlier revision and returns the cost. Call it for the newest revision first. */
  compare(text: Text, ordinal: number): number {
    const cost = this.#compareSections(text)
    for (const { comparison, place, origin } of this.#places) {
      if (!comparison.has(place)) origin.alive = false
      else {
        origin.first = ordinal
        if (origin.alive) origin.since = ordinal
      }
    }
    return cost + this.#places.length * COSTS.sought
  }

  /** Whether a text has each of `pieces`, in their order. */
  holds(text: Text): boolean[] {
    this.#compareSections(text)
    return this.#places.map(({ comparison, place }) => comparison.has(place))
  }

  origins(): Origin[] {
    return this.#places.map(({ origin: { first, since } }) => ({ first, since }))
  }

  #compareSections(text: Text): number {
    return this.#sections.reduce(
      (cost, { section, comparison }) => cost + comparison.compare(sectionOf(text, section)),
      0,
    )
  }
}

/** The maximum number of judgements that are counted for all parts of a text. Past it, judged texts are left out, the last first. */
const COUNTED_MAX = 100_000

/** The state of a part of a text, and the standing objections to it, newest first. */
type PartEvidence = ReturnType<typeof verdictOf> & { objections: Judgement[] }

/**
 * The evidence about each piece of the current text: supports of texts that have it unchanged, and standing objections that quote it or are
 * about such a text. `places` has the index in `parts` for each piece, or null if no judged text has it.
 */
export function evidenceOfPieces(evidence: Evidence): { places: (number | null)[]; parts: PartEvidence[] } {
  const { judgements, compared, current } = evidence
  const open = new Set(objectionsOf(evidence).flatMap(one => (one.status === 'STANDING' ? [one.judgement] : [])))
  const counted = judgements.filter(one => !isAgainst(one) || open.has(one))
  const quotes = counted.flatMap(one => {
    const judged = compared.get(one.revision)
    if (one.quote === null || judged === undefined) return []
    return [{ judgement: one, numbers: new Set(judged.claimOf(one.quote).flat()) }]
  })
  const whole = Map.groupBy(
    counted.filter(({ quote }) => quote === null),
    ({ revision }) => revision,
  )
  let texts = [...compared].flatMap(([revision, text]) =>
    whole.has(revision) ? [{ revision, unchanged: current.comparedWith(text).ofCurrent }] : [],
  )
  const signOf = (place: number): string =>
    [
      texts.map(({ unchanged }) => unchanged[place]).join(''),
      ...quotes.flatMap(({ numbers }, at) => (numbers.has(current.numbers[place] ?? -1) ? [at] : [])),
    ].join(' ')
  const signs = (): string[] => [...current.numbers.keys()].map(signOf)
  let found = signs()
  while (texts.length > 0 && new Set(found).size * counted.length > COUNTED_MAX) {
    texts = texts.slice(0, -1)
    found = signs()
  }
  const parts: PartEvidence[] = []
  const places = new Map<string, number | null>()
  for (const [place, sign] of found.entries()) {
    if (places.has(sign)) continue
    const about = [
      ...texts.flatMap(({ revision, unchanged }) => (unchanged[place] ? (whole.get(revision) ?? []) : [])),
      ...quotes.flatMap(({ judgement, numbers }) => (numbers.has(current.numbers[place] ?? -1) ? [judgement] : [])),
    ].sort((a, b) => b.record - a.record)
    places.set(sign, about.length === 0 ? null : parts.length)
    if (about.length > 0) parts.push(partOf(about))
  }
  return { places: found.map(sign => places.get(sign) ?? null), parts }
}

/** The evidence of a part, from the newest judgement of each actor and all objections. */
function partOf(about: readonly Judgement[]): PartEvidence {
  const objections = about.filter(isAgainst)
  const inFavour = newestOfActors(inFavourBeside(objections, about.toReversed()))
  return { ...verdictOf([...objections, ...inFavour]), objections }
}
