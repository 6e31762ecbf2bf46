import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Logger, pino } from 'pino'
import { type App, type AppOptions, openApp } from '../app.ts'
import { type Config, httpUrl, misspeltVariables, readConfig } from '../config.ts'
import { assertStartable, listen } from '../listen.ts'
import { connectLocally, socketPath } from '../local-socket.ts'
import { loadMcp } from '../mcp/endpoint.ts'
import type { Store } from '../memory/store.ts'
import type { MirrorLag } from '../mirror/lag.ts'
import { OperatorError } from '../operator-error.ts'
import { DirectoryInUse } from '../stores/embedded/directory.ts'
import { preparePages } from '../web/parts/prose.ts'
import { EXIT, type Invocation } from './command.ts'
import { isDemonstration, seedDemoStore } from './demo.ts'
import { LogFile, readableLine } from './log-file.ts'
import { ScheduledBackups } from './stores/scheduled.ts'
import { assertEmbedded } from './stores/snapshot.ts'

/** The process ends when a stop takes longer. */
const STOP_TIMEOUT_MS = 10_000
const STANDARD_ERROR = 2
const DROPPED =
  'log lines were dropped because they could not be written; free space for the log, or use a faster reader'
/** The interval at which a waiting server checks for its store. */
const READY_INTERVAL_MS = 100

/** Work that runs at the same time as the service, until the signal. The service is ready only while `lag` has no obstacle. */
export type BackgroundTask = { lag: MirrorLag; run(store: Store, signal: AbortSignal): Promise<void> }

/** Serves the store of the settings; with --demo, a demonstration. */
export async function serveStore(invocation: Invocation): Promise<number> {
  const { env, flags, switches } = invocation
  const config = readConfig(env, flags)
  await assertStartable(config)
  if (switches.has('demo')) {
    assertEmbedded(invocation, 'serve --demo', 'unset DATABASE_URL')
    const isNamed = (flags['data-dir'] ?? env.DATA_DIR) !== undefined
    await serve(await seedDemoStore(config, isNamed), env)
  } else await serve(config, env)
  return EXIT.ok
}

/** Serves until SIGTERM or SIGINT. Prints the address on standard output and logs to standard error. Ends if `background` fails. */
export async function serve(config: Config, env: NodeJS.ProcessEnv, background?: BackgroundTask): Promise<void> {
  const file = new LogFile(STANDARD_ERROR, dropped => logger.warn({ dropped }, DROPPED))
  const logger = await createLogger(config, file)
  for (const sentence of misspeltVariables(env)) logger.warn(sentence)
  const end = (code: number, sentence?: string): void => file.end(sentence, () => process.exit(code))
  // Standard output may be on the same full disk.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  let app: App | undefined
  const stopping = new AbortController()
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) return
    stopping.abort()
    logger.info({ signal }, 'stopping')
    setTimeout(STOP_TIMEOUT_MS, undefined, { ref: false }).then(() => end(1))
    // A start that is not complete leaves nothing that a kill could damage.
    const closing = app?.close() ?? Promise.resolve()
    closing.then(
      () => end(0),
      error => {
        logger.error({ err: error }, 'the stop failed')
        end(1)
      },
    )
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  process.on('SIGHUP', signal => reportReopened(logger, signal))
  const backups = ScheduledBackups.of(config, logger)
  const options = {
    logger,
    backups,
    droppedLines: () => file.dropped(),
    onBroken: (fault: Error) => end(1, fault.message),
    ...(background === undefined ? {} : { lag: background.lag }),
  }
  // The others load while threads open the store.
  const [opened] = await Promise.all([openOrRelay(config, options), loadMcp(), preparePages()])
  app = opened
  process.on('uncaughtException', error => {
    logger.fatal({ err: error }, 'an unexpected error; the process ends')
    end(1)
  })
  background?.run(app.store, stopping.signal).catch(error => {
    if (!stopping.signal.aborted) end(1, error instanceof OperatorError ? error.message : (error as Error).stack)
  })
  await becomesReady(app)
  if (stopping.signal.aborted) return
  backups?.begin(stopping.signal)
  logger.info({ url: app.url }, 'ready')
  process.stdout.write(announcement(app, config))
}

