import { LIMITS } from '../contract/limits.ts'
import type { BodyOf, Kind, NameOf, OperationName, ParamsOf, QueryOf } from '../contract/operations.ts'
import type { Hints } from '../contract/resources.ts'
import type { Action, DataClass, Sort } from '../contract/vocabulary.ts'
import type { Awaitable, Reader, Transaction } from '../engine/database.ts'
import type { WordPair } from '../find/rules/question.ts'
import { type ActivityRow, toActivity } from './activity/rows.ts'
import type { ChangeFilter, ChangeKey } from './activity/rules.ts'
import type { OriginKeys } from './actors/rows.ts'
import { decodeJson, type EncodedJson } from './encoded-json.ts'
import type { EntryCache } from './entries/cache.ts'
import { type EntryRow, findEntry } from './entries/rows.ts'
import { assertReadable } from './entries/rules.ts'
import type { KnownTexts } from './evidence/standing.ts'
import type { Idempotency } from './idempotency/rules.ts'
import type { Fit, SearchRequest, SearchResult } from './searching.ts'
import { offsetCursor, placeOf, sequenceOf } from './values.ts'

export type ReadName = NameOf<'read'>
export type WriteName = NameOf<'write'>
export type StreamName = NameOf<'stream'>

/** The caller, as far as the service can identify it. */
export type Caller = {
  requestId: string
  /** The number of the actor whose token was sent. */
  actor: number | null
  /** The hash of that token. If the actor has another token when the write runs, the write is refused. */
  tokenHash?: string | undefined
  /** null for the operator's own command line. */
  origin: OriginKeys | null
}
/** The caller of a request over HTTP. `at` is the time of its admission, in milliseconds since 1970. */
export type RemoteCaller = Caller & { origin: OriginKeys; userAgent: string; at: number }

/** Time, ids and randomness of one write, passed in. */
export type Context = {
  /** Milliseconds since 1970. Not less than for an earlier write of the process, unless the clock was set back by more than a minute. */
  at: number
  /** The time of admission, in milliseconds since 1970. Unlike `at`, it can be earlier than that of an earlier write. */
  now: number
  newId(): string
  randomBytes(size: number): Uint8Array
  /** Minimum milliseconds between two writes of one kind by one caller; 0 for no cooldown. */
  cooldown: number
  /** The data class of actors that this caller creates. */
  dataClass: DataClass
  /** Whether the store is the private memory of one user, where every judgement counts. */
  privateMemory?: boolean
}

/** A substantive observation: what was read or searched. */
export type Observed = {
  action: Action
  entry: number | null
  revision: number | null
  metadata: { resultCount: number; tag: string | null; sort: Sort } | null
  /** Words of a question without an answer. */
  unanswered?: readonly WordPair[]
}

/** The answer of an operation, before it becomes HTTP: an object, or JSON that is already encoded, or both. */
export type Answer = WriteAnswer | (AnswerParts & { json: EncodedJson; body?: object })
/** The answer of a write. */
export type WriteAnswer = AnswerParts & { body: object; json?: undefined }
type AnswerParts = {
  /** The content that is sent instead of the body if the operation has a media type. Produced as fast as the client reads. */
  pieces?: AsyncIterable<string | Uint8Array>
  /** Opaque version of the body, without quotes. */
  etag?: string
  /** The SHA-256 of the body or of all pieces together, in base64. */
  digest?: string
  /** The address of the created resource. */
  location?: string
  /** Members of the query for the next page. */
  next?: { before: string } | { after: string } | { offset: number }
  observed?: Observed
  /** For a write: the sequence of the write or a later one. A store that has reached it contains the write. */
  sequence?: number
  /** True for a stored answer that a retry gets. */
  replayed?: true
  /** The fields for the request log. */
  audit?: { event: string; actor: string }
  /**
   * The answer as Markdown, for a client that accepts text/markdown. It contains untrusted texts, which the caller of this function must
   * fence.
   */
  markdown?: () => string
  /** The record numbers of the revisions, evidence or relations of the body, in their order. */
  records?: readonly number[]
  fit?: Fit
  /** Further observations, if one answer shows several entries. */
  alsoObserved?: readonly (Observed & { entry: number })[]
}

