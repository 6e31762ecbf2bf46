import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Problem } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import { assertJsonBody, parseJson } from '../http/pipeline/body.ts'
import { problemAnswer, problemOf } from '../http/pipeline/errors.ts'
import type { Server } from '../http/server.ts'
import { clientsWithin } from './in-process.ts'
import type { Session } from './perform.ts'

/** Codes of JSON-RPC 2.0. SERVER is for errors outside the protocol. */
const CODES = { parse: -32_700, invalid: -32_600, server: -32_000 } as const
const JSON_TYPE = 'application/json; charset=utf-8'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Header fields of a request that its calls pass on. */
const HANDED_ON = ['user-agent', 'x-forwarded-for', 'traceparent'] as const

/** Loads the SDK and the tools. This takes 0.1 s of processor time. */
export async function loadMcp() {
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./server.ts'),
  ])
  return { createMcpHandler, createMcpServer }
}
type Sdk = Awaited<ReturnType<typeof loadMcp>>

/**
 * Serves the Model Context Protocol at /mcp, without sessions: a request is one message, and its calls go through the routes of `app`.
 * A message is charged as a read, in addition to its calls. Resolves after the SDK is loaded, so that no message waits for it.
 */
export async function serveMcp(
  { app, chargeRead }: Pick<Server, 'app' | 'chargeRead'>,
  config: Config,
  loading = loadMcp(),
): Promise<void> {
  const sdk = await loading
  await app.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) => bytes)
    scope.setErrorHandler((error, request, reply) => refuse(problemOf(error), error, request, reply))
    scope.addHook('onRequest', async (request, reply) => {
      if (isOwnPage(request.headers.origin, config)) return
      const sentence = 'A page of this origin may not call /mcp; the operator can allow it with MCP_ORIGINS.'
      return say(reply, 403, CODES.server, sentence)
    })
    scope.route({
      method: ['GET', 'DELETE'],
      url: '/mcp',
      config: { name: 'mcp' },
      handler: (_request, reply) =>
        say(
          reply.header('allow', 'POST'),
          405,
          CODES.server,
          'This endpoint has no sessions and no streams: POST each message.',
        ),
    })
    scope.route({
      method: 'POST',
      url: '/mcp',
      config: { name: 'mcp' },
      onRequest: chargeRead,
      preParsing: async request => assertJsonBody(request.headers),
      handler: (request, reply) => answer(app, sdk, request, reply),
    })
  })
}

async function answer(
  app: FastifyInstance,
  { createMcpHandler, createMcpServer }: Sdk,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  let message: unknown
  try {
    message = parseJson(request.body as Buffer)
  } catch {
    return say(reply, 400, CODES.parse, 'The body must be valid JSON in UTF-8.')
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    return say(reply, 400, CODES.invalid, 'The body must be one JSON-RPC 2.0 message; batches are not supported.')
  }
  const session = sessionOf(app, request)
  const handler = createMcpHandler(() => createMcpServer(session), { keepAliveMs: 0 })
  const asked = new Request('http://palimpsest.invalid/mcp', { method: 'POST', headers: fieldsOf(request) })
  const response = await handler.fetch(asked, { parsedBody: message })
  const body = Buffer.from(await response.arrayBuffer())
  const type = response.headers.get('content-type')
  reply.code(response.status).header('cache-control', 'no-store')
  return type === null ? reply.send() : reply.type(type).send(body)
}

function sessionOf(app: FastifyInstance, request: FastifyRequest): Session {
  const token = request.headers['x-actor-token']
  const headers: Record<string, string> = {}
  for (const name of HANDED_ON) {
    const value = request.headers[name]
    if (value !== undefined) headers[name] = String(value)
  }
  return {
    clientFor: clientsWithin(app, { remoteAddress: request.socket.remoteAddress ?? '', headers }),
    token: () => (token === undefined ? undefined : String(token)),
    shared: true,
    keepsToken: false,
    onFault: error => faulted(request.log, error),
  }
}

/** The fields that the protocol reads. */
const fieldsOf = ({ headers }: FastifyRequest): [string, string][] =>
  Object.entries(headers)
    .filter(([name]) => name === 'accept' || name === 'content-type' || name.startsWith('mcp-'))
    .map(([name, value]) => [name, String(value)])

/** A refusal before the protocol starts, as a JSON-RPC message without an id. */
function refuse(problem: Problem, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (PROBLEMS[problem.code].status === 503) faulted(request.log, error)
  const { status, headers } = problemAnswer(problem, request.id)
  return say(reply.headers(headers), status, CODES.server, `${problem.code}: ${PROBLEMS[problem.code].remedy}`)
}

const faulted = (log: FastifyBaseLogger, error: unknown): void => log.error({ err: error }, 'a request failed')

const say = (reply: FastifyReply, status: number, code: number, message: string): FastifyReply =>
  reply
    .code(status)
    .header('cache-control', 'no-store')
    .type(JSON_TYPE)
    .send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))

/**
 * Whether the Origin header of a request is allowed: it is missing, or names this service, this machine, or an origin that the operator
 * allows. The Host header is ignored: a page that rebinds its name to this address can choose it.
 */
function isOwnPage(
  origin: string | undefined,
  { publicUrl, mcpOrigins }: Pick<Config, 'publicUrl' | 'mcpOrigins'>,
): boolean {
  if (origin === undefined || mcpOrigins.includes('*') || mcpOrigins.includes(origin)) return true
  if (!URL.canParse(origin)) return false
  const { hostname, origin: page } = new URL(origin)
  return LOOPBACK.includes(hostname) || (publicUrl !== undefined && new URL(publicUrl).origin === page)
}
