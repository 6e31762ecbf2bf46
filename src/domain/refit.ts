import { impactsOf, type RankedText, worthAt } from './ranking.ts'

/** What a text says of the terms of a query, each with what it weighs. */
function saidOf(text: RankedText, weights: readonly (readonly [term: string, weight: number])[]): number {
  const impacts = impactsOf(text)
  return weights.reduce((sum, [term, weight]) => {
    const level = impacts.get(term)
    return level === undefined ? sum : sum + weight * worthAt(level, false)
  }, 0)
}

/** The score of another text of an entry: that of its text of now, by how much more or less the other says of the terms. From 0 to 1. */
export function refit(
  score: number,
  { now, earlier }: { now: RankedText; earlier: RankedText },
  weights: readonly (readonly [term: string, weight: number])[],
): number {
  const said = saidOf(earlier, weights)
  if (said === 0) return 0
  const saidNow = saidOf(now, weights)
  return Math.min(1, saidNow === 0 ? score : (score * said) / saidNow)
}
