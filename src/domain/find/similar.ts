import { distinctTerms } from '../terms/pairs.ts'
import { rankingTermsOf } from '../terms/ranking-terms.ts'

/** Texts with a lower similarity do not count as similar. */
export const SIMILAR_FROM = 0.35

export type Draft = { title: string; summary: string }

/** The weight of each term of a draft, higher for rare terms, and the weight of any other term. */
export type TermWeights = { of: ReadonlyMap<string, number>; other: number }

/** The distinct terms of the title of a draft, and of its title and summary together. Without a summary, `all` is undefined. */
export type DraftTerms = { title: ReadonlySet<string>; all: ReadonlySet<string> | undefined }

export function termsOfDraft({ title, summary }: Draft): DraftTerms {
  const ofTitle = rankingTermsOf(title)
  const all = summary === '' ? undefined : distinctTerms(ofTitle, rankingTermsOf(summary))
  return { title: distinctTerms(ofTitle), all }
}

/** The terms of title and summary. */
export const allTerms = ({ title, all }: DraftTerms): ReadonlySet<string> => all ?? title

/** The similarity of a draft and another text, from 0 to 1. It is 0 if a draft of several terms has only one in common. */
export function similarity(draft: DraftTerms, other: DraftTerms, weights: TermWeights): number {
  const [ours, theirs] = [allTerms(draft), allTerms(other)]
  if (ours.size > 1 && common(ours, theirs).length === 1) return 0
  const ofTitle = shared(draft.title, other.title, weights)
  const score = draft.all === undefined ? ofTitle : Math.max(ofTitle, (ofTitle + shared(ours, theirs, weights)) / 2)
  return Math.round(score * 100) / 100
}

/** The weighted Dice coefficient: twice the weight of the common terms, divided by the sum of both weights. */
function shared(ours: ReadonlySet<string>, theirs: ReadonlySet<string>, weights: TermWeights): number {
  const all = sum(ours, weights) + sum(theirs, weights)
  return all === 0 ? 0 : (2 * sum(common(ours, theirs), weights)) / all
}

const common = (ours: ReadonlySet<string>, theirs: ReadonlySet<string>): string[] =>
  [...ours].filter(term => theirs.has(term))

const sum = (terms: Iterable<string>, { of, other }: TermWeights): number => {
  let total = 0
  for (const term of terms) total += of.get(term) ?? other
  return total
}
