import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { createServer } from 'node:net'
import type { Config } from './config.ts'
import { createMetricsServer, type Metrics } from './http/metrics.ts'
import { errorCode, OperatorError } from './operator-error.ts'
import { privateKeysOf } from './tlog/key-files.ts'
import { readWitnessPolicy } from './tlog/witnesses.ts'

/** An address to listen on, with the names of its settings. */
type ListenAddress = { host: string; port: number; names: { host: string; port: string } }

const placeOf = ({ host, port }: Config): ListenAddress => ({ host, port, names: { host: 'HOST', port: 'PORT' } })
const placeOfMetrics = ({ metricsHost: host, metricsPort: port }: Config): ListenAddress | undefined =>
  port === undefined ? undefined : { host, port, names: { host: 'METRICS_HOST', port: 'METRICS_PORT' } }

/** Throws OperatorError for a setting whose value is wrong because of what it names: a file or a key. */
export async function assertNamed({ tlogWitnesses, tlogKey }: Config): Promise<void> {
  await readWitnessPolicy(tlogWitnesses)
  if (tlogKey !== undefined) privateKeysOf(tlogKey, 'TLOG_KEY')
}

/**
 * Throws OperatorError if a start would fail on its settings. Listens for a moment on the addresses of the settings. Call it before a start
 * makes its store, so that a start with wrong settings makes nothing.
 */
export async function assertStartable(config: Config): Promise<void> {
  await assertNamed(config)
  const opened = []
  try {
    for (const place of [placeOf(config), placeOfMetrics(config)]) {
      if (place === undefined) continue
      const probe = createServer()
      await listening(place, async () => {
        probe.listen(place)
        await once(probe, 'listening')
      })
      opened.push(probe)
    }
  } finally {
    await Promise.all(opened.map(probe => new Promise(resolve => probe.close(resolve))))
  }
}

/** Listens on the address of the service. Throws OperatorError for mistakes of the operator. */
export function listen(
  server: { listen(at: { host: string; port: number }): Promise<unknown> },
  config: Config,
): Promise<void> {
  const { host, port } = config
  return listening(placeOf(config), () => server.listen({ host, port }))
}

/** Listens on the port for metrics, if there is one. */
export async function listenForMetrics(metrics: Metrics, config: Config): Promise<HttpServer | undefined> {
  const place = placeOfMetrics(config)
  if (place === undefined) return undefined
  const server = createMetricsServer(metrics)
  await listening(place, async () => {
    server.listen(place)
    await once(server, 'listening')
  })
  return server
}

async function listening({ host, port, names }: ListenAddress, attempt: () => Promise<unknown>): Promise<void> {
  try {
    await attempt()
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EADDRINUSE')
      throw new OperatorError(
        `${names.port} ${port} on ${host} is taken; stop what uses it or set ${names.port} to another one.`,
      )
    if (code === 'EACCES')
      throw new OperatorError(
        `${names.port} ${port} needs privileges this user does not have; set ${names.port} to 1024 or above.`,
      )
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new OperatorError(
        `${names.host} ${host} is no address of this machine; set ${names.host} to one, such as 127.0.0.1 or 0.0.0.0.`,
      )
    }
    throw error
  }
}
