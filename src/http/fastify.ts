import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
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
import { Problem } from '../contract/problem.ts'
import { PROBLEMS } from '../contract/problems.ts'
import type { Store } from '../operations/store.ts'
import { createConnections } from './limits/connections.ts'
import { type Overload, watchOverload } from './limits/overload.ts'
import {
  closeSlowReaders,
  closeUnknownPeers,
  ignoreExpectations,
  SECURITY_FIELDS,
  TIMEOUTS,
} from './limits/transport.ts'
import type { Metrics } from './metrics/metrics.ts'
import { logFailure, logRequest } from './metrics/request-log.ts'
import { createServer } from './node-http.ts'
import { parseJson } from './pipeline/body.ts'
import { problemAnswer, problemOf } from './pipeline/errors.ts'
import type { FastPath } from './pipeline/fast-path.ts'
import { problemPageAnswer, wantsPage } from './pipeline/page-handler.ts'

/** Receives the outcomes of requests. */
type Reporting = { logger: Logger; config: Config; metrics: Metrics }

/** Routes have no schemas for Fastify, because the contract checks inputs. With this setting, Fastify does not load its compilers of schemas. */
const compilesNothing = (): never => {
  throw new Error('A route must not have a schema: the contract checks inputs (validate.ts).')
}

/** How long a stop waits for the first bytes of a connection, in milliseconds. */
const UNUSED_LATEST = 1_000

/**
 * Fastify with settings that obey the contract. Before routing, a request is answered by the fast path if possible, or refused
 * under overload.
 */
export function createFastify(
  { logger, config, metrics, fastPath }: Reporting & { fastPath: FastPath },
  store: Pick<Store, 'full' | 'noteRead'>,
  isStopping: () => boolean,
): FastifyInstance {
  const overload = watchOverload(logger, () => store.full())
  const fail = failure({ logger, config, metrics }, overload.noteRefused)
  const connections = createConnections(logger)
  const shortcut = createShortcut({ metrics, fastPath, overload, noteRead: () => store.noteRead(), isStopping })
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
  app.addHook('preClose', done => {
    setTimeout(connections.closeUnused, UNUSED_LATEST).unref()
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.name ?? null
    const outcome = { requestId: request.id, operation, status: reply.statusCode, ms: reply.elapsedTime }
    metrics.answered(operation ?? 'none', outcome.status, outcome.ms)
    logRequest(logger, outcome, request.raw)
    done()
  })
  return app
}

type Shortcut = {
  metrics: Metrics
  fastPath: FastPath
  overload: Overload
  noteRead: () => void
  isStopping: () => boolean
}

/** Returns the function that answers or refuses a request without a route if possible, and otherwise passes it to `handle`. */
function createShortcut({ metrics, fastPath, overload, noteRead, isStopping }: Shortcut) {
  return (handle: RequestListener): RequestListener =>
    (request, response) => {
      const route = (): void => handle(request, response)
      if (request.method === 'GET') noteRead()
      const parsed = isStopping() ? undefined : fastPath.parse(request)
      if (parsed !== undefined && fastPath.fromMemory(parsed, request, response)) return
      if (!overload.admit(request, response)) metrics.failed('OVERLOADED')
      else if (parsed === undefined || !fastPath.fromStore(parsed, request, response, route)) route()
    }
}

/** Returns the function that answers a failed request: in the error shape, or as a page if a person requested one. */
function failure({ logger, config, metrics }: Reporting, onOverload: () => void) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = problemOf(error)
    metrics.failed(problem.code)
    // Refusals come by the thousand. They are logged together.
    if (problem.code === 'OVERLOADED') onOverload()
    else if (PROBLEMS[problem.code].status === 503) logFailure(logger, error, problem.code, request)
    const { status, headers, body } = wantsPage(request)
      ? problemPageAnswer(problem, config, request)
      : problemAnswer(problem, request.id)
    return reply
      .code(status)
      .headers({ 'x-request-id': request.id, ...SECURITY_FIELDS, ...headers })
      .send(body)
  }
}
