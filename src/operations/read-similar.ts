import { SIMILAR_MAX } from '../contract/limits.ts'
import type { Entry, Similar, SimilarList } from '../contract/resources.ts'
import { TRUST } from '../contract/words.ts'
import { type Draft, type DraftTerms, SIMILAR_FROM, similarity, termsOfDraft, type Worth } from '../domain/similar.ts'
import { entryOf } from './entry-cache.ts'
import type { ReadOperation, Reads } from './operation.ts'

/** What a term that the draft does not have says, of what one says that no entry has. */
const TYPICAL = 0.5
/** Entries that are compared with the draft: those that rank highest for its words. */
const COMPARED_MAX = 40

type Similarly = { entry: Entry; score: number }

/** The entries among some that have enough in common with a draft, most similar first. */
export async function similarOnes(
  { entries }: Pick<Reads, 'entries'>,
  draft: DraftTerms,
  numbers: readonly number[],
  worth: Worth,
): Promise<Similarly[]> {
  return (await entries.list(numbers))
    .map(served => entryOf(served))
    .map(entry => ({ entry, score: similarity(draft, termsOfDraft(entry), worth) }))
    .filter(({ score }) => score >= SIMILAR_FROM)
    .sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? 1 : -1))
}

/** Finds entries that have much in common with a draft's title and summary. The draft is compared and forgotten. */
export const listSimilar: ReadOperation = async (reads, { query }) => {
  const draft: Draft = { title: query.title ?? '', summary: query.summary ?? '' }
  const q = `${draft.title}\n${draft.summary}`
  const found = await reads.search({ q, tag: null, sort: 'fit', limit: COMPARED_MAX, offset: 0 })
  const worth = { of: new Map(found.weights), other: found.unknown * TYPICAL }
  const items = (await similarOnes(reads, termsOfDraft(draft), found.entries, worth))
    .slice(0, SIMILAR_MAX)
    .map(({ entry, score }) => similarOf(entry, score))
  const body: SimilarList = { items, dataClass: 'EXTERNAL' }
  return {
    body,
    observed: {
      action: 'SEARCH',
      entry: null,
      revision: null,
      metadata: { resultCount: items.length, tag: null, sort: 'relevance' },
    },
  }
}

const similarOf = (
  { id, slug, title, summary, tags, currentRevisionId, updatedAt }: Entry,
  score: number,
): Similar => ({ id, slug, title, summary, tags, currentRevisionId, updatedAt, score, ...TRUST })
