import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { OPERATIONS, type Operation, type OperationName } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import { guideDigests } from '../guide/texts.ts'
import { EntryCache } from '../memory/entries/cache.ts'
import type { Charge } from '../memory/limits/rules.ts'
import type { Readiness } from '../memory/operation.ts'
import type { Limiter, Store, WriteEnvironment } from '../memory/store.ts'
import type { MirrorLag } from '../mirror/lag.ts'
import type { Secrets } from '../secrets.ts'
import { acceptedType } from '../web/accepted-type.ts'
import { JSON_TYPE } from '../web/page.ts'
import { PAGES } from '../web/pages.ts'
import { createCompression } from './compression.ts'
import { createHttpServer, type HttpServer } from './connections.ts'
import { Dispatcher } from './dispatcher.ts'
import { createGuides, createSender, routeLog } from './documents.ts'
import { Streams } from './events.ts'
import { createRouter, type Exchange, READING, type Route, type Router } from './exchange.ts'
import { AdminCheck, Origins, TokenHolders } from './identify.ts'
import { Charges } from './limits.ts'
import { ClockWatch, Metrics } from './metrics.ts'
import { Observer, UnansweredTopics } from './observer.ts'
import { Overload } from './overload.ts'
import { admittedAs, createPageHandler, searchFor } from './pages.ts'
import { Serving, type ServingDependencies } from './serve.ts'
import type { BackupStatus, WitnessMetrics } from './status.ts'
import type { Tracing } from './tracing.ts'

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
  /** How far a mirror follows its original, if this process follows it. */
  lag: MirrorLag | undefined
  backups: { status(): BackupStatus } | undefined
  /** Sends spans, if there is a collector. */
  tracing: Tracing | undefined
  /** Whether the store is the private memory of one user. */
  privateMemory: boolean
}

export type Server = Pick<HttpServer, 'server' | 'listen' | 'listenLocally' | 'inject'> & {
  router: Router
  metrics: Metrics
  readiness(): Readiness
  /** Loads the salt of a day (as `2026-11-21`), so that requests of that day do not wait for it. */
  openDay(day: string): Promise<void>
  environment(): WriteEnvironment
  /** Charges a request outside the contract as a read and returns the charge, or throws RATE_LIMITED. */
  chargeRead(exchange: Exchange): Promise<Charge>
  /** Accepts no new connections, waits for requests in progress, and stores the observations. */
  stop(): Promise<void>
}

type Writing = Omit<WriteEnvironment, 'at'>
type Answering = Omit<ServingDependencies, keyof ServerOptions | 'entries' | 'rates' | 'guideDigest'>

function createServing(options: ServerOptions, dependencies: Answering): Serving {
  const { config, store } = options
  const entries = new EntryCache(store, () => dependencies.overload.yieldIfOverBudget())
  const { readPerMinute, writePerMinute, cooldownSeconds } = config
  const rates = { readPerMinute, writePerMinute, cooldownSeconds }
  return new Serving({ ...options, ...dependencies, entries, rates, guideDigest: guideDigests(config) })
}

function createObserver({ store, logger, now }: ServerOptions, writing: Writing, origins: Origins) {
  const onLoss = (lost: number, error: unknown): void =>
    logger.error({ lost, err: error }, 'observations were dropped because the store did not accept them')
  return new Observer(
    { store, now, writing },
    onLoss,
    new UnansweredTopics({ store, now, writing }, day => origins.digestOfDay(day)),
  )
}

const UNTRUSTED_PROXY =
  'a request had X-Forwarded-For from a loopback or private address that TRUSTED_PROXIES does not name: all callers of that proxy share one limit; name the network of the proxy in TRUSTED_PROXIES'

const createOrigins = ({ config, store, logger, secrets }: ServerOptions, environment: () => WriteEnvironment) =>
  new Origins(
    () => secrets().originKey,
    config.trustedProxies,
    day => store.maintain('openDay', day, environment()),
    () => logger.warn(UNTRUSTED_PROXY),
  )

/** A mirror is ready if its store is and it follows its original closely enough. */
function readinessOf({ store, lag }: ServerOptions): Readiness {
  const own = store.readiness()
  const obstacle = lag?.obstacle()
  return own.ready && obstacle !== undefined ? { ready: false, status: obstacle } : own
}