/**
 * Starts a step for each item, in order. Once a turn of the event loop has taken long, the next steps start in a later turn. Steps that start
 * in one turn run concurrently.
 */
export async function inTurns<T, R>(
  { yieldIfOverBudget }: Pick<Reads, 'yieldIfOverBudget'>,
  items: readonly T[],
  step: (item: T) => Awaitable<R>,
): Promise<R[]> {
  const results: Promise<R>[] = []
  for (const item of items) {
    const result = (async () => step(item))()
    // Promise.all reports a failure. Without this line one that happens earlier would end the process.
    result.catch(() => {})
    results.push(result)
    await yieldIfOverBudget()
  }
  return Promise.all(results)
}

/** The answer as an object. */
export const bodyOf = (answer: Answer): object =>
  answer.json === undefined ? answer.body : (answer.body ?? decodeJson(answer.json))

export type Readiness = { ready: boolean; status: string }

/** The context of a read. */
export type Reads = {
  reader: Reader
  /** The number of the actor whose token was sent, and the time of the read in milliseconds since 1970. */
  actor: number | null
  at: number
  entries: EntryCache
  /** The handle with which the caller can judge a revision, by its record number; absent if shared caches may store the answer. */
  handleOf?: ((revision: number) => string) | undefined
  search(request: SearchRequest): Promise<SearchResult>
  /** Resolves when all observations until now, `observed` included, can be read. */
  flushObservations(observed?: Observed): Promise<void>
  /** Resolves in a later turn of the event loop. If many reads wait for the same event, each turn continues only some of them. */
  yieldToRequests(): Promise<void>
  /** Returns undefined if the read may continue in this turn of the event loop, otherwise a promise that resolves in a later turn. */
  yieldIfOverBudget(): Promise<void> | undefined
  /** Resolves when the checkpoint is stored durably, and may be published. */
  persistCheckpoint(note: string): Promise<void>
  readiness(): Readiness
  guideDigest: { instructions: string; llms: string }
  /** The address of the licence of all content, if there is one. */
  contentLicense: string | undefined
  rates: { readPerMinute: number; writePerMinute: number; cooldownSeconds: number }
}

/** An event of a stream. `id` is its position, which increases along the list. Filters select by `key`. */
export type StreamEvent = { id: number; event: string; data: object; key?: ChangeKey }
/** Events in ascending order. There are no others up to the position `place`. */
export type StreamPage = { events: StreamEvent[]; place: number }

/** A list that can be streamed. The position of a committed row is final: no row appears later below a position that was read. */
export type StreamOperation<N extends StreamName = StreamName> = {
  /** The position of the newest row, public or not. */
  newest(reader: Reader): Promise<number>
  /** The filter of a stream with this query; undefined for all rows. Throws a problem if the query names something that does not exist. */
  filter?(reader: Reader, query: QueryOf<N>): Promise<ChangeFilter | undefined>
  /** At most `limit` public rows above a position. Fewer rows are complete up to `newest`, a position that was read. */
  after(reader: Reader, place: number, limit: number, newest: number, filter?: ChangeFilter): Promise<StreamPage>
}

type ReadRequest<N extends ReadName> = { params: ParamsOf<N>; query: QueryOf<N> } & (BodyOf<N> extends object
  ? { body: BodyOf<N> }
  : unknown)
/**
 * What is computed before the transaction of a create or of a revision: the signals, of a revision without those of the tags of its entry;
 * and over PostgreSQL the judged texts that a revision is compared with.
 */