/** Writes JSON lines to the file, or on a terminal lines for people. */
async function createLogger({ logLevel: level }: Config, file: LogFile): Promise<Logger> {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (process.stderr.isTTY !== true) return pino(options, file)
  return pino(options, { write: line => file.write(readableLine(line)) })
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/

/** An owner closes its socket first and its store last. For so long, a directory without a socket may still be locked. */
const RELEASE_MS = 60_000

/**
 * Opens the service. If another process has opened the directory, relays connections to it until it ends, and then opens the service. Throws
 * DirectoryInUse if other machines could use the relay, because requests that arrive through it have no limits.
 */
async function openOrRelay(config: Config, options: AppOptions): Promise<App> {
  let ended = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      return await openApp(config, options)
    } catch (error) {
      if (!(error instanceof DirectoryInUse) || !LOOPBACK.test(config.host)) throw error
      const path = socketPath(config.dataDir)
      const owner = await connectLocally(path)
      if (owner === undefined) {
        if (performance.now() - ended > RELEASE_MS) throw error
        await setTimeout(READY_INTERVAL_MS)
        continue
      }
      await relayTo(owner, path, config)
      ended = performance.now()
      options.logger.info('the process that had opened the directory has ended')
    }
  }
}

/** Passes the connections of the address of the service on to a local socket. Resolves when `owner`, a connection to it, is closed. */
async function relayTo(owner: Socket, path: string, config: Config): Promise<void> {
  const open = new Set<Socket>()
  const relay = createServer(client => {
    const local = connect({ path })
    for (const [one, other] of [
      [client, local],
      [local, client],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy()).once('close', () => open.delete(one) && other.destroy())
    }
  })
  const ended = once(owner.resume(), 'close')
  await listen({ listen: at => once(relay.listen(at), 'listening') }, config)
  const { port } = relay.address() as AddressInfo
  config.port = port
  process.stdout.write(
    `Palimpsest is ready at ${httpUrl(config.host, port)}\n  data         ${resolve(config.dataDir)}, which another process has opened\n`,
  )
  await ended
  const closed = new Promise(done => relay.close(done))
  for (const socket of open) socket.destroy()
  await closed
}

/** Waits until the service is ready, and then writes the compile cache, which Node itself writes only when the process ends. */
async function becomesReady({ url, readiness }: App): Promise<void> {
  const { ready, status } = readiness()
  if (!ready) process.stdout.write(`Palimpsest listens at ${url} and is ${status}\n`)
  while (!readiness().ready) await setTimeout(READY_INTERVAL_MS)
  flushCompileCache()
}

/** Reopens the file of the log, which a rotation has renamed. */
function reportReopened(logger: Logger, signal: NodeJS.Signals): void {
  try {
    const message = LogFile.reopenAll() ? 'the log file was reopened' : 'the log goes to no file that can be reopened'
    logger.info({ signal }, message)
  } catch (error) {
    logger.error({ signal, err: error }, 'the log file cannot be reopened; the earlier file gets all lines')
  }
}

function announcement({ url, metricsUrl, place, adminTokenFile, store }: App, config: Config): string {
  const elsewhere = config.adminToken === undefined ? 'on the node that created it' : 'as configured (ADMIN_TOKEN)'
  const lines = [
    `Palimpsest is ready at ${url}`,
    `  data         ${place}`,
    ...(isDemonstration(config)
      ? ['  demo         This store is a demonstration: its entries, authors and dates are samples.']
      : []),
    ...(store.original === undefined ? [] : [`  copy of      ${store.original}, read-only`]),
    `  admin token  ${adminTokenFile() ?? elsewhere}`,
    `  guide        ${url}/agents`,
    ...(metricsUrl === undefined ? [] : [`  metrics      ${metricsUrl}`]),
    `  try          curl -s ${url}/api/discovery`,
  ]
  return `${lines.join('\n')}\n`
}