/** Builds the HTTP server: all operations of the contract, the guides and the pages. The caller makes it listen. */
export function createServer(options: ServerOptions): Server {
  const { store, logger, now } = options
  const writing = { cooldown: 0, dataClass: 'EXTERNAL', privateMemory: options.privateMemory } as const
  const environment = (): WriteEnvironment => ({ at: now(), ...writing })
  const origins = createOrigins(options, environment)
  const observer = createObserver(options, writing, origins)
  const holders = new TokenHolders(store)
  const admin = new AdminCheck(() => options.secrets().adminDigest)
  const charges = new Charges({ ...options, admin })
  const readiness = () => (dispatcher.isStopping ? { ready: false, status: 'stopping' } : readinessOf(options))
  const streams = new Streams(store, logger)
  const compression = createCompression()
  const overload = new Overload(logger, store)
  const answering = { origins, holders, admin, charges, observer, streams, compression, readiness, writing, overload }
  const serving = createServing(options, answering)
  const clock = new ClockWatch(now, logger)
  const metrics = new Metrics(store, { ...options, origins, clock, readiness, streams, charges, overload })
  const router = createRoutes({ ...options, serving, metrics, observer, sendDocument: createSender(compression) })
  const dispatcher = new Dispatcher({ ...options, metrics, router, overload })
  const http = createHttpServer(dispatcher, logger)
  return {
    ...http,
    router,
    metrics,
    readiness,
    openDay: day => origins.openDay(day),
    environment,
    chargeRead: exchange => serving.chargeRead(exchange),
    async stop() {
      dispatcher.isStopping = true
      clock.end()
      streams.close()
      await http.close()
      overload.close()
      await observer.close()
    },
  }
}

type RouteParts = Pick<ServerOptions, 'config' | 'store' | 'now' | 'witnesses'> & {
  serving: Serving
  metrics: Metrics
  observer: Observer
  sendDocument: ReturnType<typeof createSender>
}

/** The routes of all operations, guides and pages, from their tables, and those of the metrics and of the public log. */
function createRoutes(parts: RouteParts): Router {
  const { config, store, now, serving, metrics, observer, sendDocument, witnesses } = parts
  const { original } = store
  const router = createRouter()
  routeOperations(router, serving)
  routeGuides(router, createGuides(config), sendDocument, now)
  routeMetrics(router, serving, metrics)
  routeLog(router, serving, store, witnesses?.keys)
  routePages(router, serving, createPageHandler({ config, original, observer, serving, sendDocument }))
  return router
}

function routeOperations(router: Router, serving: Serving): void {
  for (const [name, { method, path }] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
    const methods: Route['methods'] = method === 'GET' ? READING : ['POST']
    router.add({ name, methods, path, answer: serving.serve.bind(serving, name) })
  }
}

function routeGuides(
  router: Router,
  guides: ReturnType<typeof createGuides>,
  sendDocument: ReturnType<typeof createSender>,
  now: () => number,
): void {
  for (const [path, guide] of Object.entries(guides)) {
    router.add({
      name: path.slice(1),
      methods: READING,
      path,
      answer(exchange) {
        const made = guide(now())
        if (made === undefined) throw new Problem('ROUTE_NOT_FOUND')
        return sendDocument(made, exchange)
      },
    })
  }
}

/** The path of the status. Pages of other origins may not read it. */
const STATUS_PATH = '/admin/status'

/** Metrics and status are charged and checked like a read of the administrator's snapshot. A browser is sent to the console. */
function routeMetrics(router: Router, serving: Serving, metrics: Metrics): void {
  const serve = (exchange: Exchange, read: () => Promise<{ type: string; body: string }>) => {
    const run = async (): Promise<undefined> => {
      const { type, body } = await read()
      exchange.set({ 'cache-control': 'no-store', 'content-type': type }).send(200, Buffer.from(body))
    }
    return serving.serve('readAdminSnapshot', exchange, { search: '', run })
  }
  const status = async () => ({ type: JSON_TYPE, body: JSON.stringify({ findings: await metrics.findings() }) })
  const answer: Route['answer'] = exchange => serve(exchange, () => metrics.expose())
  router.add({ name: 'metrics', methods: READING, path: '/metrics', answer })
  router.add({
    name: 'status',
    methods: READING,
    path: STATUS_PATH,
    answer: exchange => {
      const { accept = '', authorization } = exchange.headers
      if (authorization === undefined && acceptedType(accept, ['application/json', 'text/html']) === 'text/html')
        return void exchange.set({ location: '/admin#status' }).send(303)
      return serve(exchange, status)
    },
  })
}

function routePages(router: Router, serving: Serving, show: ReturnType<typeof createPageHandler>): void {
  for (const page of PAGES) {
    router.add({
      name: `page ${page.path}`,
      methods: page.method === 'POST' ? ['POST'] : READING,
      path: page.path,
      page,
      answer: exchange =>
        serving.serve(admittedAs(page, exchange.search), exchange, {
          search: searchFor(page, exchange.search),
          run: async (request, of) => {
            await show(page, request, of)
          },
        }),
    })
  }
}