export type Prepared = { signals: number; known?: KnownTexts | undefined }
export type WriteRequest<N extends WriteName> = {
  params: ParamsOf<N>
  body: BodyOf<N>
  caller: Caller
  /** Identifies retries, if the caller sent an Idempotency-Key. */
  idempotency?: Idempotency | undefined
  /** Absent if the write computes it itself. */
  prepared?: Prepared | undefined
  /** For feedback: the record number of the revision that its handle names, unless the handle is refused. */
  judged?: number | undefined
  /** For the hints in the answer of a create: similar entries, or null if none were looked for. */
  similar?: Hints['similar']
}

/** Requests whose path, query and body match the contract. They are passed to the operation. */
export type CheckedRead = { params: Record<string, string>; query: Record<string, string | number>; body?: unknown }
export type CheckedWrite = Omit<WriteRequest<WriteName>, 'params' | 'body'> & {
  params: Record<string, string>
  body: unknown
}

export type ReadOperation<N extends ReadName> = (reads: Reads, request: ReadRequest<N>) => Awaitable<Answer>
export type WriteOperation<N extends WriteName> = (
  tx: Transaction,
  context: Context,
  request: WriteRequest<N>,
) => Promise<WriteAnswer>

/** The type of the handler of an operation, by the kind of the operation. */
type HandlerOf<N extends OperationName> = N extends ReadName
  ? ReadOperation<N>
  : N extends WriteName
    ? WriteOperation<N>
    : N extends StreamName
      ? StreamOperation<N>
      : never
/** The handlers of all operations of these kinds. An operation of the contract without a handler does not compile. */
export type HandlersOf<K extends Kind> = { [N in NameOf<K>]: HandlerOf<N> }

/** The observation of an entry, or of a resource under it. */
export const observedRead = (entry: EntryRow, revision: number = entry.revision): Observed => ({
  action: 'READ',
  entry: entry.number,
  revision,
  metadata: null,
})

/** Returns the entry that the path names. Throws ENTRY_NOT_FOUND or ENTRY_WITHDRAWN. */
export const findAddressed = async (reader: Reader, { params }: { params: { slug: string } }): Promise<EntryRow> =>
  assertReadable(await findEntry(reader, params.slug))

type Page = { query: { limit?: number; before?: string } }

/**
 * Returns one page, newest first, of a list that only grows at its newest end. Rows have ordinals from 1. The cursor contains the size of
 * the list at the first page, and an offset from there in rows, hidden rows included. `list` is called with the size of the page plus one.
 */
export async function pageFrom<R extends { ordinal: number }>(
  size: number,
  { query }: Page,
  list: (newest: number, limit: number) => Awaitable<R[]>,
): Promise<{ rows: R[]; nextCursor: string | null }> {
  const limit = query.limit ?? LIMITS.pageDefault
  const place = placeOf(query.before, size)
  const found = await list(place.size - place.offset, limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const more = found.length > limit && last !== undefined
  return { rows, nextCursor: more ? offsetCursor({ size: place.size, offset: place.size - last.ordinal + 1 }) : null }
}

/** The query of the next page, for a Link header. */
export const nextQuery = (nextCursor: string | null): Pick<Answer, 'next'> =>
  nextCursor === null ? {} : { next: { before: nextCursor } }

/** One page of a list below the number that the cursor names, newest first. `numberOf` is the number of a row. */
export async function pageBelow<R>(
  { query }: Page,
  list: (before: number, limit: number) => Awaitable<R[]>,
  numberOf: (row: R) => number,
  toItem: (row: R) => object,
): Promise<WriteAnswer> {
  const limit = query.limit ?? LIMITS.pageDefault
  const found = await list(sequenceOf(query.before), limit + 1)
  const rows = found.slice(0, limit)
  const nextCursor = found.length > limit ? String(numberOf(rows.at(-1) as R)) : null
  return { body: { items: rows.map(toItem), nextCursor }, ...nextQuery(nextCursor) }
}

/** One page of activity below the sequence that the cursor names. */
export const activityBelow = (request: Page, list: (before: number, limit: number) => Awaitable<ActivityRow[]>) =>
  pageBelow(request, list, ({ sequence }) => sequence, toActivity)
