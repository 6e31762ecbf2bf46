import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import type { Config } from '../config.ts'
import { Problem } from '../contract/problem.ts'
import type { Awaitable } from '../engine/database.ts'
import type { Decision } from '../memory/limits/rules.ts'
import { type Page, targetOf } from '../web/page.ts'
import { PUBLIC_FIELDS, SECURITY_FIELDS } from './connections.ts'

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

/** Header fields of an answer, with names in lower case. */
export type Fields = Record<string, string>

/** The fields that remain when a refusal replaces an answer. */
const LASTING: ReadonlySet<string> = new Set([
  ...Object.keys(SECURITY_FIELDS),
  ...Object.keys(PUBLIC_FIELDS),
  'x-request-id',
  'connection',
  'ratelimit',
  'ratelimit-policy',
])

/**
 * How a request arrives: from a client over the network; from a process of this user over the local socket; or from within this process,
 * for a request that was accepted. The local socket has neither limits nor a cooldown, because its callers may read the store itself.
 */
export type Channel = 'network' | 'local socket' | 'process'
/** `paid` is the charge of the message that a request belongs to. It pays for the reads of that message. */
export type Arrival = { channel: Channel; paid?: Decision }

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
  params: Record<string, string> = {}
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
    const { path, search } = targetOf(url)
    this.request = request
    this.response = response
    this.#report = report
    this.arrival = arrival
    this.id = randomUUID()
    this.began = performance.now()
    this.method = method
    this.headers = headers
    this.url = url
    this.path = path
    this.search = search
    this.fields = { ...SECURITY_FIELDS, 'x-request-id': this.id }
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
    response.writeHead(status, pairsOf(fields))
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

/** The fields as alternating names and values, which Node sends without a copy. */
function pairsOf(fields: Fields): string[] {
  const pairs: string[] = []
  for (const name in fields) pairs.push(name, fields[name] as string)
  return pairs
}

const ALLOWED = ['Content-Type', 'X-Actor-Token', 'Idempotency-Key', 'If-None-Match', 'Last-Event-ID', 'Min-Sequence']
/** Further request fields of pages that use the Model Context Protocol. */
const MCP_FIELDS = ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name']
const MAX_AGE = 86_400

const PREFLIGHT_FIELDS = {
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-max-age': String(MAX_AGE),
  'content-length': '0',
}

type PageSettings = Pick<Config, 'allowedHosts' | 'allowedOrigins' | 'publicUrl'>

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const isLoopback = (hostname: string): boolean => LOOPBACK.includes(hostname)
/** Paths outside the API that only administrators read. */
const ADMIN_PATHS = ['/metrics', '/admin/status']
/** Paths that balancers probe under any name. They have no content. */
const PROBES = ['/health', '/ready']

/**
 * Throws HOST_NOT_ALLOWED or ORIGIN_NOT_ALLOWED if the operator allows neither the name under which a request came nor the web page that
 * sent it. A page chooses its Host by DNS rebinding, and cannot choose its Origin.
 */
export function assertAllowedPage({ headers, path }: Exchange, settings: PageSettings): void {
  const { allowedHosts, allowedOrigins, publicUrl } = settings
  if (PROBES.includes(path)) return
  const { host = '', origin } = headers
  const name = host.toLowerCase().replace(/:\d*$/, '')
  const isPublic = publicUrl !== undefined && new URL(publicUrl).hostname === name
  if (allowedHosts.length > 0 && !isPublic && !allowedHosts.includes(name)) throw new Problem('HOST_NOT_ALLOWED')
  if (allowedOrigins.length === 0 || origin === undefined || isListed(origin, settings)) return
  const isOwnName = isLoopback(name) || allowedHosts.includes(name)
  const isOwnPage = URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
  if (!(isOwnName && isOwnPage)) throw new Problem('ORIGIN_NOT_ALLOWED')
}

const isListed = (origin: string, { allowedOrigins, publicUrl }: PageSettings): boolean =>
  allowedOrigins.includes('*') ||
  allowedOrigins.includes(origin) ||
  (publicUrl !== undefined && new URL(publicUrl).origin === origin)

/**
 * Whether a page may call /mcp: it sent no Origin, is of this machine, or is one that `ALLOWED_ORIGINS` or `PUBLIC_URL` names. The Host is
 * ignored, because a page can choose it by DNS rebinding.
 */
export function mayCallMcp(origin: string | undefined, settings: PageSettings): boolean {
  if (origin === undefined || isListed(origin, settings)) return true
  // With a list of origins, assertAllowedPage has admitted the page.
  return settings.allowedOrigins.length > 0 || (URL.canParse(origin) && isLoopback(new URL(origin).hostname))
}

/**
 * Lets web pages use the public interface, without credentials, but not the administrative paths: pages of every origin, or, with a list of
 * allowed origins, the page that sent the request. Returns true for an OPTIONS request, whose answer needs only these fields (Fetch
 * standard, CORS protocol).
 */
export function allowOrigins(exchange: Exchange, { allowedOrigins }: Pick<Config, 'allowedOrigins'>): boolean {
  const { fields, method, route } = exchange
  fields.vary = PUBLIC_FIELDS.vary
  const path = route?.path ?? pathOf(exchange)
  if (path.startsWith('/api/admin/') || ADMIN_PATHS.includes(path)) return false
  if (allowedOrigins.length === 0 || allowedOrigins.includes('*')) Object.assign(fields, PUBLIC_FIELDS)
  else if (exchange.headers.origin !== undefined)
    Object.assign(fields, PUBLIC_FIELDS, { 'access-control-allow-origin': exchange.headers.origin })
  if (method !== 'OPTIONS') return false
  const allowed = path === '/mcp' ? [...ALLOWED, ...MCP_FIELDS] : ALLOWED
  exchange.set({ ...PREFLIGHT_FIELDS, 'access-control-allow-headers': allowed.join(', ') })
  return true
}

/** The path as the router reads it, with percent-encoding decoded. */
function pathOf({ path }: Exchange): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
