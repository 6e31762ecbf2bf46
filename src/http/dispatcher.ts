import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { Problem } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { Store } from '../memory/store.ts'
import {
  type Arrival,
  Exchange,
  PUBLIC_FIELDS,
  problemAnswer,
  problemOf,
  type Report,
  type Router,
} from './exchange.ts'
import { logFailure, logRequest, type Metrics } from './metrics.ts'
import { CLASSES_MS, FREE, type Overload } from './overload.ts'
import { problemPageAnswer, wantsPage } from './pages.ts'
import type { Tracing } from './tracing.ts'

type Dependencies = {
  config: Config
  logger: Logger
  metrics: Metrics
  router: Router
  overload: Overload
  store: Pick<Store, 'noteRead'>
  tracing: Tracing | undefined
}

/** Answers every request: sheds load, finds the route, runs it, and converts errors to answers. */
export class Dispatcher {
  readonly #dependencies: Dependencies
  /** Whether the server stops. Each connection then ends after its answer. */
  isStopping = false
  /** Whether the operator lists the names or the web pages that may call the service. */
  readonly #isRestricted: boolean

  constructor(dependencies: Dependencies) {
    const { config, tracing } = dependencies
    const { allowedHosts, allowedOrigins } = config
    this.#dependencies = dependencies
    if (tracing !== undefined) {
      this.dispatch = tracing.during(this.dispatch)
      this.answer = tracing.during(this.answer)
    }
    this.#isRestricted = allowedHosts.length > 0 || allowedOrigins.length > 0
  }

  /** The server calls this for each connection. */
  readonly noteConnection = (): void => this.#dependencies.overload.noteConnection()

  /** The server calls this for each request of a connection. */
  readonly dispatch = (request: IncomingMessage, response: ServerResponse): void => {
    const { overload, metrics, store } = this.#dependencies
    // Other threads yield to reads.
    if (request.method === 'GET') store.noteRead()
    const exchange = new Exchange(request, response, this.#report)
    if (overload.admit(exchange)) void this.#answer(exchange)
    else metrics.failed('OVERLOADED')
  }

  /** Answers a request that came from within the process or from the local socket. It is not shed. */
  readonly answer = (request: IncomingMessage, response: ServerResponse, arrival: Arrival): void => {
    void this.#answer(new Exchange(request, response, this.#report, arrival))
  }

  /** Finds the route of a request that is not shed, and runs it in its turn. Never rejects. */
  async #answer(exchange: Exchange): Promise<void> {
    const { config, router, overload, tracing } = this.#dependencies
    const { response, arrival } = exchange
    try {
      if (this.isStopping) exchange.fields.connection = 'close'
      const found = router.find(exchange.method, exchange.url)
      exchange.route = found?.route
      if (found !== undefined) tracing?.route(exchange.request, found.route)
      assertWellFormed(exchange.request)
      if (this.#isRestricted && arrival.channel !== 'process') assertAllowedPage(exchange, config)
      if (allowOrigins(exchange, config)) exchange.send(204)
      else {
        if (found === undefined) throw new Problem('ROUTE_NOT_FOUND')
        exchange.params = found.params
        const turn = FREE.has(exchange.path)
          ? undefined
          : overload.waitToBegin(exchange.began, exchange.method !== 'POST')
        if (turn !== undefined) await turn
        // A client that left while its request waited needs no answer.
        if (!response.destroyed) await found.route.answer(exchange)
      }
    } catch (error) {
      this.#fail(error, exchange)
    }
    if (arrival.channel === 'network') overload.endWith(response)
  }

  #fail(error: unknown, exchange: Exchange): void {
    try {
      this.#refuse(error, exchange)
    } catch (fault) {
      this.#dependencies.logger.error({ err: fault }, 'an answer could not be sent')
      exchange.response.destroy()
    }
  }

  /** Answers a failed request: with `refuse` of its route, as a page if a person requested one, or in the error shape. */
  #refuse(error: unknown, exchange: Exchange): void {
    const { config, logger, metrics, overload } = this.#dependencies
    const problem = problemOf(error)
    metrics.failed(problem.code)
    // There can be thousands of refusals, so they are logged together.
    if (problem.code === 'OVERLOADED') overload.noteRefused()
    else if (PROBLEMS[problem.code].status === 503) logFailure(logger, error, problem.code, exchange)
    exchange.dropFields()
    const { route } = exchange
    if (route?.refuse !== undefined) {
      route.refuse(problem, exchange)
      return
    }
    const { status, headers, body } = wantsPage(exchange)
      ? problemPageAnswer(problem, config, exchange)
      : problemAnswer(problem, exchange.id)
    exchange.set(headers).send(status, Buffer.from(body))
  }

  readonly #report: Report = ({ began, id, request, route }, status, error) => {
    const { logger, metrics } = this.#dependencies
    if (error !== undefined) logger.warn({ requestId: id, err: error }, 'an answer ended before its last byte')
    const ms = performance.now() - began
    const name = route?.name ?? 'none'
    let counted = metrics.answered.get(name)
    if (counted === undefined) {
      counted = { statuses: new Map(), classes: new Float64Array(CLASSES_MS.length), sum: 0, count: 0 }
      metrics.answered.set(name, counted)
    }
    counted.statuses.set(status, (counted.statuses.get(status) ?? 0) + 1)
    counted.sum += ms
    counted.count += 1
    let place = 0
    while (ms > (CLASSES_MS[place] ?? Number.POSITIVE_INFINITY)) place++
    if (place < CLASSES_MS.length) counted.classes[place] = (counted.classes[place] as number) + 1
    // Reads without a fault have the level debug.
    const level = status < 400 && request.method !== 'POST' ? 'debug' : 'info'
    if (logger.isLevelEnabled(level))
      logRequest(logger, level, { requestId: id, operation: route?.name ?? null, status, ms }, request.headers)
  }
}

/** A host and a port (RFC 9110, 7.2), the host not empty. */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i
const HOST_NAME = 'host'
const TYPE_NAME = 'content-type'

/**
 * Refuses a request unless it has a known version, one valid Host (optional in HTTP/1.0), at most one Content-Type, no transfer coding
 * except chunked, the target `*` only with OPTIONS (RFC 9112, 3.2.4), and no expectation except 100-continue (RFC 9110, 10.1.1).
 */
function assertWellFormed({ method, url, httpVersion, headers, rawHeaders }: IncomingMessage): void {
  const { host, expect, 'transfer-encoding': coding } = headers
  let hosts = 0
  let types = 0
  // Fields alternate names and values.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === HOST_NAME.length && name.toLowerCase() === HOST_NAME) hosts += 1
    else if (name.length === TYPE_NAME.length && name.toLowerCase() === TYPE_NAME) types += 1
  }
  const isWellFormed =
    (!url?.startsWith('*') || (url === '*' && method === 'OPTIONS')) &&
    (expect === undefined || expect.toLowerCase() === '100-continue') &&
    (httpVersion === '1.1' || httpVersion === '1.0') &&
    (host === undefined ? httpVersion === '1.0' : HOST.test(host)) &&
    (coding === undefined || coding.toLowerCase() === 'chunked') &&
    hosts <= 1 &&
    types <= 1
  if (!isWellFormed) throw new Problem('MALFORMED_REQUEST')
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
function assertAllowedPage({ headers, path }: Exchange, settings: PageSettings): void {
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
function allowOrigins(exchange: Exchange, { allowedOrigins }: Pick<Config, 'allowedOrigins'>): boolean {
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
