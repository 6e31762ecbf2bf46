import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { openEngine } from './engine.ts'
import type { Metrics } from './http/metrics.ts'
import { createMetricsServer } from './http/metrics-server.ts'
import { dayOf } from './http/origin.ts'
import { createServer, type Server } from './http/server.ts'
import { LogKeeper } from './log/keep-log.ts'
import { readWitnessPolicy } from './log/witness-policy.ts'
import { type Prove, Witnesses } from './log/witnesses.ts'
import { loadMcp, serveMcp } from './mcp/endpoint.ts'
import type { Store } from './operations/store.ts'
import { OperatorError } from './operator-error.ts'
import type { Secrets } from './secrets.ts'

export type App = {
  url: string
  /** Where the metrics are without a token, if METRICS_PORT says so. */
  metricsUrl: string | undefined
  /** Where the data is, for people. */
  place: string
  /** The file of this machine that holds the admin token, unless the token was configured or another node made it. */
  adminTokenFile(): string | undefined
  readiness: Store['readiness']
  store: Store
  /** Stops taking requests, lets those under way end, and lets go of everything. */
  close(): Promise<void>
}

export type AppOptions = {
  logger: Logger
  /** The clock, in milliseconds since 1970. */
  now?: () => number
  /** Told once when the store broke: nothing can be written any more. */
  onBroken?: (fault: Error) => void
  /** How many lines of the log were dropped so far. */
  droppedLines?: () => number
}

const HOUSEKEEPING_INTERVAL = 60_000
/** How long before midnight the salt of the next day is made. */
const DAY_AHEAD = 600_000

/** The service without an address: its routes can be called within the process. */
export type Service = Omit<App, 'url' | 'metricsUrl'> & { app: FastifyInstance; metrics: Metrics }

/** Opens the store and the HTTP face, and keeps house. Throws OperatorError where the operator can mend it. */
export async function openService(
  config: Config,
  { logger, now = Date.now, onBroken = () => {}, droppedLines = () => 0 }: AppOptions,
): Promise<Service> {
  // The threads of the store start at the same time.
  const loading = loadMcp()
  const engine = await openEngine(config, logger, now)
  const { store, limiter } = engine
  store.onBroken(fault => {
    logger.fatal({ err: fault }, 'the store is broken; nothing is written any more')
    onBroken(fault)
  })
  try {
    const witnesses = await askWitnesses(config, store, logger)
    const { secrets } = engine
    const server = await createServer({ config, store, logger, now, secrets, limiter, droppedLines, witnesses })
    await serveMcp(server, config, loading)

    const log = await keepLog(config, { server, store, logger, now, witnesses }, secrets)
    const endHousekeeping = keepHouse(config, { server, store, logger, now })
    return {
      app: server.app,
      metrics: server.metrics,
      place: engine.place,
      adminTokenFile: engine.adminTokenFile,
      readiness: store.readiness,
      store,
      async close() {
        endHousekeeping()
        await server.stop()
        await log?.close()
        await limiter.close()
        await store.close()
      },
    }
  } catch (error) {
    await limiter.close()
    await store.close()
    throw error
  }
}

/** What the origin of a log begins with where PUBLIC_URL says nothing. */
const HOST_BY_DEFAULT = 'localhost'

/** The witnesses of the public log, if LOG_WITNESSES names some. */
async function askWitnesses(config: Config, store: Store, logger: Logger): Promise<Witnesses | undefined> {
  const policy = await readWitnessPolicy(config.logWitnesses)
  if (policy === undefined || store.original !== undefined) return undefined
  const prove: Prove = (older, size) => store.askLog({ ask: 'consistency', older, size }) as Promise<string[]>
  return new Witnesses({ policy, prove, logger })
}

/** Follows the store with its public log. That of a mirror is the original's. */
async function keepLog(
  { databaseUrl, publicUrl, logIntervalSeconds }: Config,
  { server, store, logger, now, witnesses }: Kept & { witnesses: Witnesses | undefined },
  secrets: () => Secrets,
): Promise<LogKeeper | undefined> {
  if (store.original !== undefined) return undefined
  const keeper = new LogKeeper({
    ...{ store, logger, now, witnesses, environment: server.environment },
    pem: () => secrets().logKey,
    host: publicUrl === undefined ? HOST_BY_DEFAULT : new URL(publicUrl).host,
    interval: logIntervalSeconds * 1_000,
    chance: () => randomBytes(8).toString('hex'),
  })
  // A store that may not be there yet is followed once it is.
  if (databaseUrl === undefined) await keeper.begin()
  keeper.follow()
  return keeper
}

type Kept = Required<Pick<AppOptions, 'logger' | 'now'>> & { server: Server; store: Store }

/** Makes the salts of days known and lets go of what is due, now and every minute. Gives what ends it. */
function keepHouse(config: Config, { server, store, logger, now }: Kept): () => void {
  let ended = false
  let countedAt = performance.now()
  /** Milliseconds since the last time, by a clock that cannot be set. */
  const served = (): number => {
    const since = performance.now() - countedAt
    countedAt += since
    return since
  }
  const keep = async (): Promise<void> => {
    await server.openDay(dayOf(now()))
    await server.openDay(dayOf(now() + DAY_AHEAD))
    const due = { today: dayOf(now()), retentionDays: config.activityRetentionDays }
    while (!ended && (await store.keep('sweep', { ...due, served: served() }, server.environment()))) {
      // Each round deletes a bounded number of rows, so that writes get in between.
    }
  }
  const keepOrSay = (): void => {
    keep().catch(error => {
      if (!ended) logger.warn({ err: error }, 'housekeeping failed; it is tried again in a minute')
    })
  }
  const timer = setInterval(keepOrSay, HOUSEKEEPING_INTERVAL)
  timer.unref()
  keepOrSay()
  return () => {
    ended = true
    clearInterval(timer)
  }
}

/** Opens the service and listens. Throws OperatorError where the operator can mend it. */
export async function openApp(config: Config, options: AppOptions): Promise<App> {
  const service = await openService(config, options)
  try {
    await listen(service.app, config)
    const metrics = await listenForMetrics(service.metrics, config)
    return {
      ...service,
      url: addressOf(service.app.server, config.host),
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

const addressOf = (server: HttpServer, host: string): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`

/** Listens on the port for metrics, if there is one. */
async function listenForMetrics(metrics: Metrics, { metricsHost: host, metricsPort: port }: Config) {
  if (port === undefined) return undefined
  const server = createMetricsServer(metrics)
  try {
    server.listen({ host, port })
    await once(server, 'listening')
    return server
  } catch (error) {
    const reason = (error as { code?: string }).code ?? String(error)
    throw new OperatorError(
      `METRICS_PORT ${port} on ${host} cannot be listened on (${reason}); set it or METRICS_HOST otherwise.`,
    )
  }
}

async function listen(
  app: { listen(at: { host: string; port: number }): Promise<string> },
  { host, port }: Config,
): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const code = (error as { code?: string }).code
    if (code === 'EADDRINUSE')
      throw new OperatorError(`Port ${port} on ${host} is taken; stop what uses it or set PORT to another one.`)
    if (code === 'EACCES')
      throw new OperatorError(`Port ${port} needs privileges this user does not have; set PORT to 1024 or above.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new OperatorError(
        `HOST ${host} is no address of this machine; set HOST to one, such as 127.0.0.1 or 0.0.0.0.`,
      )
    }
    throw error
  }
}
