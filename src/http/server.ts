import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { LIMITS } from '../contract/limits.ts'
import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { PROBLEMS, Problem } from '../contract/problems.ts'
import { READS, type ReadName, type WriteName } from '../operations/index.ts'
import type { Limiter } from '../operations/limiter.ts'
import type { Store, Terms } from '../operations/store.ts'
import type { Secrets } from '../secrets.ts'
import type { Page } from '../web/page.ts'
import { PAGES } from '../web/pages.ts'
import { type Admitted, createAdmission } from './admission.ts'
import { assertJsonBody, parseJson } from './body.ts'
import { corsOptions } from './cors.ts'
import { problemAnswer, problemOf } from './errors.ts'
import { GUIDES, guideAnswer } from './guides.ts'
import { createHandlers } from './handlers.ts'
import { createObserver } from './observer.ts'
import { createOrigins } from './origin.ts'
import { admittedAs, createPageHandler, problemPageAnswer, searchFor, wantsPage } from './page-handler.ts'
import {
  assertHost,
  closeSlowReaders,
  ignoreExpectations,
  listenForBadBytes,
  SECURITY_FIELDS,
  TIMEOUTS,
} from './transport.ts'

export type ServerOptions = {
  config: Config
  store: Store
  logger: Logger
  limiter: Limiter
  now: () => number
  secrets: () => Secrets
}

export type Server = {
  app: FastifyInstance
  /** Makes the salt of a day (as `2026-11-21`) known, so that requests of that day need not wait for it. */
  openDay(day: string): Promise<void>
  terms(): Terms
  /** Takes no new connections, lets what is under way end, keeps what was observed. */
  stop(): Promise<void>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    name?: string
    page?: Page
  }
}

/** How long a stop waits for requests under way, in milliseconds. */
const DRAIN = 8_000

/** Builds the HTTP face: every operation of the contract table, the guides and the pages. Listening is left to the caller. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { config, store, logger, limiter, now, secrets } = options
  const terms = (at = now()): Terms => ({ at, cooldown: config.cooldownSeconds * 1_000, dataClass: 'EXTERNAL' })
  const observer = createObserver(store, terms, (lost, error) =>
    logger.error({ lost, err: error }, 'observations were dropped: the store did not take them'),
  )
  const saltOf = (day: string): Promise<string> => store.keep('openDay', day, terms())
  const origins = createOrigins(() => secrets().originKey, config.trustedProxies, saltOf)
  const admit = createAdmission({ ...options, reader: store.reader, origins })
  let stopping = false
  const handlers = createHandlers({
    store,
    limiter,
    observer,
    rates: ratesOf(config),
    readiness: () => (stopping ? { ready: false, status: 'stopping' } : store.readiness()),
    terms,
    now,
  })

  const app = createFastify(logger, config)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...SECURITY_FIELDS })
    if (stopping) reply.header('connection', 'close')
    assertHost(request.raw)
  })
  ignoreExpectations(app.server)
  closeSlowReaders(app.server)
  await app.register(cors, corsOptions)
  // An unknown path is told before its body is looked at, and to web pages too.
  app.addHook('onRequest', async request => {
    if (request.is404 && request.method !== 'OPTIONS') throw new Problem('ROUTE_NOT_FOUND')
  })
  routeOperations(app, admit, handlers)
  routeGuides(app, config)
  routePages(app, admit, createPageHandler({ config, observer, readsFor: handlers.readsFor }))
  return {
    app,
    openDay: origins.openDay,
    terms,
    async stop() {
      stopping = true
      const patience = setTimeout(() => app.server.closeAllConnections(), DRAIN)
      await app.close()
      clearTimeout(patience)
      await observer.close()
    },
  }
}

/** Fastify with every default that would break the contract set otherwise. */
function createFastify(logger: Logger, config: Config): FastifyInstance {
  const fail = failure(config)
  const app: FastifyInstance = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    bodyLimit: LIMITS.bodyBytes,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    ...TIMEOUTS,
    routerOptions: { maxParamLength: 20_000, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => fail(error, request, reply as FastifyReply),
    clientErrorHandler: listenForBadBytes(logger),
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) =>
    parseJson(bytes),
  )
  app.setErrorHandler((error, request, reply) => fail(error, request, reply))
  app.setNotFoundHandler((request, reply) => fail(new Problem('ROUTE_NOT_FOUND'), request, reply))
  app.addHook('onResponse', async (request, reply) => {
    const ms = Math.round(reply.elapsedTime * 10) / 10
    request.log.info({ operation: request.routeOptions.config.name ?? null, status: reply.statusCode, ms }, 'request')
  })
  return app
}

