import { LIMITS } from '../contract/limits.ts'
import type { Sort } from '../contract/words.ts'
import { tagKey } from '../domain/tag.ts'
import { termsOf } from '../domain/terms.ts'
import { listEvolvedEntries, listRecentEntries } from '../store/entry.ts'
import { octetsOf, type ServedEntry, type ServedPage } from './entry-cache.ts'
import type { ReadOperation, Reads } from './operation.ts'

/** Lists entries, or finds those that match `q` and `tag`. */
export const listEntries: ReadOperation = async (reads, { query }) => {
  const { limit = LIMITS.pageDefault, offset = 0, q = '', tag = '', sort = 'recent' } = query
  const found = await findPage(reads, { q, tag, sort, limit, offset })
  const page = { limit, offset, dataClass: 'EXTERNAL' }
  const shown = found.entries
  return {
    body: { items: shown.map(({ entry }) => entry), ...page },
    octets: `{"items":[${found.octets}],${octetsOf(JSON.stringify(page)).slice(1)}`,
    ...(found.more && offset + limit <= LIMITS.offsetMax ? { next: { offset: offset + limit } } : {}),
    observed: {
      action: 'SEARCH',
      entry: null,
      revision: null,
      metadata: { resultCount: shown.length, tag: tag === '' ? null : tag, sort },
    },
  }
}
/** The same under another address. */
export const searchEntries = listEntries

type Wanted = { q: string; tag: string; sort: Sort; limit: number; offset: number }

const pageOf = (entries: ServedEntry[], more: boolean): ServedPage => ({
  entries,
  more,
  octets: entries.map(one => one.octets).join(','),
})

async function findPage(reads: Reads, { q, tag, sort, limit, offset }: Wanted): Promise<ServedPage> {
  const terms = termsOf(q)
  if (terms.length === 0 && tagKey(tag) === '') {
    const order = sort === 'evolution' ? sort : 'recent'
    return reads.entries.page(`${order} ${limit} ${offset}`, () => findNewest(reads, { sort: order, limit, offset }))
  }
  const order = sort === 'relevance' && terms.length === 0 ? 'recent' : sort
  const page = await reads.search({ terms, tag: tagKey(tag) === '' ? null : tag, sort: order, limit, offset })
  return pageOf(await reads.entries.list(page.entries), page.more)
}

/** How often a page is read again because something was written on the way; then it is shown as it was come by. */
const ATTEMPTS = 5

/** A page of all entries as they stood at one time: where a record came in between, the order is asked for again. */
async function findNewest(
  { entries, reader }: Reads,
  { sort, limit, offset }: Pick<Wanted, 'sort' | 'limit' | 'offset'>,
): Promise<ServedPage> {
  const list = sort === 'evolution' ? listEvolvedEntries : listRecentEntries
  let record = await entries.catchUp()
  for (let attempt = 1; ; attempt++) {
    const numbers = await list(reader, limit + 1, offset)
    const shown = await entries.list(numbers)
    const now = await entries.catchUp()
    if (now === record || attempt === ATTEMPTS) return pageOf(shown.slice(0, limit), numbers.length > limit)
    record = now
  }
}

/** Reads an entry as it stands. */
export const readEntry: ReadOperation = async ({ entries }, { params }) => {
  const { entry, octets, etag, number, revision } = await entries.read(params.slug ?? '')
  return { body: entry, octets, etag, observed: { action: 'READ', entry: number, revision, metadata: null } }
}
