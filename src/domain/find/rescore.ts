import { fieldTermsOf, impactOf, impactsOf, type RankedText } from './ranking.ts'

/** The score of a text for weighted terms of a query. */
function saidOf(text: RankedText, weights: readonly (readonly [term: string, weight: number])[]): number {
  const impacts = impactsOf(fieldTermsOf(text))
  return weights.reduce((sum, [term, weight]) => {
    const level = impacts.get(term)
    return level === undefined ? sum : sum + weight * impactOf(level)
  }, 0)
}

/** The score of an earlier text of an entry, from 0 to 1: the score of the current text, scaled by the ratio of both term scores. */
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
