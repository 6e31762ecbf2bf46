import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Logger } from 'pino'
import { type Client, createClient } from '../client/index.ts'
import type { Config } from '../config.ts'
import { Problem } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import { assertJsonBody, parseJson, readBody } from '../http/check.ts'
import type { HttpServer, InjectedAnswer, InjectedRequest } from '../http/connections.ts'
import { mayCallMcp } from '../http/dispatcher.ts'
import { type Arrival, type Exchange, problemAnswer, type Route } from '../http/exchange.ts'
import type { Server } from '../http/server.ts'
import type { Session } from './server.ts'

/** The caller of a call, as admission needs it. */
type OnBehalfOf = { remoteAddress: string; headers: Record<string, string>; arrival?: Arrival }

/** The base address for clients in this process. It is never resolved. */
const HERE = 'http://palimpsest.invalid'

/**
 * Makes clients of the service within its own process. Every call uses the routes like a request of the caller, and is admitted, charged,
 * observed and logged like one, except that reads of a charged message are not charged again. The client does not wait and does not retry.
 */
export function clientsWithin(server: Pick<HttpServer, 'inject'>, { remoteAddress, headers, arrival }: OnBehalfOf) {
  const send = async (url: string, init: RequestInit): Promise<Response> => {
    const request: InjectedRequest = {
      method: init.method as NonNullable<InjectedRequest['method']>,
      url: url.slice(HERE.length),
      headers: { ...headers, ...(init.headers as Record<string, string>) },
      remoteAddress,
      ...(init.body === undefined ? {} : { payload: init.body as string }),
    }
    const answer = await injected(server, request, arrival)
    return new Response(answer.body, { status: answer.statusCode, headers: fieldsOf(answer.headers) })
  }
  return (token: string | undefined): Client =>
    createClient({ baseUrl: HERE, fetch: send, retries: 0, tokenOnReads: true, token, userAgent: '' })
}

/** Sends a request through the routes. After the server began to close, returns the answer NOT_READY. */
async function injected(
  server: Pick<HttpServer, 'inject'>,
  request: InjectedRequest,
  arrival?: Arrival,
): Promise<InjectedAnswer> {
  try {
    return await server.inject(request, arrival)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { status, headers, body } = problemAnswer(error, randomUUID())
    return { statusCode: status, headers, body }
  }
}

const fieldsOf = (headers: Record<string, unknown>): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [name, String(value)])

/** Codes of JSON-RPC 2.0. SERVER is for errors outside the protocol. */
const CODES = { parse: -32_700, invalid: -32_600, server: -32_000 } as const
const JSON_TYPE = 'application/json; charset=utf-8'

/** Header fields of a request that are copied to its calls. */
const HANDED_ON = ['user-agent', 'x-forwarded-for', 'traceparent'] as const

/**
 * Loads the SDK and the tools, and answers the first messages of a session, because they take ten times as long as later ones. All this
 * takes 0.2 s of processor time, during which no request is answered, so a service calls it before it serves.
 */
export async function loadMcp() {
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./server.ts'),
  ])
  const sdk = { createMcpHandler, createMcpServer }
  for (const message of OPENING) {
    const response = await respond(sdk, WITHOUT_CALLS, { accept: 'application/json, text/event-stream' }, message)
    await response.arrayBuffer()
  }
  return sdk
}

const CLIENT = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'palimpsest', version: '1' } }
const OPENING = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: CLIENT },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
]
const WITHOUT_CALLS: Session = {
  clientFor() {
    throw new Error('This session lists tools only.')
  },
  token: () => undefined,
  memory: 'shared',
  keepsToken: false,
  onFault: () => {},
}
type Sdk = Pick<typeof import('@modelcontextprotocol/server'), 'createMcpHandler'> &
  Pick<typeof import('./server.ts'), 'createMcpServer'>

/**
 * Serves the Model Context Protocol at /mcp, without sessions: a request is one message, and its calls use the routes of `server`. A
 * message is charged as a read, which pays for the reads of its call. The first message loads the SDK if it is not loaded yet.
 */
