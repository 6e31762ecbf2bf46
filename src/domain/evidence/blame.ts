import { SECTIONS, type Section } from '../../contract/vocabulary.ts'
import type { Text } from './retained-text.ts'
import { COSTS, SectionComparison } from './section-comparison.ts'
import { type Judgement, type Standing, standingOf } from './standing.ts'

const MEMBERS = { TITLE: 'title', SUMMARY: 'summary', CONTENT: 'content' } as const satisfies Record<
  Section,
  keyof Text
>

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
      comparison: new SectionComparison(current[MEMBERS[section]]),
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
      (cost, { section, comparison }) => cost + comparison.compare(text[MEMBERS[section]]),
      0,
    )
  }
}

/**
 * The maximum number of judgements that are counted for all parts of a text. Past it, the judged texts with the fewest voices are left out.
 */
const COUNTED_MAX = 100_000

/** A judged text, and whether it has each piece. */
export type Judged = { text: number; has: readonly boolean[] }

/**
 * The standing of each piece of a text, from the judgements of the texts that have it. Pieces that occur in the same texts share a
 * standing. `places` has the index in `standings` for each piece, or null if no judged text has it. Pass `judged` in descending order of
 * voices.
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

/** A bit mask for each piece: bit n is set if text n has the piece. */
const signsOf = (texts: readonly Judged[], size: number): number[] =>
  Array.from({ length: size }, (_, place) =>
    texts.reduce((sign, { has }, at) => (has[place] ? sign | (2 ** at) : sign), 0),
  )
