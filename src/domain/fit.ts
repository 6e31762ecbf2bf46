import type { Standing } from '../contract/resources.ts'
import type { Signal } from '../contract/vocabulary.ts'

/** How far evidence moves an entry: it breaks near ties, and no more. */
const SWAY = 0.1

type Weighed = { score: number; standing: Pick<Standing, 'state' | 'tally'> }

/** How good an answer an entry is: how well it fits, by a factor of 0.9 to 1.1 for its independent voices. */
export function worthOf({ score, standing: { tally } }: Weighed): number {
  const { independentFor, independentAgainst } = tally
  return score * (1 + (SWAY * (independentFor - independentAgainst)) / (independentFor + independentAgainst + 1))
}

/** Signals that do not move an entry: many honest guides pipe a download into a shell. All others put an entry after those without any. */
const HARMLESS: ReadonlySet<Signal> = new Set(['PIPE_TO_SHELL'])

/** A found entry with what speaks against it. */
export type Judged = Weighed & { signals: readonly Signal[] }
/** `whole` says whether it has all words of the question. */
export type Ordered = Judged & { whole: boolean }

/** Whether an entry comes after all others: evidence only speaks against it, or its text is flagged. */
const isLast = ({ standing, signals }: Pick<Judged, 'standing' | 'signals'>): boolean =>
  standing.state === 'CONTRADICTED' || signals.some(signal => !HARMLESS.has(signal))

/** Entries with all words first, each group best first; entries that come last after all others. */
export const byWorth = (a: Ordered, b: Ordered): number =>
  Number(isLast(a)) - Number(isLast(b)) || Number(b.whole) - Number(a.whole) || worthOf(b) - worthOf(a)

/** The match of a list whose first candidate has `match`. If that one comes last, at most the score of the first that does not. */
export function matchOf(list: Iterable<Judged>, match: number): number {
  let first = true
  for (const one of list) {
    if (!isLast(one)) return first ? match : Math.min(match, Math.round(one.score * 1_000) / 1_000)
    first = false
  }
  return match
}
