import type { Standing, Tally } from '../../contract/resources.ts'

type Shown = Pick<Standing, 'state' | 'tally'> & Partial<Pick<Standing, 'confirmed' | 'changed'>>

/** A share in whole per cent, rounded down: a share below 1 is never 100. */
export const percentOf = (share: number): number => Math.floor(share * 100 + 1e-9)

/** The number of judgements on both sides. */
const sidesOf = ({ supported, unsupported, contradicted, for: voicesFor, against }: Tally): string[] => [
  `${supported} for (${voicesFor} independent)`,
  `${unsupported + contradicted} against (${against} independent)`,
]

/** How many sentences changed since a text was supported, in words; empty if none did or nothing is known. */
export const changedWords = ({ changed = 0 }: Pick<Shown, 'changed'>): string =>
  changed === 0 ? '' : `${changed} ${changed === 1 ? 'sentence' : 'sentences'} changed since it was checked`

/**
 * A standing in one line: the state, both sides with their independent voices, the judgements that do not count, the share of the text that
 * was supported if it is not all of it, and the number of sentences that changed since.
 */
export function standingLine({ state, tally, confirmed, changed }: Shown): string {
  const said = [
    ...sidesOf(tally),
    ...(tally.inconclusive > 0 ? [`${tally.inconclusive} inconclusive`] : []),
    ...(tally.own > 0 ? [`${tally.own} by authors of the text, not counted`] : []),
    ...(confirmed == null || confirmed === 1 ? [] : [`${percentOf(confirmed)} % confirmed`]),
    ...(changed === undefined || changed === 0 ? [] : [changedWords({ changed })]),
  ]
  return `${state}: ${said.join(', ')}`
}

/** The number of judgements about earlier texts. */
export const earlierCount = ({ earlier }: Pick<Standing, 'earlier'>): number => earlier.actors + earlier.own
