import { SIMILAR_MAX } from '../contract/limits.ts'
import type { Entry, Similar, SimilarList } from '../contract/resources.ts'
import { TRUST } from '../contract/words.ts'
import { type Draft, SIMILAR_FROM, similarity } from '../domain/similar.ts'
import { entryOf } from './entry-cache.ts'
import type { ReadOperation, Reads } from './operation.ts'

/** What a term that the draft does not have says, of what one says that no entry has. */
const TYPICAL = 0.5
/** Entries that are compared with the draft: those that rank highest for its words. */
const COMPARED_MAX = 40

type Found = { entry: Entry; score: number }

/** The entries that have most in common with a draft, at most `limit`, most similar first. The draft is compared and forgotten. */
export async function findSimilar(
  { search, entries }: Pick<Reads, 'search' | 'entries'>,
  draft: Draft,
  { compared, limit, spare }: { compared: number; limit: number; spare?: true },
): Promise<Found[]> {
  const q = `${draft.title}\n${draft.summary}`
  const asked = { q, tag: null, sort: 'fit', limit: compared, offset: 0, ...(spare === true ? { spare } : {}) } as const
  const found = await search(asked)
  const worth = { of: new Map(found.weights), other: found.unknown * TYPICAL }
  return (await entries.list(found.entries))
    .map(served => entryOf(served))
    .map(entry => ({ entry, score: similarity(draft, entry, worth) }))
    .filter(({ score }) => score >= SIMILAR_FROM)
    .sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? 1 : -1))
    .slice(0, limit)
}

/** Finds entries that have much in common with a draft's title and summary. */
export const listSimilar: ReadOperation = async (reads, { query }) => {
  const draft: Draft = { title: query.title ?? '', summary: query.summary ?? '' }
  const found = await findSimilar(reads, draft, { compared: COMPARED_MAX, limit: SIMILAR_MAX })
  const items = found.map(({ entry, score }) => similarOf(entry, score))
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
