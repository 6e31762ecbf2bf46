import { randomBytes } from 'node:crypto'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { type Config, httpUrl } from './config.ts'
import { openEngine } from './engine.ts'
import { dayOf } from './http/identify.ts'
import type { Metrics } from './http/metrics.ts'
import { createServer, type Server } from './http/server.ts'
import { Purger } from './http/shared-caches.ts'
import type { BackupStatus } from './http/status.ts'
import type { Tracing } from './http/tracing.ts'
import { listen, listenForMetrics } from './listen.ts'
import { listenLocally } from './local-socket.ts'
import { serveMcp } from './mcp/endpoint.ts'
import { loadPatterns } from './memory/signals/signals.ts'
import type { Store } from './memory/store.ts'
import type { MirrorLag } from './mirror/lag.ts'
import { exposedSentence, listSecretFiles, type Secrets } from './secrets.ts'
import { LogAppender } from './tlog/appender.ts'
import { type Prove, readWitnessPolicy, Witnesses } from './tlog/witnesses.ts'

export type App = {
  url: string
  /** The address of the metrics without a token, if METRICS_PORT is set. */
  metricsUrl: string | undefined
  /** The place of the data, for people. */
  place: string
  /** The file of this machine with the admin token; undefined if the token was configured or another node made it. */
  adminTokenFile(): string | undefined
  readiness: Store['readiness']
  store: Store
  /** Stops accepting requests, completes those in progress, and closes everything. */
  close(): Promise<void>
}

export type AppOptions = {
  logger: Logger
  /** The clock, in milliseconds since 1970. */
  now?: () => number
  /** Called once if the store breaks, which means that nothing can be written any more. */
  onBroken?: (fault: Error) => void
  /** The number of dropped lines of the log. */
  droppedLines?: () => number
  /** How far a mirror follows its original, if this process follows it. */
  lag?: MirrorLag | undefined
  /** The backups that this process makes. */
  backups?: { status(): BackupStatus } | undefined
  /** Whether the store is the private memory of one user, where every judgement counts. */
  privateMemory?: boolean
  /** The lock of the data directory, if the caller has it. */
  lock?: Disposable
}

const HOUSEKEEPING_INTERVAL = 60_000
/** How long before midnight the salt of the next day is made, in milliseconds. */
const DAY_AHEAD = 600_000

/** The service without an address. Its routes can be called within the process. */
export type Service = Omit<App, 'url' | 'metricsUrl'> & { server: Server; metrics: Metrics }

const UNSET = { droppedLines: () => 0, lag: undefined, backups: undefined, privateMemory: false }

