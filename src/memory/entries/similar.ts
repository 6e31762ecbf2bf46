import { SIMILAR_MAX } from '../../contract/limits.ts'
import type { Entry, Similar, SimilarList } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import {
  type Draft,
  type DraftTerms,
  SIMILAR_FROM,
  similarity,
  type TermWeights,
  termsOfDraft,
} from '../../find/rules/ranking.ts'
import { observedSearch } from '../activity/observe.ts'
import type { ReadOperation } from '../operation.ts'
import { entryOf } from './cache.ts'

/** The weight of a term that only the other text has, relative to a term that no entry has. */
const TYPICAL = 0.5
/** Number of entries that are compared with the draft: those that rank highest for its words. */
const CANDIDATES_MAX = 40

type Similarly<E> = { entry: E; score: number }

/** Returns the entries whose similarity to a draft is at least `SIMILAR_FROM`, most similar first. */
export function similarOnes<E extends Draft & { id: string }>(
  draft: DraftTerms,
  entries: readonly E[],
  weights: TermWeights,
): Similarly<E>[] {
  return entries
    .map(entry => ({ entry, score: similarity(draft, termsOfDraft(entry), weights) }))
    .filter(({ score }) => score >= SIMILAR_FROM)
    .sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? 1 : -1))
}

/** Finds entries that have much in common with the title and summary of a draft. The draft is not stored. */
export const listSimilar: ReadOperation<'listSimilar'> = async (reads, { query }) => {
  const draft: Draft = { title: query.title, summary: query.summary ?? '' }
  const q = `${draft.title}\n${draft.summary}`
  const found = await reads.search({ q, tag: null, sort: 'fit', limit: CANDIDATES_MAX, offset: 0 })
  const weights = { of: new Map(found.weights), other: found.unknown * TYPICAL }
  const compared = (await reads.entries.list(found.matches.map(({ entry }) => entry))).map(entryOf)
  const items = similarOnes(termsOfDraft(draft), compared, weights)
    .slice(0, SIMILAR_MAX)
    .map(({ entry, score }) => similarOf(entry, score))
  const body: SimilarList = { items, dataClass: 'EXTERNAL' }
  return {
    body,
    observed: observedSearch(items.length, 'relevance'),
  }
}

const similarOf = (
  { id, slug, title, summary, tags, currentRevisionId, updatedAt, standing, signals }: Entry,
  score: number,
): Similar => ({ id, slug, title, summary, tags, currentRevisionId, updatedAt, score, standing, signals, ...TRUST })
