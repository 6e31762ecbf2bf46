import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import createMatcher from 'find-my-way'
import type { Operation } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import { type Awaitable, StoreFault } from '../engine/database.ts'
import type { Charge } from '../memory/limits/rules.ts'
import type { Answer } from '../memory/operation.ts'
import { JSON_TYPE, type Page } from '../web/page.ts'

/**
 * `createServer` and `STATUS_CODES` of node:http. An import of node:http reads all of its exports, which loads the client for fetch and
 * WebSocket: 20 ms and 14 MB of each start.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')

/** Answers the requests of some methods for a path. */
export type Route = {
  /** The name in metrics and in the log: that of the operation, if it is one. */
  name: string
  methods: readonly Method[]
  /** The path in the syntax of the contract: `{name}` is a parameter, and `*` at the end is any rest. */
  path: string
  /** The page for people that the route shows. */
  page?: Page
  /** Sends the answer, or throws the problem. */
  answer(exchange: Exchange): Awaitable<void>
  /** Sends the answer to a request that failed; by default it has the error shape. */
  refuse?(problem: Problem, exchange: Exchange): void
}
export type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE'

/** The methods of a route that reads. */
export const READING: readonly Method[] = ['GET', 'HEAD']

export type Router = {
  add(route: Route): void
  /**
   * Returns the route of a request and the decoded parameters of its path; undefined if there is no such route. Throws INVALID_PATH for
   * malformed percent-encoding.
   */
  find(method: string, url: string): { route: Route; params: Record<string, string> } | undefined
}

/**
 * Maximum length of a parameter, in characters. It exceeds the maximum size of request fields, so that the contract, not the router,
 * refuses long values.
 */
const PARAMETER_MAX = 40_000

export function createRouter(): Router {
  const matcher = createMatcher({
    maxParamLength: PARAMETER_MAX,
    // The checks of the contract parse queries.
    querystringParser: String,
    onBadUrl: () => {
      throw new Problem('INVALID_PATH')
    },
  })
  return {
    add(route) {
      const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
      matcher.on([...route.methods], path, () => {}, route)
    },
    find(method, url) {
      // To the matcher, a target `*` is a wildcard.
      if (url.startsWith('*')) return undefined
      const found = matcher.find(method as Method, url)
      if (found === null) return undefined
      if (found.store === null) throw new Problem('INVALID_PATH')
      return { route: found.store as Route, params: found.params as Record<string, string> }
    },
  }
}

/** Header fields of an answer, with names in lower case. */
export type Fields = Record<string, string>

/** The fields of every answer that make a browser treat it as data only. */
export const SECURITY_FIELDS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}

const EXPOSED = [
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Log-Records',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Reason',
  'Repr-Digest',
  'Search-Match',
  'Sequence',
  'WWW-Authenticate',
  'X-Request-Id',
]

/** The fields of every public answer, also without an Origin. */
export const PUBLIC_FIELDS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED.join(', '),
  vary: 'Origin',
}

/** The fields that remain when a refusal replaces an answer. */
const LASTING: ReadonlySet<string> = new Set([
  ...Object.keys(SECURITY_FIELDS),
  ...Object.keys(PUBLIC_FIELDS),
  'x-request-id',
  'connection',
  'ratelimit',
  'ratelimit-policy',
])

/** The fields of content that an answer 304 omits, because its client has them with the content (RFC 9110, 15.4.5). */
const OF_CONTENT: ReadonlySet<string> = new Set([...Object.keys(SECURITY_FIELDS), 'log-records'])
/** The same for a request without an Origin, for which a browser does not check the fields of CORS. */
const OF_CONTENT_AND_CORS: ReadonlySet<string> = new Set([
  ...OF_CONTENT,
  'access-control-allow-origin',
  'access-control-expose-headers',
])

/**
 * How a request arrives: from a client over the network; from a process of this user over the local socket; or from within this process,
 * for a request that was accepted. The local socket has neither limits nor a cooldown, because its callers may read the store itself.
 */
