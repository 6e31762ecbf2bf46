import { LIMITS } from '../contract/limits.ts'
import type { Sort } from '../contract/words.ts'
import { matchOf, type Ordered } from '../domain/fit.ts'
import { tagKey } from '../domain/tag.ts'
import { termsOf } from '../domain/terms.ts'
import { listEvolvedEntries, listRecentEntries } from '../store/entry.ts'
import { type EntryCache, entryOf, type ServedEntry, type ServedPage } from './entry-cache.ts'
import type { Answer, Fit, ReadOperation, Reads, SearchResult } from './operation.ts'

type Wanted = { q: string; tag: string; sort: Sort; limit: number; offset: number }

const wantedOf = ({
  limit = LIMITS.pageDefault,
  offset = 0,
  q = '',
  tag = '',
  sort = 'recent',
}: Partial<Wanted>): Wanted => ({ q, tag, sort, limit, offset })

/** Lists entries, or finds those that match `q` and `tag`. */
export const listEntries: ReadOperation = async (reads, { query }) => {
  const wanted = wantedOf(query)
  return pageAnswer(wanted, await findPage(reads, wanted))
}
/** The same under another address. */
export const searchEntries = listEntries

/** The first page of the newest entries: where it is known and nothing was committed since, and as it is read. */
export const newest = (reads: Newest, limit: number) => {
  const wanted = wantedOf({ limit })
  return {
    ready(): Answer | undefined {
      const page = reads.entries.readyPage(nameOf('recent', wanted))
      return page === undefined ? undefined : pageAnswer(wanted, page)
    },
    read: async (): Promise<Answer> => pageAnswer(wanted, await newestPage(reads, 'recent', wanted)),
  }
}

const nameOf = (order: Order, { limit, offset }: Wanted): string => `${order} ${limit} ${offset}`

/** What an answer says of a page beside its items. */
const frameOf = ({ limit, offset }: Wanted) => ({ limit, offset, dataClass: 'EXTERNAL' })

const pageOf = (wanted: Wanted, entries: ServedEntry[], more: boolean, fit?: Fit): ServedPage => {
  const items = entries.map(one => one.octets).join(',')
  const frame = { ...frameOf(wanted), match: fit?.match }
  return {
    entries: entries.length,
    more,
    octets: Buffer.from(`{"items":[${items}],${JSON.stringify(frame).slice(1)}`, 'latin1'),
    ...(fit === undefined ? {} : { fit }),
  }
}

function pageAnswer(wanted: Wanted, { entries, more, octets, fit }: ServedPage): Answer {
  const { tag, sort, limit, offset } = wanted
  return {
    octets,
    ...(fit === undefined ? {} : { fit }),
    ...(more && offset + limit <= LIMITS.offsetMax ? { next: { offset: offset + limit } } : {}),
    observed: {
      action: 'SEARCH',
      entry: null,
      revision: null,
      metadata: { resultCount: entries, tag: tag === '' ? null : tag, sort },
    },
  }
}

/** What lists of all entries are read from, without asking the search index, and their orders. */
type Newest = Pick<Reads, 'entries' | 'reader'>
type Order = 'recent' | 'evolution'

async function findPage(reads: Reads, wanted: Wanted): Promise<ServedPage> {
  const { q, tag, sort, limit, offset } = wanted
  const terms = termsOf(q)
  if (terms.length === 0 && tagKey(tag) === '') {
    return newestPage(reads, sort === 'evolution' ? sort : 'recent', wanted)
  }
  const order = sort === 'relevance' && terms.length === 0 ? 'recent' : sort
  const page = await reads.search({ q, tag: tagKey(tag) === '' ? null : tag, sort: order, limit, offset })
  const shown = await reads.entries.list(page.entries)
  if (terms.length === 0) return pageOf(wanted, shown, page.more)
  const match = order === 'relevance' && offset === 0 ? matchOf(weighed(shown, page), page.match) : page.match
  const { coverage, missing, corrected } = page
  return pageOf(wanted, shown, page.more, { coverage, match, missing, corrected })
}

/** The entries of a page as they are looked at for how well it fits, each read when it is its turn. */
function* weighed(shown: readonly ServedEntry[], { entries, scores }: SearchResult): Generator<Ordered> {
  for (const one of shown) {
    const { standing, signals } = entryOf(one)
    yield { standing, signals, score: scores[entries.indexOf(one.number)] ?? 0 }
  }
}

const newestPage = (reads: Newest, order: Order, wanted: Wanted): Promise<ServedPage> =>
  reads.entries.page(nameOf(order, wanted), () => findNewest(reads, order, wanted))

/** How often a page is read again because something was written on the way; then it is shown as it was come by. */
const ATTEMPTS = 5

/** A page of all entries as they stood at one time: where a record came in between, the order is asked for again. */
async function findNewest({ entries, reader }: Newest, order: Order, wanted: Wanted): Promise<ServedPage> {
  const { limit, offset } = wanted
  const list = order === 'evolution' ? listEvolvedEntries : listRecentEntries
  let record = await entries.catchUp()
  for (let attempt = 1; ; attempt++) {
    const numbers = await list(reader, limit + 1, offset)
    const shown = await entries.list(numbers)
    const now = await entries.catchUp()
    if (now === record || attempt === ATTEMPTS) return pageOf(wanted, shown.slice(0, limit), numbers.length > limit)
    record = now
  }
}

const entryAnswer = ({ octets, etag, number, revision }: ServedEntry): Answer => ({
  octets,
  etag,
  records: [revision],
  observed: { action: 'READ', entry: number, revision, metadata: null },
})

/** Reads an entry as it stands. */
export const readEntry: ReadOperation = async ({ entries }, { params }) =>
  entryAnswer(await entries.read(params.slug ?? ''))

/** One entry: where it is known and nothing was committed since, and as it is read. */
export const entryAt = (entries: EntryCache, address: string) => ({
  ready(): Answer | undefined {
    const served = entries.ready(address)
    return served === undefined ? undefined : entryAnswer(served)
  },
  read: async (): Promise<Answer> => entryAnswer(await entries.read(address)),
})
