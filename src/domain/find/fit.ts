import type { Standing } from '../../contract/resources.ts'
import type { Signal } from '../../contract/vocabulary.ts'
import { fieldTermsOf, impactOf, impactsOf, type RankedText } from './ranking.ts'

type Weighed = { score: number; standing: Pick<Standing, 'share'> }

/**
 * The share of its rank score that an entry keeps if its text has a signal of commands. Honest guides have these commands too: many pipe a
 * download into a shell, and some free a full disk. The entry follows entries whose score is at least this share of its own. Any other
 * signal leaves 0.
 */
const SHARES: Partial<Record<Signal, number>> = { PIPE_TO_SHELL: 0.8, DESTRUCTIVE_COMMAND: 0.5 }

const shareOf = (signals: readonly Signal[]): number => Math.min(1, ...signals.map(signal => SHARES[signal] ?? 0))

/** The rank of an entry as an answer: match × (1 + share) ÷ 2 for its voices, times the share that its signals leave. */
const rankScore = ({ score, standing, signals }: Judged): number =>
  ((score * (1 + standing.share)) / 2) * (shareOf(signals) || 1)

/** A found entry with the signals of its text. */
export type Judged = Weighed & { signals: readonly Signal[] }
/** `whole`: the entry has all words of the question. */
export type Ordered = Judged & { whole: boolean }

/** Whether an entry follows all others: its text has a signal that leaves 0. Evidence hides nothing. */
export const isLast = ({ signals }: Pick<Judged, 'signals'>): boolean => shareOf(signals) === 0

/** Number of the best matches that are ordered by rank score. */
export const CANDIDATES = 40

/** Sorts entries with all words first, and each group by descending rank score. Entries for which `isLast` is true follow all others. */
export const byRank = (a: Ordered, b: Ordered): number =>
  Number(isLast(a)) - Number(isLast(b)) || Number(isWhole(b)) - Number(isWhole(a)) || rankScore(b) - rankScore(a)

/** An entry with a signal does not gain from having all words of the question: only its score counts. */
const isWhole = ({ whole, signals }: Ordered): boolean => whole && shareOf(signals) === 1

/** A score or a match, rounded to three decimals as in answers. */
export const roundScore = (score: number): number => Math.round(score * 1_000) / 1_000

/**
 * The match of a list whose first candidate has `match`. If that candidate is last by `isLast`, the match is at most the score of the first
 * that is not.
 */
export function matchOf(list: Iterable<Judged>, match: number): number {
  let first = true
  for (const one of list) {
    if (!isLast(one)) return first ? match : Math.min(match, roundScore(one.score))
    first = false
  }
  return match
}

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
