import { rankingTermsOf } from './ranking-terms.ts'

/** Texts with a lower similarity do not count as similar. */
export const SIMILAR_FROM = 0.4

export type Draft = { title: string; summary: string }

/** The weights of the terms of a draft, rare ones more, and the weight of any other term. */
export type Worth = { of: ReadonlyMap<string, number>; other: number }

/** The similarity of two texts, from 0 to 1. It is 0 if a draft of several terms has only one in common. */
export function similarity(draft: Draft, entry: Draft, worth: Worth): number {
  const [ours, theirs] = [distinct(`${draft.title}\n${draft.summary}`), distinct(`${entry.title}\n${entry.summary}`)]
  if (ours.size > 1 && common(ours, theirs).length === 1) return 0
  const ofTitle = shared(distinct(draft.title), distinct(entry.title), worth)
  const score = draft.summary === '' ? ofTitle : Math.max(ofTitle, (ofTitle + shared(ours, theirs, worth)) / 2)
  return Math.round(score * 100) / 100
}

/** The coefficient of Dice, weighted: twice the common weight divided by the sum of both. */
function shared(ours: Set<string>, theirs: Set<string>, worth: Worth): number {
  const all = sum(ours, worth) + sum(theirs, worth)
  return all === 0 ? 0 : (2 * sum(common(ours, theirs), worth)) / all
}

const common = (ours: Set<string>, theirs: Set<string>): string[] => [...ours].filter(term => theirs.has(term))

const distinct = (text: string): Set<string> =>
  new Set(
    rankingTermsOf(text)
      .filter(({ derived }) => !derived)
      .map(({ term }) => term),
  )

const sum = (terms: Iterable<string>, { of, other }: Worth): number => {
  let total = 0
  for (const term of terms) total += of.get(term) ?? other
  return total
}
