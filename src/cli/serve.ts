import { pino } from 'pino'
import { openApp } from '../app.ts'
import type { Config } from '../config.ts'

/** How long a stop may take before the process ends anyway, in milliseconds. */
const STOP_PATIENCE = 10_000
const STANDARD_ERROR = 2

/** Serves until SIGTERM or SIGINT; says on standard output where, and logs to standard error. */
export async function serve(config: Config): Promise<void> {
  const destination = pino.destination({ dest: STANDARD_ERROR, sync: false, minLength: 4_096 })
  const logger = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  const flushing = setInterval(() => destination.flush(), 200)
  flushing.unref()
  const end = (code: number): void => {
    destination.flushSync()
    process.exit(code)
  }
  const app = await openApp(config, { logger, onBroken: () => end(1) })

  let stopping = false
  const stop = (signal: string): void => {
    if (stopping) return
    stopping = true
    logger.info({ signal }, 'stopping')
    setTimeout(() => end(1), STOP_PATIENCE).unref()
    app.close().then(
      () => end(0),
      error => {
        logger.error({ err: error }, 'the stop failed')
        end(1)
      },
    )
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  process.on('uncaughtException', error => {
    logger.fatal({ err: error }, 'an error nobody foresaw; ending')
    end(1)
  })
  logger.info({ url: app.url }, 'ready')
  process.stdout.write(announcement(app.url, app.dataDir, app.adminTokenFile))
}

function announcement(url: string, dataDir: string, tokenFile: string | undefined): string {
  const lines = [
    `Palimpsest is ready at ${url}`,
    `  data         ${dataDir}`,
    `  admin token  ${tokenFile ?? 'as configured (ADMIN_TOKEN)'}`,
    `  guide        ${url}/agents`,
    `  try          curl -s ${url}/api/discovery`,
  ]
  return `${lines.join('\n')}\n`
}
