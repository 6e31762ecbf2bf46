import type { Standing } from '../../contract/resources.ts'

type Shown = Pick<Standing, 'state' | 'tally'> & Partial<Pick<Standing, 'confirmed'>>

/** A share in whole per cent, rounded down: a share below 1 is never 100. */
export const percentOf = (share: number): number => Math.floor(share * 100 + 1e-9)

const voices = (count: number): string => `${count} independent`

/** The share of a text that was supported, in words; empty if it is the whole text, or none. */
const partOf = (confirmed: Shown['confirmed']): string[] =>
  confirmed == null || confirmed === 1 ? [] : [`support is about ${percentOf(confirmed)} % of this text`]

/**
 * A standing in one line: the state, both sides with their independent voices, the judgements that do not count, and the share of the text
 * that was supported if it is not all of it.
 */
export function standingLine({ state, tally, confirmed }: Shown): string {
  const against = tally.unsupported + tally.contradicted
  const said = [
    `${tally.supported} for (${voices(tally.independentFor)})`,
    `${against} against (${voices(tally.independentAgainst)})`,
    ...(tally.inconclusive > 0 ? [`${tally.inconclusive} inconclusive`] : []),
    ...(tally.own > 0 ? [`${tally.own} by authors of the text, not counted`] : []),
    ...partOf(confirmed),
  ]
  return `${state}: ${said.join(', ')}`
}

/** The number of judgements about earlier texts. */
export const earlierCount = ({ earlier }: Pick<Standing, 'earlier'>): number => earlier.actors + earlier.own
