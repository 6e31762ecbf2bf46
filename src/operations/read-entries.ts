import { LIMITS } from '../contract/limits.ts'
import type { Sort } from '../contract/words.ts'
import { tagKey } from '../domain/tag.ts'
import { termsOf } from '../domain/terms.ts'
import { type EntryRow, listEntriesByNumber, listEvolvedEntries, listRecentEntries, toEntry } from '../store/entry.ts'
import { etagOf } from './etag.ts'
import type { ReadOperation, Reads } from './operation.ts'
import { addressed, readOf } from './pages.ts'

/** Lists entries, or finds those that match `q` and `tag`. */
export const listEntries: ReadOperation = async (reads, { query }) => {
  const { limit = LIMITS.pageDefault, offset = 0, q = '', tag = '', sort = 'recent' } = query
  const found = await findPage(reads, { q, tag, sort, limit, offset })
  const items = found.rows.slice(0, limit).map(toEntry)
  return {
    body: { items, limit, offset, dataClass: 'EXTERNAL' },
    ...(found.more && offset + limit <= LIMITS.offsetMax ? { next: { offset: offset + limit } } : {}),
    observed: {
      action: 'SEARCH',
      entry: null,
      revision: null,
      metadata: { resultCount: items.length, tag: tag === '' ? null : tag, sort },
    },
  }
}
/** The same under another address. */
export const searchEntries = listEntries

type Wanted = { q: string; tag: string; sort: Sort; limit: number; offset: number }

async function findPage(
  reads: Reads,
  { q, tag, sort, limit, offset }: Wanted,
): Promise<{ rows: EntryRow[]; more: boolean }> {
  const terms = termsOf(q)
  if (terms.length === 0 && tagKey(tag) === '') {
    const list = sort === 'evolution' ? listEvolvedEntries : listRecentEntries
    const rows = await list(reads.reader, limit + 1, offset)
    return { rows, more: rows.length > limit }
  }
  const order = sort === 'relevance' && terms.length === 0 ? 'recent' : sort
  const page = await reads.search({ terms, tag: tagKey(tag) === '' ? null : tag, sort: order, limit, offset })
  return { rows: await listEntriesByNumber(reads.reader, page.entries), more: page.more }
}

/** Reads an entry as it stands. */
export const readEntry: ReadOperation = async (reads, request) => {
  const entry = await addressed(reads.reader, request)
  return { body: toEntry(entry), etag: etagOf(entry), observed: readOf(entry) }
}
