import { LIMITS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { Missing } from '../../contract/resources.ts'
import type { Sort } from '../../contract/vocabulary.ts'
import type { Awaitable, Reader } from '../../engine/database.ts'
import { termsOf } from '../../find/rules/words.ts'
import { observedSearch } from '../activity/observe.ts'
import { encodeJson, joinAtOnce, joinInTurns } from '../encoded-json.ts'
import { type Answer, inTurns, type ReadOperation, type Reads } from '../operation.ts'
import type { Fit, Match, SearchRequest, SearchResult } from '../searching.ts'
import { isUuid, shortDigest } from '../values.ts'
import type { ServedEntry, ServedPage } from './cache.ts'
import { findRevisionById, listEvolvedEntries, listRecentEntries, toRevision } from './rows.ts'
import { tagKey } from './rules.ts'

export type ListRequest = { q: string; tag: string; sort: Sort; limit: number; offset: number }

export const wantedOf = ({
  limit = LIMITS.pageDefault,
  offset = 0,
  q = '',
  tag = '',
  sort = 'recent',
}: Partial<ListRequest>): ListRequest => ({ q, tag, sort, limit, offset })

/** Lists entries, or finds those that match `q` and `tag`. */
export const listEntries: ReadOperation<'listEntries'> = (reads, { query }) => {
  const wanted = wantedOf(query)
  const finding = findPage(reads, wanted)
  return finding instanceof Promise ? finding.then(page => pageAnswer(wanted, page)) : pageAnswer(wanted, finding)
}
/** The same operation at another address. */
export const searchEntries = listEntries

const nameOf = (order: Order, { limit, offset }: ListRequest): string => `${order} ${limit} ${offset}`

/** The members of the body of a list in addition to its items. */
const frameOf = ({ limit, offset }: ListRequest) => ({ limit, offset, dataClass: 'EXTERNAL' })

export const pageOf = (
  wanted: ListRequest,
  entries: ServedEntry[],
  { more, fit }: { more: boolean; fit?: Fit | undefined },
): ServedPage => {
  const frame = { ...frameOf(wanted), match: fit?.match }
  const pieces = ['{"items":[']
  for (const { json } of entries) {
    if (pieces.length > 1) pieces.push(',')
    pieces.push(json)
  }
  pieces.push(`],${JSON.stringify(frame).slice(1)}`)
  return {
    entries: entries.length,
    more,
    json: joinAtOnce(pieces),
    ...(fit === undefined ? {} : { fit }),
  }
}

export function pageAnswer(wanted: ListRequest, { entries, more, json, fit }: ServedPage): Answer {
  const { tag, sort, limit, offset } = wanted
  return {
    json,
    ...(fit === undefined ? {} : { fit }),
    ...(more && offset + limit <= LIMITS.offsetMax ? { next: { offset: offset + limit } } : {}),
    observed: observedSearch(entries, sort, tag),
  }
}

/** A list of all entries needs only these reads and an order, not the search index. */
type Newest = Pick<Reads, 'entries' | 'reader'>
type Order = 'recent' | 'evolution'

/** The order of a list of all entries; undefined if the list needs the search index. */
export const orderOfAll = ({ q, tag, sort }: ListRequest): Order | undefined =>
  hasTerms(q) || (tag !== '' && tagKey(tag) !== '') ? undefined : sort === 'evolution' ? sort : 'recent'

const hasTerms = (q: string): boolean => q !== '' && termsOf(q).length > 0

/** The order of a search. Without words there is no relevance, so the order is `recent`. */
export const orderOf = ({ q, sort }: ListRequest): Sort => (sort === 'relevance' && !hasTerms(q) ? 'recent' : sort)

/** The search request for a part of a list. */
export const requestOf = (
  wanted: ListRequest,
  { limit, offset }: Pick<ListRequest, 'limit' | 'offset'>,
): SearchRequest => {
  const { q, tag } = wanted
  return { q, tag: tagKey(tag) === '' ? null : tag, sort: orderOf(wanted), limit, offset }
}

export function findPage(reads: Reads, wanted: ListRequest): Awaitable<ServedPage> {
  const order = orderOfAll(wanted)
  if (order !== undefined) return newestPage(reads, order, wanted)
  return reads.search(requestOf(wanted, wanted)).then(found => foundPage(reads, wanted, found))
}

/** A page of some matches of a search result, by default all. */
export async function foundPage(
  reads: Reads,
  wanted: ListRequest,
  found: SearchResult,
  matches: readonly Match[] = found.matches,
): Promise<ServedPage> {
  const shown = await reads.entries.list(matches.map(({ entry }) => entry))
  if (!hasTerms(wanted.q)) return pageOf(wanted, shown, { more: found.more })
  const { coverage, match, answerableFrom, missing, corrected } = found
  return pageOf(wanted, shown, { more: found.more, fit: { coverage, match, answerableFrom, missing, corrected } })
}

const newestPage = (reads: Newest, order: Order, wanted: ListRequest): Awaitable<ServedPage> =>
  reads.entries.page(nameOf(order, wanted), () => findNewest(reads, order, wanted))

/** The numbers of all public entries in an order. */
export const listAll = (reader: Reader, order: Order, limit: number, offset: number): Promise<number[]> =>
  (order === 'evolution' ? listEvolvedEntries : listRecentEntries)(reader, limit, offset)

/** Maximum number of reads of a page. If a record was committed during each of them, the result of the last read is returned. */
const ATTEMPTS = 5

/** Reads a page of all entries in one state of the store. Reads it again if a record was committed during the read. */
async function findNewest({ entries, reader }: Newest, order: Order, wanted: ListRequest): Promise<ServedPage> {
  const { limit, offset } = wanted
  let record = await entries.catchUp()
  for (let attempt = 1; ; attempt++) {
    const numbers = await listAll(reader, order, limit + 1, offset)
    const shown = await entries.list(numbers)
    const now = await entries.catchUp()
    if (now === record || attempt === ATTEMPTS)
      return pageOf(wanted, shown.slice(0, limit), { more: numbers.length > limit })
    record = now
  }
}

/** Reads the current state of an entry, without a promise if it is cached. */
export const readEntry: ReadOperation<'readEntry'> = ({ entries }, { params }) => {
  const reading = entries.read(params.slug)
  return reading instanceof Promise ? reading.then(entryAnswer) : entryAnswer(reading)
}

const entryAnswer = ({ json, etag, number, revision }: ServedEntry): Answer => ({
  json,
  etag,
  records: [revision],
  observed: { action: 'READ', entry: number, revision, metadata: null },
})

/** Reads entries or exact revisions: one item per id or slug, in the requested order. A missing one is an item with its problem. */
export const readBatch: ReadOperation<'readBatch'> = async (reads, { query }) => {
  const found = await inTurns(reads, query.ids.split(','), id => readOrMissing(reads, id))
  const items = found.flatMap((one, place) => [
    place === 0 ? '' : ',',
    'json' in one ? one.json : encodeJson(JSON.stringify(one)),
  ])
  const versions = found.map(one => ('json' in one ? one.etag : one.problem))
  const read = new Map(found.flatMap(one => ('json' in one ? [[one.number, one.revision] as const] : [])))
  return {
    json: await joinInTurns(['{"items":[', ...items, '],"dataClass":"EXTERNAL"}'], reads.yieldIfOverBudget),
    etag: shortDigest(versions.join()),
    alsoObserved: [...read].map(([entry, revision]) => ({ action: 'READ', entry, revision, metadata: null })),
  }
}

async function readOrMissing({ entries, reader }: Reads, id: string): Promise<Served | Missing> {
  try {
    return await entries.read(id)
  } catch (error) {
    const code = error instanceof Problem ? error.code : undefined
    const revision = code === 'ENTRY_NOT_FOUND' && isUuid(id) ? await findServedRevision(reader, id) : undefined
    if (revision !== undefined) return revision
    if (code === 'ENTRY_NOT_FOUND' || code === 'ENTRY_WITHDRAWN' || code === 'ERASED') return { id, problem: code }
    throw error
  }
}

type Served = Pick<ServedEntry, 'number' | 'revision' | 'etag' | 'json'>

/** A revision of a public entry by its id, as it is sent, or the problem if its entry was withdrawn. */
async function findServedRevision(reader: Reader, id: string): Promise<Served | Missing | undefined> {
  const row = await findRevisionById(reader, id)
  if (row === undefined) return undefined
  if (row.withdrawn === 1) return { id, problem: 'ENTRY_WITHDRAWN' }
  if (row.title === '') return { id, problem: 'ERASED' }
  const revision = toRevision(row)
  const json = encodeJson(JSON.stringify(revision))
  return { number: row.entry, revision: row.number, etag: revision.evidenceHash, json }
}
