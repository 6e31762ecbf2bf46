import type { Tally } from '../../contract/resources.ts'
import { SECTIONS, type Section, type State } from '../../contract/vocabulary.ts'
import type { Text } from './pieces.ts'
import { claimOf } from './pieces.ts'
import { COSTS, SectionComparison } from './section-comparison.ts'
import { type Evidence, isAgainst, type Judgement, objectionsOf, stateOfTally, tallyOf } from './standing.ts'

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

/** The maximum number of judgements that are counted for all parts of a text. Past it, judged texts are left out, the last first. */
const COUNTED_MAX = 100_000

/** The state of a part of a text, and the standing objections to it, newest first. */
export type PartEvidence = { state: State; tally: Tally; objections: Judgement[] }

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
    return [{ judgement: one, keys: new Set(claimOf(judged.text, one.quote).flat()) }]
  })
  const whole = Map.groupBy(
    counted.filter(({ quote }) => quote === null),
    ({ revision }) => revision,
  )
  let texts = [...compared].filter(([revision]) => whole.has(revision))
  const signOf = (place: number): string =>
    [
      texts.map(([, { comparison }]) => (comparison.unchanged[place] ? 1 : 0)).join(''),
      ...quotes.flatMap(({ keys }, at) => (keys.has(current.keys[place] ?? '') ? [at] : [])),
    ].join(' ')
  const signs = (): string[] => [...current.keys.keys()].map(signOf)
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
      ...texts.flatMap(([revision, { comparison }]) =>
        comparison.unchanged[place] ? (whole.get(revision) ?? []) : [],
      ),
      ...quotes.flatMap(({ judgement, keys }) => (keys.has(current.keys[place] ?? '') ? [judgement] : [])),
    ].sort((a, b) => b.record - a.record)
    places.set(sign, about.length === 0 ? null : parts.length)
    if (about.length > 0) parts.push(partOf(about))
  }
  return { places: found.map(sign => places.get(sign) ?? null), parts }
}

/** The evidence of a part, from the newest judgement of each actor and all objections. */
function partOf(about: readonly Judgement[]): PartEvidence {
  const objections = about.filter(isAgainst)
  const opponents = new Set(objections.map(({ actor }) => actor))
  const others = new Map(
    about
      .filter(one => !isAgainst(one))
      .toReversed()
      .map(one => [one.actor, one]),
  )
  const tally = tallyOf([...objections, ...[...others.values()].filter(({ actor }) => !opponents.has(actor))])
  return { state: stateOfTally(tally), tally, objections }
}
