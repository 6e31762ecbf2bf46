import { rankingTermsOf } from './ranking-terms.ts'

/** What has less in common than this is not called similar. */
export const SIMILAR_FROM = 0.4

export type Draft = { title: string; summary: string }

/** What the terms of a draft say, the more the rarer they are, and what a term says that it does not have. */
export type Worth = { of: ReadonlyMap<string, number>; other: number }

/** How much two texts have in common, from 0 to 1. */
export function similarity(draft: Draft, entry: Draft, worth: Worth): number {
  const ofTitle = shared(draft.title, entry.title, worth)
  const ofBoth = shared(`${draft.title}\n${draft.summary}`, `${entry.title}\n${entry.summary}`, worth)
  const score = draft.summary === '' ? ofTitle : Math.max(ofTitle, (ofTitle + ofBoth) / 2)
  return Math.round(score * 100) / 100
}

/** Twice what both have, of what each has (the coefficient of Dice), by worth. */
function shared(a: string, b: string, worth: Worth): number {
  const ours = distinct(a)
  const theirs = distinct(b)
  const both = [...ours].filter(term => theirs.has(term))
  const all = sum(ours, worth) + sum(theirs, worth)
  return all === 0 ? 0 : (2 * sum(both, worth)) / all
}

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