type Channel = 'network' | 'local socket' | 'process'
/** `paid` is the charge of the message that a request belongs to. It pays for the reads of that message. */
export type Arrival = { channel: Channel; paid?: Charge }

/** Called once per answer, with its status. `error` is set if it ended a stream of bytes too early. */
export type Report = (exchange: Exchange, status: number, error?: Error) => void

/** A request and its answer. The steps of the pipeline set fields of the answer; one of them sends it. */
export class Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  /** When the request arrived, in milliseconds of the monotonic clock. */
  readonly began: number
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** The request target as it was sent. */
  readonly url: string
  /** The requested path, without the query. */
  readonly path: string
  /** The query as it was sent, without the question mark. */
  readonly search: string
  /** The fields of the answer so far. */
  readonly fields: Fields
  /** Undefined until the request is routed, and for an unknown path. */
  route: Route | undefined
  /** The decoded values of the parameters in the path. */
  params: Record<string, string>
  /** The parsed body of a POST; undefined without one. */
  body: unknown
  readonly arrival: Arrival
  readonly #report: Report

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    report: Report,
    arrival: Arrival = { channel: 'network' },
  ) {
    const { method = '', url = '', headers } = request
    // An absolute target (RFC 9112, 3.2.2) loses its scheme and host, so that no address made from it names a host that the caller chose.
    const target = url.startsWith('/') ? url : url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
    const mark = target.indexOf('?')
    this.request = request
    this.response = response
    this.#report = report
    this.arrival = arrival
    this.id = randomUUID()
    this.began = performance.now()
    this.method = method
    this.headers = headers
    this.url = url
    this.path = mark < 0 ? target : target.slice(0, mark)
    this.search = mark < 0 ? '' : target.slice(mark + 1)
    this.params = {}
    this.fields = { ...SECURITY_FIELDS, 'x-request-id': this.id }
  }

  /** The path and the query as one text. */
  get address(): string {
    return this.search === '' ? this.path : `${this.path}?${this.search}`
  }

  /** Adds fields to the answer, or replaces them. */
  set(fields: Partial<Fields>): this {
    Object.assign(this.fields, fields)
    return this
  }

  /** Removes the fields of an answer that was prepared but not sent, except those that every answer to this request has. */
  dropFields(): void {
    for (const name in this.fields) if (!LASTING.has(name)) delete this.fields[name]
  }

  /** Sends the answer. A string has one character for each byte. Does nothing if an answer was sent already or the client has left. */
  send(status: number, body?: Buffer | string): void {
    const { fields, response } = this
    if (response.headersSent || response.destroyed) return
    if (body !== undefined) fields['content-length'] = String(body.length)
    else if (status !== 204 && status !== 304 && this.method !== 'HEAD') fields['content-length'] = '0'
    response.writeHead(status, status === 304 ? pairsOf(fields, omittedFrom(this)) : pairsOf(fields))
    if (typeof body === 'string') response.end(body, 'latin1')
    else response.end(body)
    this.#report(this, status)
  }

  /** Sends the bytes of `readable` as fast as the client reads them. Rejects if it fails before its first byte. */
  async stream(status: number, readable: Readable): Promise<void> {
    await once(readable, 'readable')
    if (this.response.headersSent || this.response.destroyed) {
      readable.destroy()
      return
    }
    this.response.writeHead(status, pairsOf(this.fields))
    pipeline(readable, this.response, error => {
      // A client that disconnects is not a fault. It received no complete answer, so none is reported.
      if (error?.code !== 'ERR_STREAM_PREMATURE_CLOSE') this.#report(this, status, error ?? undefined)
    })
  }
}

/** The fields that the answer 304 to a request omits. */
const omittedFrom = ({ headers }: Exchange): ReadonlySet<string> =>
  headers.origin === undefined ? OF_CONTENT_AND_CORS : OF_CONTENT

/** The fields as alternating names and values, which Node sends without a copy. */
function pairsOf(fields: Fields, omitted?: ReadonlySet<string>): string[] {
  const pairs: string[] = []
  for (const name in fields) if (omitted === undefined || !omitted.has(name)) pairs.push(name, fields[name] as string)
  return pairs
}

