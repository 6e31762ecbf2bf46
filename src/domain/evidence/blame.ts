import { SECTIONS, type Section } from '../../contract/vocabulary.ts'
import type { Text } from './retained-text.ts'
import { visitPieces } from './sentence.ts'
import { type Judgement, type Standing, standingOf } from './standing.ts'

const MEMBERS = { TITLE: 'title', SUMMARY: 'summary', CONTENT: 'content' } as const satisfies Record<
  Section,
  keyof Text
>

/**
 * Costs of a comparison, in units of about 2 ns: a read revision, a character of it, a piece that is cut again, a hashed character, a
 * sought piece.
 */
export const COSTS = { revision: 3_000, read: 2, piece: 200, hashed: 3, sought: 8 } as const
/** The budget for one text: enough for 500 revisions of 20,000 characters without a common sentence. */
export const COST_MAX = 75_000_000

/** The pieces of one section of a text, and which of them another text has. */
type Comparison = {
  pieces: readonly string[]
  /** Compares another text; returns the cost. It is least for a text that differs little from the one before. */
  look(text: string): number
  /** Whether the text that was compared last has a piece. The second copy of a piece needs a text with two. */
  has(place: number): boolean
}

/** A text, where its pieces begin, and which of the sought pieces each is: -1 for none. */
type Cut = { text: string; starts: number[]; keys: number[] }

/** Numbers the distinct pieces of a text. */
type Keys = {
  add(text: string, from: number, end: number): number
  /** The number of the same piece; -1 for none. */
  find(text: string, from: number, end: number): number
  /** How many characters were hashed to find pieces. */
  hashed(): number
}

/** Pieces are first distinguished by one of this many signs. */
const SIGNS = 65_536

/** Most pieces that are not known have a sign that no known one has. They are not sliced and hashed, which costs more than cutting. */
function createKeys(): Keys {
  const known = new Map<string, number>()
  const signs = new Uint8Array(SIGNS)
  let hashed = 0
  return {
    add(text, from, end) {
      const piece = text.slice(from, end)
      const key = known.get(piece) ?? known.size
      known.set(piece, key)
      signs[signOf(text, from, end)] = 1
      return key
    },
    find(text, from, end) {
      if (signs[signOf(text, from, end)] === 0) return -1
      hashed += end - from
      return known.get(text.slice(from, end)) ?? -1
    },
    hashed: () => hashed,
  }
}

/** A number below `SIGNS` from the length of a piece and three of its characters. */
function signOf(text: string, from: number, end: number): number {
  // A piece of blank space is empty without it.
  if (from === end) return 0
  const [first, middle, late] = [from, (from + end) >> 1, Math.max(from, end - 3)]
  let sign = end - from
  for (const at of [first, middle, late]) sign = Math.imul(sign, 31) + text.charCodeAt(at)
  return Math.imul(sign, 0x9e3779b1) >>> 16
}

function compare(section: string): Comparison {
  const pieces: string[] = []
  const known = createKeys()
  const keys: number[] = []
  const copies: number[] = []
  const counts: number[] = []
  visitPieces(section, 0, (from, to, end) => {
    const key = known.add(section, from, end)
    counts[key] = (counts[key] ?? 0) + 1
    pieces.push(section.slice(from, to))
    keys.push(key)
    copies.push(counts[key])
  })
  counts.fill(0)
  const count = (key: number, by: number): void => {
    if (key >= 0) counts[key] = (counts[key] ?? 0) + by
  }
  const seen: Cut = { text: '', starts: [], keys: [] }
  return {
    pieces,
    look(text) {
      const hashed = known.hashed()
      const { first, rest, starts, keys: fresh } = cutAgain(seen, text, known)
      const moved = text.length - seen.text.length
      for (const key of seen.keys.splice(first, rest - first, ...fresh)) count(key, -1)
      for (const key of fresh) count(key, 1)
      seen.starts.splice(first, rest - first, ...starts)
      const after = first + starts.length
      for (let at = after; moved !== 0 && at < seen.starts.length; at++)
        seen.starts[at] = (seen.starts[at] ?? 0) + moved
      seen.text = text
      return text.length * COSTS.read + starts.length * COSTS.piece + (known.hashed() - hashed) * COSTS.hashed
    },
    has: place => (counts[keys[place] ?? -1] ?? 0) >= (copies[place] ?? 1),
  }
}

