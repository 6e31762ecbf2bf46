import type { IncomingMessage } from 'node:http'
import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { Verdict } from '../domain/rate-limit.ts'
import { guideDigests } from '../guide/texts.ts'
import { EntryCache } from '../operations/entries/entry-cache.ts'
import type { Limiter } from '../operations/limiter.ts'
import type { Store, WriteEnvironment } from '../operations/store.ts'
import type { Secrets } from '../secrets.ts'
import type { Page } from '../web/page.ts'
import { PAGES } from '../web/pages.ts'
import { createGuides } from './documents/guides.ts'
import { routeLog } from './documents/log-documents.ts'
import { createSender } from './documents/static-document.ts'
import { createStreams } from './events/streams.ts'
import { createFastify } from './fastify.ts'
import { assertWellFormed, SECURITY_FIELDS } from './limits/transport.ts'
import { createMetrics, type Metrics, type WitnessMetrics } from './metrics/metrics.ts'
import { Observer } from './observation/observer.ts'
import { createUnansweredTopics } from './observation/unanswered-topics.ts'
import { createAdmission, createReadCharge } from './pipeline/admission.ts'
import { assertJsonBody } from './pipeline/body.ts'
import { createCompression } from './pipeline/compression.ts'
import { corsOptions } from './pipeline/cors.ts'
import { createFastPath } from './pipeline/fast-path.ts'
import { Handlers } from './pipeline/handlers.ts'
import { createMinSequence } from './pipeline/min-sequence.ts'
import { createOrigins } from './pipeline/origin.ts'
import { admittedAs, createPageHandler, searchFor } from './pipeline/page-handler.ts'
import { routeAdmitted } from './pipeline/route-admitted.ts'

export type ServerOptions = {
  config: Config
  store: Store
  logger: Logger
  limiter: Limiter
  now: () => number
  secrets: () => Secrets
  droppedLines: () => number
  /** The keys of the witnesses of the public log, one per line. */
  witnesses: { keys: string; metrics: WitnessMetrics } | undefined
}

export type Server = {
  app: FastifyInstance
  metrics: Metrics
  /** Loads the salt of a day (as `2026-11-21`), so that requests of that day do not wait for it. */
  openDay(day: string): Promise<void>
  environment(): WriteEnvironment
  /** Charges a request outside the contract as a read, or throws RATE_LIMITED. */
  chargeRead(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Accepts no new connections, waits for requests in progress, and stores the observations. */
  stop(): Promise<void>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    name?: string
    page?: Page
  }
}

/** How long a stop waits for requests in progress, in milliseconds. */
const DRAIN = 8_000
/** The interval at which a stop closes connections that became idle, because their clients do not know about the stop. */
const IDLE_INTERVAL = 50

const lossTo = (logger: Logger) => (lost: number, error: unknown) =>
  logger.error({ lost, err: error }, 'observations were dropped because the store did not accept them')