/** Opens the store and the HTTP service, and starts housekeeping. Throws OperatorError for mistakes of the operator. */
export async function openService(
  config: Config,
  { logger, now = Date.now, onBroken = () => {}, lock, ...options }: AppOptions,
): Promise<Service> {
  const opening = openEngine(config, logger, now, lock)
  // In the time in which other threads open the store.
  loadPatterns()
  const engine = await opening
  const { store, limiter } = engine
  store.onBroken(fault => {
    logger.fatal({ err: fault }, 'the store is broken; nothing is written any more')
    onBroken(fault)
  })
  try {
    const witnesses = await askWitnesses(config, store, logger)
    const { secrets } = engine
    const tracing = await openTracing(config, store, logger)
    const parts = { config, store, logger, now, secrets, limiter, witnesses, tracing }
    const server = createServer({ ...UNSET, ...options, ...parts })
    serveMcp(server, config, logger)
    const purgers = config.purgeUrls.map(
      address =>
        new Purger({ store, logger, environment: server.environment, url: address, header: config.purgeHeader }),
    )
    warnOfStored(config, logger)
    warnOfExposed(config.dataDir, logger)
    const log = await keepLog(config, { server, store, logger, now, witnesses }, secrets)
    const housekeeping = new Housekeeping(config, { server, store, logger, now })
    return {
      server,
      metrics: server.metrics,
      place: engine.place,
      adminTokenFile: engine.adminTokenFile,
      readiness: () => server.readiness(),
      store,
      async close() {
        housekeeping.end()
        await server.stop()
        await Promise.all(purgers.map(purger => purger.close()))
        await log?.close()
        await tracing?.close()
        await engine.close()
      },
    }
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Loads OpenTelemetry, only if there is a collector, and adds spans to the commits and searches of the store. */
async function openTracing(
  { otlpEndpoint: endpoint, otlpHeaders: headers }: Config,
  store: Store,
  logger: Logger,
): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined
  const { Tracing } = await import('./http/tracing.ts')
  const tracing = new Tracing({ endpoint, headers, logger })
  tracing.follow(store)
  return tracing
}

function warnOfStored({ sharedCacheSeconds: seconds, purgeUrls }: Config, logger: Logger): void {
  if (seconds === 0 || purgeUrls.length > 0) return
  logger.warn({ seconds }, 'PURGE_URL is not set: caches may serve withdrawn texts for SHARED_CACHE_SECONDS')
}

function warnOfExposed(directory: string, logger: Logger): void {
  for (const file of listSecretFiles(directory)) if (file.isExposed) logger.warn(exposedSentence(file))
}

/** Settings without limits, for a service that only its own process can call. */
export const UNLIMITED = { readPerMinute: 1_000_000_000, writePerMinute: 1_000_000_000, cooldownSeconds: 0 }

/** The first part of the origin of a log if PUBLIC_URL is not set. */
const HOST_BY_DEFAULT = 'localhost'

/** The witnesses of the public log, if TLOG_WITNESSES names some. */
async function askWitnesses(config: Config, store: Store, logger: Logger): Promise<Witnesses | undefined> {
  const policy = await readWitnessPolicy(config.tlogWitnesses)
  if (policy === undefined || store.original !== undefined) return undefined
  const prove: Prove = (older, size) => store.askLog({ ask: 'consistency', older, size }) as Promise<string[]>
  return new Witnesses({ policy, prove, logger })
}

/** Follows the store with its public log. A mirror has the log of its original instead. */
async function keepLog(
  { databaseUrl, publicUrl, tlogIntervalSeconds }: Config,
  { server, store, logger, now, witnesses }: ServiceParts & { witnesses: Witnesses | undefined },
  secrets: () => Secrets,
): Promise<LogAppender | undefined> {
  if (store.original !== undefined) return undefined
  const appender = new LogAppender({
    ...{ store, logger, now, witnesses, environment: server.environment },
    pem: () => secrets().logKey,
    host: publicUrl === undefined ? HOST_BY_DEFAULT : new URL(publicUrl).host,
    interval: tlogIntervalSeconds * 1_000,
    randomHex: () => randomBytes(8).toString('hex'),
  })
  // A store that is not open yet is followed once it is.
  if (databaseUrl === undefined) await appender.begin()
  appender.follow()
  return appender
}

type ServiceParts = Required<Pick<AppOptions, 'logger' | 'now'>> & { server: Server; store: Store }

/** Makes the salts of days and deletes expired rows, now and every minute. */
class Housekeeping {
  readonly #retentionDays: number
  readonly #kept: ServiceParts
  readonly #timer: NodeJS.Timeout
  #hasEnded = false
  #countedAt = performance.now()

  constructor({ activityRetentionDays }: Config, kept: ServiceParts) {
    this.#retentionDays = activityRetentionDays
    this.#kept = kept
    this.#timer = setInterval(() => this.#runOrWarn(), HOUSEKEEPING_INTERVAL)
    this.#timer.unref()
    this.#runOrWarn()
  }

  end(): void {
    this.#hasEnded = true
    clearInterval(this.#timer)
  }

  #runOrWarn(): void {
    this.#run().catch(error => {
      if (!this.#hasEnded) this.#kept.logger.warn({ err: error }, 'housekeeping failed; it is tried again in a minute')
    })
  }

  async #run(): Promise<void> {
    const { server, store, now } = this.#kept
    await server.openDay(dayOf(now()))
    await server.openDay(dayOf(now() + DAY_AHEAD))
    const due = { today: dayOf(now()), retentionDays: this.#retentionDays }
    const sweep = () => store.maintain('sweep', { ...due, served: this.#servedSince() }, server.environment())
    while (!this.#hasEnded && (await sweep())) {
      // Each round deletes a bounded number of rows, so that writes run in between.
    }
  }

  /** Milliseconds since the last call, by a monotonic clock. */
  #servedSince(): number {
    const since = performance.now() - this.#countedAt
    this.#countedAt += since
    return since
  }
}

/** Other processes of this user can use the directory over its local socket. The service works without it too. */
async function shareDirectory(server: Server, directory: string, logger: Logger): Promise<void> {
  try {
    await listenLocally(server, directory)
  } catch (error) {
    logger.warn({ err: error }, 'the local socket cannot be used: no other process can share the data directory')
  }
}

/** Opens the service and listens. Throws OperatorError for mistakes of the operator. */
export async function openApp(config: Config, options: AppOptions): Promise<App> {
  const service = await openService(config, options)
  try {
    await listen(service.server, config)
    if (config.databaseUrl === undefined) await shareDirectory(service.server, config.dataDir, options.logger)
    const metrics = await listenForMetrics(service.metrics, config)
    return {
      ...service,
      url: addressOf(service.server.server, config.host),
      metricsUrl: metrics === undefined ? undefined : `${addressOf(metrics, config.metricsHost)}/metrics`,
      async close() {
        metrics?.close()
        metrics?.closeAllConnections()
        await service.close()
      },
    }
  } catch (error) {
    await service.close()
    throw error
  }
}

const addressOf = (server: HttpServer, host: string): string => httpUrl(host, (server.address() as AddressInfo).port)
