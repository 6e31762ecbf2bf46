import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { guideDigests } from '../guide/texts.ts'
import { EntryCache } from '../memory/entries/cache.ts'
import type { Decision } from '../memory/limits/rules.ts'
import type { Readiness } from '../memory/operation.ts'
import type { Limiter, Store, WriteEnvironment } from '../memory/store.ts'
import type { MirrorLag } from '../mirror/lag.ts'
import type { Secrets } from '../secrets.ts'
import { Admission } from './admission.ts'
import { createCompression } from './compression.ts'
import { createHttpServer, type HttpServer } from './connection-server.ts'
import { Dispatcher } from './dispatcher.ts'
import { createSender } from './documents.ts'
import { Streams } from './events.ts'
import type { Exchange } from './exchange.ts'
import { AdminCheck, Origins } from './identify.ts'
import { Charges } from './limits.ts'
import { ClockWatch, Metrics } from './metrics.ts'
import { Observer, UnansweredTopics } from './observer.ts'
import { Overload } from './overload.ts'
import type { Router } from './router.ts'
import { createRoutes } from './routes.ts'
import { Serving, type ServingDependencies } from './serve.ts'
import type { BackupStatus, WitnessMetrics } from './status.ts'

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
  chargeRead(exchange: Exchange): Promise<Decision>
  /** Accepts no new connections, waits for requests in progress, and stores the observations. */
  stop(): Promise<void>
}

type Answering = Omit<ServingDependencies, keyof ServerOptions | 'entries' | 'rates' | 'guideDigest'>

function createServing(options: ServerOptions, dependencies: Answering): Serving {
  const { config, store } = options
  const entries = new EntryCache(store, () => dependencies.overload.yieldIfOverBudget())
  return new Serving({
    ...options,
    ...dependencies,
    entries,
    rates: ratesOf(config),
    guideDigest: guideDigests(config),
  })
}

function createObserver({ store, logger }: ServerOptions, environment: () => WriteEnvironment, origins: Origins) {
  const onLoss = (lost: number, error: unknown): void =>
    logger.error({ lost, err: error }, 'observations were dropped because the store did not accept them')
  return new Observer(
    store,
    environment,
    onLoss,
    new UnansweredTopics(store, environment, day => origins.digestOfDay(day)),
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
  const environment = (at = now()): WriteEnvironment => ({ at, ...writing })
  const origins = createOrigins(options, environment)
  const observer = createObserver(options, environment, origins)
  const admin = new AdminCheck(() => options.secrets().adminDigest)
  const charges = new Charges({ ...options, admin })
  const admission = new Admission({ ...options, origins, admin })
  let stopping = false
  const readiness = () => (stopping ? { ready: false, status: 'stopping' } : readinessOf(options))
  const streams = new Streams(store, logger)
  const compression = createCompression()
  const overload = new Overload(logger, () => store.full())
  const answering = { admission, charges, observer, streams, compression, readiness, environment, overload }
  const serving = createServing(options, answering)
  const clock = new ClockWatch(now, logger)
  const metrics = new Metrics(store, { ...options, origins, clock, readiness, streams, charges, overload })
  const router = createRoutes({
    ...options,
    serving,
    metrics,
    observer,
    sendDocument: createSender(compression),
  })
  const dispatcher = new Dispatcher({ ...options, metrics, router, overload, isStopping: () => stopping })
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
      stopping = true
      clock.end()
      streams.close()
      await http.close()
      overload.close()
      await observer.close()
    },
  }
}

const ratesOf = ({ readPerMinute, writePerMinute, cooldownSeconds }: Config) => ({
  readPerMinute,
  writePerMinute,
  cooldownSeconds,
})