/** A Link field to the next page: the requested address, with its cursor or offset replaced. */
export function nextLink({ path, search }: Exchange, next: NonNullable<Answer['next']>): string {
  const query = new URLSearchParams(search)
  for (const [name, value] of Object.entries(next)) query.set(name, String(value))
  return `<${path}?${query}>; rel="next"`
}

/**
 * Returns the header fields that depend on the answer: ETag and Cache-Control; for a search, which words of the query the first entry
 * contains; for permanent records, their numbers in the public log, and the address of the proof of a single one; for a write, its sequence
 * and the address of the created resource. A cache stores only
 * answers with a version, and revalidates them on every use, because moderation can withdraw them.
 */
export function answerFields(answer: Answer, { method }: Pick<Operation, 'method'>): Record<string, string> {
  const { etag, fit, records = [], digest, sequence, replayed, location } = answer
  const fields: Record<string, string> = {
    'cache-control': etag !== undefined && method === 'GET' ? 'public, no-cache' : 'no-store',
  }
  if (etag !== undefined) fields.etag = `"${etag}"`
  if (fit !== undefined) fields['search-match'] = fit.coverage.toLowerCase()
  if (records.length > 0) fields['log-records'] = records.join(', ')
  if (records.length === 1) fields.link = `</api/log/records/${records[0]}/proof>; rel="proof"`
  if (digest !== undefined) fields['repr-digest'] = `sha-256=:${digest}:`
  if (sequence !== undefined) fields.sequence = String(sequence)
  if (replayed) fields['idempotency-replayed'] = 'true'
  if (location !== undefined) fields.location = location
  return fields
}

/** Whether the If-None-Match of a request names the version (RFC 9110, 13.1.2: weak comparison, lists, `*`). */
export function isUnchanged(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some(tag => tag.trim().replace(/^W\//, '') === `"${etag}"`)
}

/** Retry-After for a store that does not accept writes, in seconds. */
const STORE_RETRY = 2

/** Converts an error to a problem. An unexpected error becomes UNEXPECTED_FAULT. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof StoreFault) {
    return new Problem(error.outcomeUnknown ? 'OUTCOME_UNKNOWN' : 'STORE_UNAVAILABLE', { retryAfter: STORE_RETRY })
  }
  return new Problem('UNEXPECTED_FAULT', { retryAfter: 1 })
}

const CHALLENGES: Partial<Record<string, string>> = {
  ACTOR_TOKEN_REQUIRED: 'ActorToken realm="palimpsest"',
  ACTOR_TOKEN_INVALID: 'ActorToken realm="palimpsest", error="invalid_token"',
  ADMIN_TOKEN_REQUIRED: 'Bearer realm="palimpsest"',
  ADMIN_TOKEN_INVALID: 'Bearer realm="palimpsest", error="invalid_token"',
}

/** The link to the broken rule (RFC 8288); `member` names the wrong member. */
const helpLink = ({ code, detail: { member } }: Problem): string =>
  `</docs/errors#${code}>; rel="help"${member === undefined ? '' : `; member="${member}"`}`

/** The answer to a problem: status, fields and the error shape (interface section 7). */
export function problemAnswer(
  problem: Problem,
  requestId: string,
): { status: number; headers: Record<string, string>; body: string } {
  const { retryAfter, latest, original, location, reason } = problem.detail
  const links = [
    ...(original === undefined ? [] : [`<${original}>; rel="original"`]),
    ...(latest === undefined
      ? []
      : [`</api/entries/${latest.slug}/revisions/${latest.revisionId}>; rel="latest-version"`]),
    helpLink(problem),
  ]
  const challenge = CHALLENGES[problem.code]
  return {
    status: PROBLEMS[problem.code].status,
    headers: {
      'content-type': JSON_TYPE,
      'cache-control': 'no-store',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(reason === undefined ? {} : { reason }),
      ...(location === undefined ? {} : { location }),
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
      ...(latest === undefined ? {} : { etag: `"${latest.revisionId}"` }),
      link: links.join(', '),
    },
    body: JSON.stringify({ error: { code: problem.code, requestId } }),
  }
}
