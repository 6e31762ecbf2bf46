import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../../test/support/ports.ts'
import { startLoader } from '../load/loader.ts'
import { CORES, type Server, startServer } from '../processes.ts'
import type { Place } from '../target.ts'
import { addressesIn, HERE, keptData, situationOf, startService } from '../targets/palimpsest.ts'
import type { CostValues } from './costs.ts'
import { MeasuredService } from './measured-service.ts'
import { CALIBRATION, MANY } from './points.ts'
import { difference, threadTimes, totalOf } from './threads.ts'

const CONNECTIONS = 32
const PATIENCE = 60
/** Number of reads of entries that Varnish does not have yet. */
const FIRST_READS = 5_000
const NO_END = 1_000_000_000
const VARNISH = '/usr/sbin/varnishd'
/** Seconds for which answers may be cached: longer than a measurement. */
const LIFETIME = '3600'

/** The cost in the main thread that the purges of one cache add to a create. Rounds with and without purges alternate. */
export async function measurePurges(place: Place, seconds: number, rounds: number): Promise<Partial<CostValues>> {
  const sink = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end())
  })
  sink.listen(0, '127.0.0.1')
  await once(sink, 'listening')
  const address = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/.purge`
  const scratch = (name: string): Place => ({ ...place, scratch: join(place.scratch, name) })
  const plain = await MeasuredService.start(scratch('plain'))
  const purging = await MeasuredService.start(scratch('purging'), {
    PURGE_URL: address,
    SHARED_CACHE_SECONDS: LIFETIME,
  })
  try {
    const differences: number[] = []
    for (const service of [plain, purging]) await service.warm(1)
    for (let round = 0; round < rounds; round++) {
      const without = await plain.measure(CALIBRATION.writes32, seconds)
      const beside = await purging.measure(CALIBRATION.writes32, seconds)
      differences.push((beside.threads.main ?? 0) - (without.threads.main ?? 0))
    }
    differences.sort((a, b) => a - b)
    return { purge: Math.max(0, differences[rounds >> 1] as number) }
  } finally {
    await plain.stop()
    await purging.stop()
    sink.close()
    sink.closeAllConnections()
  }
}

/**
 * The processor time of Varnish, with the configuration of deploy/, for a read from memory and for a forwarded read, on a separate core.
 */
export async function measureVarnish(place: Place, seconds: number): Promise<Partial<CostValues>> {
  if (spawnSync(VARNISH, ['-V']).error !== undefined) throw new Error('Varnish is not installed.')
  const dataDir = await keptData(place)
  const port = await freePort()
  const caching = { SHARED_CACHE_SECONDS: LIFETIME, PURGE_URL: `http://127.0.0.1:${port}/.purge` }
  const service = await startService({ DATA_DIR: dataDir, TRUSTED_PROXIES: '127.0.0.1', ...caching }, CORES.load)
  const loader = startLoader(CORES.load)
  const varnish = startVarnish(join(place.scratch, 'varnish'), port, new URL(service.url).port)
  try {
    await varnish.until(/Child launched OK|said Child starts|Child \(\d+\) Started/)
    const { addresses: hot, ...rest } = await situationOf([service.url], addressesIn(dataDir), [])
    /** Processor time of Varnish per read of a random entry. */
    const timed = async (addresses: string[], seconds: number, count: number): Promise<number> => {
      const before = threadTimes([varnish.pid])
      const situation = { ...rest, addresses, urls: [`http://127.0.0.1:${port}`] }
      const loaded = await loader.run({
        ...{ situation, seconds, count },
        ...{ operation: 'R', connections: CONNECTIONS, from: 0 },
      })
      return totalOf(difference(threadTimes([varnish.pid]), before)) / loaded.count
    }
    await timed(hot, 1, NO_END)
    const cold = addressesIn(dataDir, NO_END).slice(0, MANY)
    const mixed = await timed(cold, PATIENCE, FIRST_READS)
    const cacheHit = await timed(hot, seconds, NO_END)
    // Some of the random reads are of an entry that was read before.
    const misses = (cold.length * (1 - (1 - 1 / cold.length) ** FIRST_READS)) / FIRST_READS
    return { cacheHit, cacheMiss: (mixed - (1 - misses) * cacheHit) / misses }
  } finally {
    loader.close()
    await varnish.stop()
    await service.server.stop()
  }
}

function startVarnish(directory: string, port: number, servicePort: string): Server {
  mkdirSync(directory, { recursive: true })
  const configuration = readFileSync(join(HERE, 'deploy/varnish/default.vcl'), 'utf8')
  const file = join(directory, 'model.vcl')
  writeFileSync(file, configuration.replace('.port = "8080"', `.port = "${servicePort}"`))
  const flags = ['-F', '-a', `127.0.0.1:${port}`, '-f', file, '-s', 'malloc,512m', '-n', join(directory, 'state')]
  return startServer([VARNISH, ...flags], {}, CORES.server)
}
