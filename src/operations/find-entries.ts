import { FIND } from '../contract/limits.ts'
import type { Found, FoundList } from '../contract/resources.ts'
import { TRUST } from '../contract/words.ts'
import { passageOf } from '../domain/passage.ts'
import { isAnswerable } from '../domain/ranking.ts'
import { tagKey } from '../domain/tag.ts'
import { type EntryCache, entryOf } from './entry-cache.ts'
import type { ReadOperation, SearchResult } from './operation.ts'

/** Finds the entries that answer a described problem, best first, each with the passage that fits best. */
export const findEntries: ReadOperation = async (reads, { query }) => {
  const { q = '', tag = '', limit = FIND.default } = query
  const result = await reads.search({
    q,
    tag: tagKey(tag) === '' ? null : tag,
    sort: 'fit',
    limit,
    offset: 0,
  })
  const { coverage, match, missing, corrected } = result
  const items = await rowsOf(reads.entries, result)
  const body: FoundList = {
    items,
    coverage,
    match,
    answerable: isAnswerable(match),
    missing,
    corrected,
    dataClass: 'EXTERNAL',
  }
  return {
    body,
    fit: { coverage, match },
    observed: {
      action: 'SEARCH',
      entry: null,
      revision: null,
      metadata: { resultCount: items.length, tag: tag === '' ? null : tag, sort: 'relevance' },
    },
  }
}

/** The entries of a result as slim rows, in its order; what was withdrawn since it was indexed is left out. */
async function rowsOf(entries: EntryCache, result: SearchResult): Promise<Found[]> {
  const weights = new Map(result.weights)
  const scores = new Map(result.entries.map((number, at) => [number, result.scores[at] ?? 0]))
  const served = await entries.list(result.entries)
  return served.map(one => {
    const { id, slug, title, summary, tags, content, currentRevisionId, updatedAt } = entryOf(one)
    const score = Math.round((scores.get(one.number) ?? 0) * 1_000) / 1_000
    const excerpt = passageOf(content, weights)
    return { id, slug, title, summary, excerpt, tags, score, currentRevisionId, updatedAt, ...TRUST }
  })
}