/** Builds the HTTP server: all operations of the contract, the guides and the pages. The caller makes it listen. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { config, store, logger, now, secrets } = options
  const cooldown = config.cooldownSeconds * 1_000
  const environment = (at = now()): WriteEnvironment => ({ at, cooldown, dataClass: 'EXTERNAL' })
  const saltOf = (day: string): Promise<string> => store.maintain('openDay', day, environment())
  const origins = createOrigins(() => secrets().originKey, config.trustedProxies, saltOf)
  const topics = createUnansweredTopics(store, environment, origins.digestOf)
  const observer = new Observer(store, environment, lossTo(logger), topics)
  const { reader, original } = store
  const charged = new WeakMap<IncomingMessage, Verdict>()
  const admitting = { ...options, reader, minSequence: createMinSequence(store), origins, original, charged }
  let stopping = false
  const readiness = () => (stopping ? { ready: false, status: 'stopping' } : store.readiness())
  const entries = new EntryCache(store)
  const streams = createStreams(store, logger)
  const compression = createCompression()
  const sendDocument = createSender(compression)
  const answering = { ...options, entries, observer, compression }
  const handlers = new Handlers({
    ...answering,
    streams,
    rates: ratesOf(config),
    guideDigest: guideDigests(config),
    readiness,
    environment,
  })
  const metrics = createMetrics(store, { ...options, isReady: () => readiness().ready })
  const fastPath = createFastPath({ ...answering, ...admitting, metrics })
  const app = createFastify({ logger, config, metrics, fastPath }, store, () => stopping)
  await prepare(app, () => stopping)
  const admit = createAdmission(admitting)
  routeOperations(app, admit, handlers)
  routeGuides(app, createGuides(config), sendDocument, now)
  routeMetrics(app, admit, metrics)
  routeLog(app, admit, store, options.witnesses?.keys)
  routePages(app, admit, createPageHandler({ config, original, observer, handlers, sendDocument }))
  return {
    app,
    metrics,
    openDay: origins.openDay,
    environment,
    chargeRead: createReadCharge(admitting),
    async stop() {
      stopping = true
      streams.close()
      await drain(app)
      await observer.close()
    },
  }
}

/** Accepts no more requests, and waits a bounded time for those in progress. */
async function drain(app: FastifyInstance): Promise<void> {
  const patience = setTimeout(() => app.server.closeAllConnections(), DRAIN)
  const idle = setInterval(() => app.server.closeIdleConnections(), IDLE_INTERVAL)
  await app.close()
  clearTimeout(patience)
  clearInterval(idle)
}

/** The rules for all requests. */
async function prepare(app: FastifyInstance, isStopping: () => boolean): Promise<void> {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, ...SECURITY_FIELDS })
    if (isStopping()) reply.header('connection', 'close')
    assertWellFormed(request.raw)
    done()
  })
  await app.register(cors, corsOptions)
  app.addHook('onRequest', refuseUnknown)
}

/** An unknown path is refused before its body is read, with CORS fields. */
function refuseUnknown(request: FastifyRequest, _reply: FastifyReply, done: (problem?: Problem) => void): void {
  done(request.is404 && request.method !== 'OPTIONS' ? new Problem('ROUTE_NOT_FOUND') : undefined)
}

function routeOperations(app: FastifyInstance, admit: ReturnType<typeof createAdmission>, handlers: Handlers): void {
  for (const [name, { method, path }] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
    routeAdmitted(
      app,
      { method: method === 'GET' ? ['GET', 'HEAD'] : 'POST', url: routeOf(path), config: { name } },
      (request, reply) => admit(name, request, reply),
      (admitted, request, reply) => handlers.answer(name, admitted, request, reply),
    )
  }
}

function routeGuides(
  app: FastifyInstance,
  guides: ReturnType<typeof createGuides>,
  sendDocument: ReturnType<typeof createSender>,
  now: () => number,
): void {
  for (const [path, guide] of Object.entries(guides)) {
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      config: { name: path.slice(1) },
      handler: (request, reply) => {
        const made = guide(now())
        if (made === undefined) throw new Problem('ROUTE_NOT_FOUND')
        return sendDocument(made, request, reply)
      },
    })
  }
}

/** The metrics are admitted like a read of the administrator's snapshot. */
function routeMetrics(app: FastifyInstance, admit: ReturnType<typeof createAdmission>, metrics: Metrics): void {
  routeAdmitted(
    app,
    { method: ['GET', 'HEAD'], url: '/metrics', config: { name: 'metrics' } },
    (request, reply) => admit('readAdminSnapshot', request, reply, ''),
    async (_admitted, _request, reply) => {
      const { type, body } = await metrics.expose()
      return reply.code(200).headers({ 'cache-control': 'no-store' }).type(type).send(body)
    },
  )
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
        const admitted = await admit(
          admittedAs(page, request.raw.url ?? ''),
          request,
          reply,
          searchFor(page, request.raw.url ?? ''),
        )
        if (posted) assertJsonBody(request.headers)
        return admitted
      },
      (admitted, request, reply) => show(page, admitted, request, reply),
    )
  }
}

/** A path of the contract in the syntax of the router. */
const routeOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

const ratesOf = ({ readPerMinute, writePerMinute, cooldownSeconds }: Config) => ({
  readPerMinute,
  writePerMinute,
  cooldownSeconds,
})