export function serveMcp(server: Dependencies, config: Config, logger: Logger): void {
  let sdk: Promise<Sdk> | undefined
  const load = (): Promise<Sdk> => {
    sdk ??= loadMcp().catch(error => {
      sdk = undefined
      throw error
    })
    return sdk
  }
  const route = { name: 'mcp', path: '/mcp', refuse: refuseInProtocol }
  const fromOwnPage =
    (next: Route['answer']): Route['answer'] =>
    exchange =>
      mayCallMcp(exchange.headers.origin, config) ? next(exchange) : say(exchange, 403, CODES.server, FOREIGN)
  const answer = fromOwnPage(async exchange => {
    const paid = await server.chargeRead(exchange)
    const channel = exchange.arrival.channel === 'local socket' ? 'local socket' : 'process'
    assertJsonBody(exchange.headers)
    const bytes = await readBody(exchange)
    await answerMessage(bytes, exchange, await load(), sessionOf(server, exchange, { channel, paid }, logger))
  })
  const explain = fromOwnPage(exchange => say(exchange.set({ allow: 'POST' }), 405, CODES.server, NO_SESSIONS))
  server.router.add({ ...route, methods: ['POST'], answer })
  server.router.add({ ...route, methods: ['GET', 'HEAD', 'DELETE'], answer: explain })
}

type Dependencies = Pick<Server, 'router' | 'inject' | 'chargeRead'>

const FOREIGN = 'A page of this origin may not call /mcp; the operator can allow it with ALLOWED_ORIGINS.'
const NO_SESSIONS = 'This endpoint has no sessions and no streams: POST each message.'

async function answerMessage(bytes: Buffer | undefined, exchange: Exchange, sdk: Sdk, session: Session): Promise<void> {
  let message: unknown
  try {
    message = parseJson(bytes ?? Buffer.alloc(0))
  } catch {
    return say(exchange, 400, CODES.parse, 'The body must be valid JSON in UTF-8.')
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return say(exchange, 400, CODES.invalid, 'The body must be one JSON-RPC 2.0 message; batches are not supported.')
  }
  const response = await respond(sdk, session, exchange.headers, message)
  const body = Buffer.from(await response.arrayBuffer())
  const type = response.headers.get('content-type')
  exchange.set({ 'cache-control': 'no-store' })
  if (type === null) exchange.send(response.status)
  else exchange.set({ 'content-type': type }).send(response.status, body)
}

function respond(
  { createMcpHandler, createMcpServer }: Sdk,
  session: Session,
  headers: IncomingHttpHeaders,
  message: object,
): Promise<Response> {
  const handler = createMcpHandler(() => createMcpServer(session), { keepAliveMs: 0 })
  const asked = new Request('http://palimpsest.invalid/mcp', { method: 'POST', headers: headerPairsOf(headers) })
  return handler.fetch(asked, { parsedBody: message })
}

function sessionOf(server: Dependencies, { headers, request }: Exchange, arrival: Arrival, logger: Logger): Session {
  // A window of a private memory opens its session through the owner of the directory, and calls the tools itself.
  if (arrival.channel === 'local socket' && headers['palimpsest-memory'] === 'private')
    return { ...WITHOUT_CALLS, memory: 'private', keepsToken: true, onFault: error => faulted(logger, error) }
  const token = headers['x-actor-token']
  const passed: Record<string, string> = {}
  for (const name of HANDED_ON) {
    const value = headers[name]
    if (value !== undefined) passed[name] = String(value)
  }
  return {
    clientFor: clientsWithin(server, { remoteAddress: request.socket.remoteAddress ?? '', headers: passed, arrival }),
    token: () => (token === undefined ? undefined : String(token)),
    memory: 'shared',
    keepsToken: false,
    onFault: error => faulted(logger, error),
  }
}

/** The fields that the protocol reads. */
const headerPairsOf = (headers: IncomingHttpHeaders): [string, string][] =>
  Object.entries(headers)
    .filter(([name]) => name === 'accept' || name === 'content-type' || name.startsWith('mcp-'))
    .map(([name, value]) => [name, String(value)])

/** Sends a refusal that precedes the protocol, as a JSON-RPC message without an id. */
function refuseInProtocol(problem: Problem, exchange: Exchange): void {
  const { status, headers } = problemAnswer(problem, exchange.id)
  say(exchange.set(headers), status, CODES.server, `${problem.code}: ${PROBLEMS[problem.code].remedy}`)
}

const faulted = (logger: Logger, error: unknown): void => logger.error({ err: error }, 'a request failed')

const say = (exchange: Exchange, status: number, code: number, message: string): void =>
  exchange
    .set({ 'cache-control': 'no-store', 'content-type': JSON_TYPE })
    .send(status, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })))
