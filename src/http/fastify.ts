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

/** Who is told of what became of a request. */
type Telling = { logger: Logger; config: Config; metrics: Metrics }

/** Routes have no schemas for Fastify: inputs are checked by the contract. Said in this way, it does not load its own compilers of schemas. */
const compilesNothing = (): never => {
  throw new Error('A route was given a schema: what comes in is checked by the contract (validate.ts).')
}

/**
 * Fastify with every default that would break the contract set otherwise. Before a request is routed it is answered where it is `ready`,
 * or refused where there is too much to do.
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

/** Gives what answers or refuses a request where that takes no route, and else hands it to `handle`. */
function createShortcut({ metrics, ready, overload, noteRead, isStopping }: Shortcut) {
  return (handle: RequestListener): RequestListener =>
    (request, response) => {
      const route = (): void => handle(request, response)
      if (request.method === 'GET') noteRead()
      const asked = isStopping() ? undefined : ready.askedBy(request)
      if (asked !== undefined && ready.atOnce(asked, request, response)) return
      if (!overload.take(request, response)) metrics.failed('OVERLOADED')
      else if (asked === undefined || !ready.soon(asked, request, response, route)) route()
    }
}

type Told = { requestId: string; operation: string | null; status: number; ms: number }

/** A line for each request: what was read without a fault is told to those who look closely only. */
export function tell(logger: Logger, { ms, ...told }: Told, { method, headers }: IncomingMessage): void {
  const level = told.status < 400 && method !== 'POST' ? 'debug' : 'info'
  if (!logger.isLevelEnabled(level)) return
  logger[level]({ ...told, ms: Math.round(ms * 10) / 10, ...traceOf(headers) }, 'request')
}

/** A line for a request that failed because of the service: with the error and its stack, unless it is what the service refuses by itself. */
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

/** Gives the function that answers a failed request: in the error shape, or as a page where a person asked for one. */
function failure({ logger, config, metrics }: Telling, onOverload: () => void) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = problemOf(error)
    metrics.failed(problem.code)
    // Refusals come by the thousand: they are told together.
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