/** Cuts the part of a text that differs from the one before: the pieces of that from `first` up to `rest` are exchanged for these. */
function cutAgain(before: Cut, text: string, known: Keys) {
  const most = Math.min(text.length, before.text.length)
  const prefix = commonPrefix(before.text, text, most)
  const suffix = commonSuffix(before.text, text, most - prefix)
  const moved = text.length - before.text.length
  // Where a piece begins is known once the next one has begun.
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

/** Texts are compared in halves, because the engine compares slices many times faster than code compares units. */
const commonPrefix = (a: string, b: string, most: number): number =>
  greatest(most, (size, held) => a.slice(held, size) === b.slice(held, size))
const commonSuffix = (a: string, b: string, most: number): number =>
  greatest(
    most,
    (size, held) => a.slice(a.length - size, a.length - held) === b.slice(b.length - size, b.length - held),
  )
/** How many of some rising numbers are at most `limit`. */
const countUpTo = (rising: readonly number[], limit: number): number =>
  greatest(rising.length, size => (rising[size - 1] ?? 0) <= limit)

/** A sentence or line of a text, the blank space after it included. */
export type Piece = { section: Section; text: string }

/** The ordinals of a piece: of the first revision that had it, and of the revision since which all compared ones have it. */
export type Origin = { first: number; since: number }

export type Blame = {
  pieces: readonly Piece[]
  /** Compares an earlier revision, newest first. Returns the cost. */
  look(text: Text, ordinal: number): number
  /** Which pieces a text has. */
  holds(text: Text): boolean[]
  origins(): Origin[]
}

/**
 * Finds the revision that wrote each sentence of a text: the first one that had it, in the same section, even where later ones did not. A
 * sentence that moved or came back keeps its author. The second copy of a sentence is by the first revision that had two.
 */
export function createBlame(current: Text, ordinal: number): Blame {
  const sections = SECTIONS.map(section => ({ section, comparison: compare(current[MEMBERS[section]]) }))
  const places = sections.flatMap(({ comparison }) => comparison.pieces.map((_, place) => ({ comparison, place })))
  const origins: (Origin & { alive: boolean })[] = places.map(() => ({ first: ordinal, since: ordinal, alive: true }))
  const compareWith = (text: Text): number =>
    sections.reduce((cost, { section, comparison }) => cost + comparison.look(text[MEMBERS[section]]), 0)
  return {
    pieces: sections.flatMap(({ section, comparison }) => comparison.pieces.map(text => ({ section, text }))),
    look(text, earlier) {
      const cost = compareWith(text)
      places.forEach(({ comparison, place }, at) => {
        const origin = origins[at] as (typeof origins)[number]
        if (!comparison.has(place)) origin.alive = false
        else {
          origin.first = earlier
          if (origin.alive) origin.since = earlier
        }
      })
      return cost + places.length * COSTS.sought
    },
    holds(text) {
      compareWith(text)
      return places.map(({ comparison, place }) => comparison.has(place))
    },
    origins: () => origins.map(({ first, since }) => ({ first, since })),
  }
}

/** The most judgements that are counted for all parts of a text together; past it, the judged texts with the fewest voices are left out. */
const COUNTED_MAX = 100_000

/** A judged text, and which pieces it has. */
export type Judged = { text: number; has: readonly boolean[] }

/**
 * The standing of each piece of a text, from the judgements of the texts that have it. Pieces that the same texts have are counted
 * together: `places` has for each piece the place in `standings`, null where no judged text has it. `judged` comes with the most voices
 * first.
 */
export function evidenceOf(judgements: readonly Judgement[], judged: readonly Judged[], size: number) {
  let texts = judged
  let signs = signsOf(texts, size)
  while (new Set(signs).size * judgements.length > COUNTED_MAX) {
    texts = texts.slice(0, -1)
    signs = signsOf(texts, size)
  }
  const bits = new Map(texts.map(({ text }, at) => [text, 2 ** at]))
  const distinct = [...new Set(signs)].filter(sign => sign !== 0)
  const standings: Standing[] = distinct.map(sign =>
    standingOf(
      judgements.filter(({ text }) => ((bits.get(text) ?? 0) & sign) !== 0),
      () => 1,
    ),
  )
  const placeOf = new Map(distinct.map((sign, place) => [sign, place]))
  return { places: signs.map(sign => placeOf.get(sign) ?? null), standings }
}

/** For each piece a number with a bit for each text that has it. */
const signsOf = (texts: readonly Judged[], size: number): number[] =>
  Array.from({ length: size }, (_, place) =>
    texts.reduce((sign, { has }, at) => (has[place] ? sign | (2 ** at) : sign), 0),
  )
