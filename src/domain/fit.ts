import type { Standing } from '../contract/resources.ts'

/** How far evidence moves an entry among others that fit a question about as well: it breaks near ties, and no more. */
const SWAY = 0.1

type Weighed = { score: number; standing: Pick<Standing, 'state' | 'tally'> }

/** How good an answer an entry is: how well it fits, by a factor of 0.9 to 1.1 for its independent voices. */
export function worthOf({ score, standing: { tally } }: Weighed): number {
  const { independentFor, independentAgainst } = tally
  return score * (1 + (SWAY * (independentFor - independentAgainst)) / (independentFor + independentAgainst + 1))
}

/** Best answers first; those that evidence only speaks against come after all others. */
export function byWorth(a: Weighed, b: Weighed): number {
  const refuted = (one: Weighed): number => (one.standing.state === 'CONTRADICTED' ? 1 : 0)
  return refuted(a) - refuted(b) || worthOf(b) - worthOf(a)
}
