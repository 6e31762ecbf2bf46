import { SIMILAR_MAX } from '../contract/limits.ts'
import type { Entry, Similar, SimilarList } from '../contract/resources.ts'
import { TRUST } from '../contract/words.ts'
import { type Draft, probesOf, SIMILAR_FROM, similarity } from '../domain/similar.ts'
import { entryOf } from './entry-cache.ts'
import type { ReadOperation, Reads } from './operation.ts'

/** The newest so many entries of each search are looked at; what more than these have is common. */
const FOUND_MAX = 30
/** Entries whose words are compared with the draft. */
const COMPARED_MAX = 40
/** What a common word counts when entries are chosen to be compared, where a rare one counts 1. */
const COMMON_VOTE = 0.2
/** What all words of the title together count. */
const TOGETHER_VOTE = 5

/** Finds entries that have much in common with a draft's title and summary. The draft is compared and forgotten. */
export const listSimilar: ReadOperation = async (reads, { query }) => {
  const draft: Draft = { title: query.title ?? '', summary: query.summary ?? '' }
  const { candidates, common } = await gather(reads, draft)
  const found = await reads.entries.list(candidates)
  const items = found
    .map(served => entryOf(served))
    .map(entry => ({ entry, score: similarity(draft, entry, common) }))
    .filter(({ score }) => score >= SIMILAR_FROM)
    .sort((a, b) => b.score - a.score || (a.entry.id < b.entry.id ? 1 : -1))
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

/** The entries that most of the draft's rare words lead to, and which of its words are common. */
async function gather(reads: Reads, draft: Draft): Promise<{ candidates: number[]; common: Set<string> }> {
  const votes = new Map<number, number>()
  const common = new Set<string>()
  // One after another: a draft must not take the place of many searches at a time.
  for (const { key, terms } of probesOf(draft)) {
    const { entries, more } = await reads.search({ terms, tag: null, sort: 'recent', limit: FOUND_MAX, offset: 0 })
    if (more) common.add(key)
    const vote = key === '' ? TOGETHER_VOTE : more ? COMMON_VOTE : 1
    for (const entry of entries) votes.set(entry, (votes.get(entry) ?? 0) + vote)
  }
  const candidates = [...votes].sort(([, a], [, b]) => b - a).map(([entry]) => entry)
  return { candidates: candidates.slice(0, COMPARED_MAX), common }
}

const similarOf = (
  { id, slug, title, summary, tags, currentRevisionId, updatedAt }: Entry,
  score: number,
): Similar => ({ id, slug, title, summary, tags, currentRevisionId, updatedAt, score, ...TRUST })
