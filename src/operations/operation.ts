import type { ChangesQuery, CursorQuery, EntryQuery, ExportQuery, ManifestQuery } from '../contract/inputs.ts'
import type { BatchQuery, FindQuery, PinsInput, ReportQuery, SimilarQuery, WorkQuery } from '../contract/more-inputs.ts'
import type { Action, Coverage, DataClass, Sort } from '../contract/words.ts'
import type { Reader, Transaction } from '../database/database.ts'
import type { AskedTerm } from '../domain/asked.ts'
import type { ChangeFilter, ChangeKey } from '../domain/change.ts'
import type { Idempotency } from '../domain/idempotency.ts'
import type { OriginKeys } from '../store/origin.ts'
import type { EntryCache } from './entry-cache.ts'
import { type Octets, objectOf } from './octets.ts'

/** Who calls, as far as the service can tell. */
export type Caller = {
  requestId: string
  /** The number of the actor whose token was sent. */
  actor: number | null
  /** The hash of that token: an actor that has another one by the time of the write is not this caller. */
  tokenHash?: string | undefined
  /** null for the operator's own command line. */
  origin: OriginKeys | null
  /** Of an imported judgement: the group of its origin within the entry, where the file says it. */
  originGroup?: number
}

/** Time, ids and chance for one write, passed in. */
export type Context = {
  /** Milliseconds since 1970; not less than for an earlier write of the process, unless the clock was set back by more than a minute. */
  at: number
  /** When the request was admitted, by a clock that may have been set back since. */
  now: number
  newId(): string
  randomBytes(size: number): Uint8Array
  cooldown: number
  /** What actors created by this caller are classed as. */
  dataClass: DataClass
}

/** A substantive observation: what was read or searched. */
export type Observed = {
  action: Action
  entry: number | null
  revision: number | null
  metadata: { resultCount: number; tag: string | null; sort: Sort } | null
  /** Words of a question that nothing answers. */
  asked?: readonly AskedTerm[]
}

/** How well a search fits what was asked. `missing` and `corrected` have words of the question, so that a list does not repeat them. */
export type Fit = Pick<SearchResult, 'coverage' | 'match' | 'missing' | 'corrected'>

/** What an operation answers, before it is HTTP: an object, or octets where its JSON is there already. */
export type Answer = WriteAnswer | (Beside & { octets: Octets; body?: undefined })
/** What every write answers. */
export type WriteAnswer = Beside & { body: object; octets?: undefined }
type Beside = {
  /** What is sent instead of the body where the operation has a media: its text, piece by piece, made as fast as it is read. */
  pieces?: AsyncIterable<string | Uint8Array>
  /** Opaque version of the body, without quotes. */
  etag?: string
  /** The SHA-256 of the body or of all pieces together, in base64. */
  digest?: string
  /** The address of what was made. */
  location?: string
  /** Members of the query that gives the next page. */
  next?: { before: string } | { after: string } | { offset: number }
  observed?: Observed
  /** True for the answer to an earlier request, given again to a retry of it. */
  replayed?: true
  /** What the log keeps of it. */
  audit?: { event: string; actor: string }
  /** The same as Markdown, for a caller that asks for text/markdown. It holds untrusted texts: the caller of this function fences it. */
  markdown?: () => string
  /** The record numbers of the revisions, evidence or relations of the body, in their order. */
  records?: readonly number[]
  fit?: Fit
  /** What was observed beside it, where one answer shows several entries. */
  alsoObserved?: readonly Observed[]
}

/** The object that an answer says. */
export const bodyOf = (answer: Answer): object => answer.body ?? objectOf(answer.octets)

/**
 * Which entries to find. `recent` and `evolution`: those with all terms of `q`, else the best partial matches; `relevance`: those with all terms,
 * best first, then those with any; `fit`: those with any word, best first.
 */
export type SearchRequest = {
  q: string
  tag: string | null
  sort: Sort | 'fit'
  limit: number
  offset: number
}
/** Entry numbers of one page, whether more follow, and how well they fit. */
export type SearchResult = {
  entries: number[]
  more: boolean
  coverage: Coverage
  /** The score of the first entry, of the best possible: 0 to 1. */
  match: number
  /** What each entry of the page scores, of the best possible. */
  scores: number[]
  /** What each term of the query weighs. */
  weights: [term: string, weight: number][]
  /** What a word weighs that no entry has. */
  unknown: number
  /** Words that no entry has, and those that were searched for as others. */
  missing: string[]
  corrected: { from: string; to: string }[]
}

export type Readiness = { ready: boolean; status: string }

/** What reads work on. */
export type Reads = {
  reader: Reader
  /** The number of the actor whose token was sent, and when, in milliseconds since 1970. */
  actor: number | null
  at: number
  entries: EntryCache
  search(request: SearchRequest): Promise<SearchResult>
  /** Resolves when everything observed so far, `observed` included, can be read. */
  keepObserved(observed?: Observed): Promise<void>
  /** Resolves once a checkpoint may be shown. */
  rememberCheckpoint(note: string): Promise<void>
  readiness(): Readiness
  guideDigest: { instructions: string; llms: string }
  rates: { readPerMinute: number; writePerMinute: number; cooldownSeconds: number }
}

/** A row of a list that is followed: `id` is its place, which rises without end; `key` is what a filter chooses by. */
export type StreamEvent = { id: number; event: string; data: object; key?: ChangeKey }
/** Rows in ascending order, and the place up to which there are no others. */
export type StreamPage = { events: StreamEvent[]; place: number }

/** A list that is followed: what is committed has its final place, and nothing comes below a place that was seen. */
export type StreamOperation = {
  /** The place of the newest row, shown or not. */
  newest(reader: Reader): Promise<number>
  /** What a stream with this query is limited to; undefined for everything. Throws the problem of a query that names what is not there. */
  filter?(reader: Reader, query: object): Promise<ChangeFilter | undefined>
  /** At most `limit` rows that the public sees above a place; complete up to `newest`, a place that was seen, where they are fewer. */
  after(reader: Reader, place: number, limit: number, newest: number, filter?: ChangeFilter): Promise<StreamPage>
}

export type ReadRequest<Q = unknown> = {
  params: Record<string, string>
  query: Q
  /** Of a read that is asked by a body. */
  body?: PinsInput
}
export type WriteRequest<B = unknown> = {
  params: Record<string, string>
  body: B
  caller: Caller
  /** What a retry is recognised by, where the caller sent a key for it. */
  idempotency?: Idempotency | undefined
}

/** What any read may be asked; each was checked to have what it needs. */
type AnyQuery = CursorQuery &
  ChangesQuery &
  EntryQuery &
  Partial<BatchQuery & Omit<FindQuery, 'state'> & SimilarQuery & WorkQuery> &
  Omit<ReportQuery, 'state'> & { state?: FindQuery['state'] | ReportQuery['state'] } & ExportQuery &
  ManifestQuery
export type ReadOperation = (reads: Reads, request: ReadRequest<AnyQuery>) => Promise<Answer>
export type WriteOperation<B> = (tx: Transaction, context: Context, request: WriteRequest<B>) => Promise<WriteAnswer>
