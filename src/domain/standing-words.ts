import type { Standing } from '../contract/resources.ts'

type Shown = Pick<Standing, 'state' | 'tally'>

const voices = (count: number): string => `${count} independent`

/** A standing in one line: the state, both sides with their independent voices, and the judgements that do not count. */
export function standingLine({ state, tally }: Shown): string {
  const against = tally.unsupported + tally.contradicted
  const said = [
    `${tally.supported} for (${voices(tally.independentFor)})`,
    `${against} against (${voices(tally.independentAgainst)})`,
    ...(tally.inconclusive > 0 ? [`${tally.inconclusive} inconclusive`] : []),
    ...(tally.own > 0 ? [`${tally.own} by authors of the text, not counted`] : []),
  ]
  return `${state}: ${said.join(', ')}`
}

/** The number of judgements about earlier texts. */
export const earlierCount = ({ earlier }: Pick<Standing, 'earlier'>): number => earlier.actors + earlier.own