/** Gives the function that answers a failed request: in the error shape, or as a page where a person asked for one. */
function failure(config: Config) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = problemOf(error)
    if (PROBLEMS[problem.code].status === 503) {
      const level = problem.code === 'UNEXPECTED_FAULT' ? 'error' : 'warn'
      request.log[level]({ err: error, code: problem.code }, 'a request failed')
    }
    const { status, headers, body } = wantsPage(request)
      ? problemPageAnswer(problem, config, request)
      : problemAnswer(problem, request.id)
    return reply
      .code(status)
      .headers({ 'x-request-id': request.id, ...SECURITY_FIELDS, ...headers })
      .send(body)
  }
}

/** A route whose request is admitted before its body is read. */
function routeAdmitted(
  app: FastifyInstance,
  route: Pick<RouteOptions, 'method' | 'url' | 'config'>,
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<Admitted>,
  handle: (admitted: Admitted, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  const admitted = new WeakMap<FastifyRequest, Admitted>()
  app.route({
    ...route,
    onRequest: async (request, reply) => {
      admitted.set(request, await admit(request, reply))
    },
    handler: (request, reply) => {
      const known = admitted.get(request)
      if (known === undefined) throw new Error('The request was not admitted.')
      return handle(known, request, reply)
    },
  })
}

function routeOperations(
  app: FastifyInstance,
  admit: ReturnType<typeof createAdmission>,
  { read, write }: ReturnType<typeof createHandlers>,
): void {
  for (const [name, { method, path }] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
    routeAdmitted(
      app,
      { method: method === 'GET' ? ['GET', 'HEAD'] : 'POST', url: routeOf(path), config: { name } },
      (request, reply) => admit(name, request, reply),
      (admitted, request, reply) =>
        name in READS
          ? read(name as ReadName, admitted, request, reply)
          : write(name as WriteName, admitted, request, reply),
    )
  }
}

function routeGuides(app: FastifyInstance, config: Config): void {
  for (const [path, guide] of Object.entries(GUIDES)) {
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      config: { name: path.slice(1) },
      handler: (request, reply) => guideAnswer(guide, config, request, reply),
    })
  }
}

function routePages(
  app: FastifyInstance,
  admit: ReturnType<typeof createAdmission>,
  show: ReturnType<typeof createPageHandler>,
): void {
  for (const page of PAGES) {
    const posted = page.method === 'POST'
    routeAdmitted(
      app,
      {
        method: posted ? 'POST' : ['GET', 'HEAD'],
        url: routeOf(page.path),
        config: { name: `page ${page.path}`, page },
      },
      async (request, reply) => {
        const admitted = await admit(admittedAs(page), request, reply, searchFor(page, request.raw.url ?? ''))
        if (posted) assertJsonBody(request.headers)
        return admitted
      },
      (admitted, request, reply) => show(page, admitted, request, reply),
    )
  }
}

/** A path of the contract as the router spells it. */
const routeOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

const ratesOf = ({ readPerMinute, writePerMinute, cooldownSeconds }: Config) => ({
  readPerMinute,
  writePerMinute,
  cooldownSeconds,
})
