import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { LIMITS } from '../contract/limits.ts'
import { Problem, type ProblemCode } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { Store } from '../operations/store.ts'
import { parseJson } from './body.ts'
import { createConnections } from './connections.ts'
import { problemAnswer, problemOf } from './errors.ts'
import type { Metrics } from './metrics.ts'
import { createServer } from './node-http.ts'
import { type Overload, watchOverload } from './overload.ts'
import { problemPageAnswer, wantsPage } from './page-handler.ts'
import type { ReadyAnswer } from './ready.ts'
import { traceOf } from './trace.ts'
import { closeSlowReaders, closeUnknownPeers, ignoreExpectations, SECURITY_FIELDS, TIMEOUTS } from './transport.ts'

/** Receives the outcomes of requests. */
type Telling = { logger: Logger; config: Config; metrics: Metrics }

/** Routes have no schemas for Fastify, because the contract checks inputs. With this setting, Fastify does not load its compilers of schemas. */
const compilesNothing = (): never => {
  throw new Error('A route must not have a schema: the contract checks inputs (validate.ts).')
}

/**
 * Fastify with settings that obey the contract. Before routing, a request is answered by the fast path (`ready`) if possible, or refused
 * under overload.
 */
export function createFastify(
  { logger, config, metrics, ready }: Telling & { ready: ReadyAnswer },
  store: Pick<Store, 'full' | 'noteRead'>,
  isStopping: () => boolean,
): FastifyInstance {
  const overload = watchOverload(logger, store.full)
  const fail = failure({ logger, config, metrics }, overload.noteRefused)
  const connections = createConnections(logger)
  const shortcut = createShortcut({ metrics, ready, overload, noteRead: () => store.noteRead(), isStopping })
  const app: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: log => log,
    serverFactory: handle => createServer({ ...TIMEOUTS }, connections.inOrder(shortcut(handle))),
    genReqId: () => randomUUID(),
    bodyLimit: LIMITS.bodyBytes,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: TIMEOUTS.requestTimeout,
    schemaController: { compilersFactory: { buildValidator: compilesNothing, buildSerializer: compilesNothing } },
    routerOptions: { maxParamLength: 40_000, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => fail(error, request, reply as FastifyReply),
    clientErrorHandler: connections.refuse,
  })
  connections.readInPieces(app.server)
  ignoreExpectations(app.server)
  closeUnknownPeers(app.server)
  closeSlowReaders(app.server)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) =>
    parseJson(bytes),
  )
  app.setErrorHandler((error, request, reply) => fail(error, request, reply))
  app.setNotFoundHandler((request, reply) => fail(new Problem('ROUTE_NOT_FOUND'), request, reply))
  app.addHook('onClose', async () => overload.close())
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.name ?? null
    const told = { requestId: request.id, operation, status: reply.statusCode, ms: reply.elapsedTime }
    metrics.answered(operation ?? 'none', told.status, told.ms)
    tell(logger, told, request.raw)
    done()
  })
  return app
}

type Shortcut = {
  metrics: Metrics
  ready: ReadyAnswer
  overload: Overload
  noteRead: () => void
  isStopping: () => boolean
}

/** Returns the function that answers or refuses a request without a route if possible, and otherwise passes it to `handle`. */
function createShortcut({ metrics, ready, overload, noteRead, isStopping }: Shortcut) {
  return (handle: RequestListener): RequestListener =>
    (request, response) => {
      const route = (): void => handle(request, response)
      if (request.method === 'GET') noteRead()
      const asked = isStopping() ? undefined : ready.askedBy(request)
      if (asked !== undefined && ready.atOnce(asked, request, response)) return
      if (!overload.admit(request, response)) metrics.failed('OVERLOADED')
      else if (asked === undefined || !ready.soon(asked, request, response, route)) route()
    }
}

type Told = { requestId: string; operation: string | null; status: number; ms: number }

/** Logs one line for each request. Reads without a fault have the level debug. */
export function tell(logger: Logger, { ms, ...told }: Told, { method, headers }: IncomingMessage): void {
  const level = told.status < 400 && method !== 'POST' ? 'debug' : 'info'
  if (!logger.isLevelEnabled(level)) return
  logger[level]({ ...told, ms: Math.round(ms * 10) / 10, ...traceOf(headers) }, 'request')
}

/** Logs a request that failed because of the service, with the error. The stack is omitted for refusals of the service. */
export function tellFailure(
  logger: Logger,
  error: unknown,
  code: ProblemCode,
  { id, headers }: { id: string; headers: IncomingHttpHeaders },
): void {
  const level = code === 'UNEXPECTED_FAULT' ? 'error' : 'warn'
  const cause = error instanceof Problem ? {} : { err: error }
  logger[level]({ requestId: id, code, ...cause, ...traceOf(headers) }, 'a request failed')
}

/** Returns the function that answers a failed request: in the error shape, or as a page if a person requested one. */
function failure({ logger, config, metrics }: Telling, onOverload: () => void) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = problemOf(error)
    metrics.failed(problem.code)
    // Refusals come by the thousand. They are logged together.
    if (problem.code === 'OVERLOADED') onOverload()
    else if (PROBLEMS[problem.code].status === 503) tellFailure(logger, error, problem.code, request)
    const { status, headers, body } = wantsPage(request)
      ? problemPageAnswer(problem, config, request)
      : problemAnswer(problem, request.id)
    return reply
      .code(status)
      .headers({ 'x-request-id': request.id, ...SECURITY_FIELDS, ...headers })
      .send(body)
  }
}
