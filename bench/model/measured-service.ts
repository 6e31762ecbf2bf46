import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openHttp, requestText } from '../load/http.ts'
import { type Loader, startLoader } from '../load/loader.ts'
import type { Loaded, Order, Situation } from '../load/order.ts'
import { CORES } from '../processes.ts'
import type { Place } from '../target.ts'
import { addressesIn, keptData, type Service, situationOf, startService } from '../targets/palimpsest.ts'
import { chanceOf } from './chance.ts'
import { HOT, MANY, type Point } from './points.ts'
import { coreTicks, difference, type ThreadTimes, threadTimes, totalOf } from './threads.ts'
import { zipfRanks } from './zipf.ts'

/**
 * A measurement of a point. Processor times are in microseconds per request; those of the index and the log include the work after the end
 * of the load. `indexedLater` is the share of the indexing that was done then. `others` is the share of the core that other programs used.
 */
export type Reading = Loaded & { threads: ThreadTimes; indexedLater: number; others: number; group: number }

const ADMIN_TOKEN = 'model-of-the-bench-0123456789abcdef'
const LOOK = 20
/** LOG_INTERVAL_SECONDS by default, with a margin, in milliseconds. */
const LOG_INTERVAL = 1_200
const NO_END = 1_000_000_000
const STEP = 1_000_000
/** Number of addresses that are drawn by Zipf's law in advance. The load selects from them with equal probability. */
const DRAWN = 200_000
const SEED = 1

/** A setting for the metrics of a measured service. */
export const METRICS = { ADMIN_TOKEN }

/** The values of the metrics of a service, by name. */
export async function metricsOf(url: string): Promise<(name: string) => number> {
  const http = openHttp(url)
  const answer = await http.send(requestText('GET', '/metrics', `authorization: Bearer ${ADMIN_TOKEN}\r\n`))
  const text = answer.text()
  http.close()
  if (answer.status !== 200) throw new Error(`/metrics was answered ${answer.status}: ${text}`)
  return name => Number(new RegExp(`^palimpsest_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
}

/** Resolves one interval of the log after the index of a service has all records. */
export async function untilIdle(url: string, logInterval = LOG_INTERVAL): Promise<void> {
  for (;;) {
    const metrics = await metricsOf(url)
    if (metrics('search_index_lag_records') === 0 && metrics('writes_waiting') === 0) break
    await setTimeout(LOOK)
  }
  await setTimeout(logInterval)
}

/** The service and a load on separate cores, as in the bench. */
export class MeasuredService {
  readonly url: string
  readonly #service: Service
  readonly #loader: Loader
  readonly #situation: Situation
  readonly #addresses: string[]
  #from = NO_END

  constructor(service: Service, loader: Loader, situation: Situation, addresses: string[]) {
    this.url = service.url
    this.#service = service
    this.#loader = loader
    this.#situation = situation
    this.#addresses = addresses
  }

  static async start(place: Place, settings: Record<string, string> = {}): Promise<MeasuredService> {
    const dataDir = join(place.scratch, 'data')
    cpSync(await keptData(place), dataDir, { recursive: true })
    const service = await startService({ DATA_DIR: dataDir, ...METRICS, ...settings })
    const situation = await situationOf([service.url], addressesIn(dataDir), place.words)
    return new MeasuredService(service, startLoader(CORES.load), situation, addressesIn(dataDir, NO_END).slice(0, MANY))
  }

  /** Reads each entry and searches each word once, so that no observation is new and the measured code is compiled. */
  async warm(seconds: number): Promise<void> {
    const paths = this.#addresses.map(slug => `/api/entries/${slug}`)
    await this.#run({ operation: 'GET', connections: 1, seconds: 60, count: paths.length }, paths)
    for (const operation of ['S', 'W', 'M', 'R'] as const) await this.#run({ operation, connections: 8, seconds })
    await untilIdle(this.url)
  }

  async measure(point: Pick<Point, 'connections' | 'shares' | 'popularity'>, seconds: number): Promise<Reading> {
    const { connections, shares, popularity } = point
    const [operation] = (['R', 'S', 'W'] as const).filter(kind => kind !== 'R' && shares[kind] === 1)
    const isPure = operation !== undefined || shares.S + shares.W === 0
    const order = { operation: isPure ? (operation ?? 'R') : 'M', connections, seconds, shares } as const
    return this.#read(() => this.#run(order, this.#drawn(popularity)), shares.W > 0)
  }

  /** Measures requests for some paths, one after another. */
  async measurePaths(paths: string[], connections: number, seconds: number): Promise<Reading> {
    return this.#read(() => this.#run({ operation: 'GET', connections, seconds }, paths), false)
  }

  /** The mean size of an entry in an answer, in bytes. */
  async bodyBytes(): Promise<number> {
    const http = openHttp(this.url)
    let sum = 0
    for (const slug of this.#situation.addresses) {
      sum += Buffer.byteLength((await http.send(requestText('GET', `/api/entries/${slug}`))).text())
    }
    http.close()
    return sum / this.#situation.addresses.length
  }

  async #read(load: () => Promise<Loaded>, isWriting: boolean): Promise<Reading> {
    const counted = await metricsOf(this.url)
    const times = this.#times()
    const ticks = coreTicks(CORES.server)
    const began = performance.now()
    const loaded = await load()
    const during = difference(this.#times(), times)
    const seconds = (performance.now() - began) / 1_000
    const core = coreTicks(CORES.server)
    const now = await metricsOf(this.url)
    await untilIdle(this.url, isWriting ? LOG_INTERVAL : 0)
    // The index and the log continue after the end of the load. The other threads then answer requests for metrics.
    const { index = 0, log = 0 } = difference(this.#times(), times)
    const threads = { ...during, index, log }
    const since = (name: string): number => now(name) - counted(name)
    const busy = 1 - (core.idle - ticks.idle) / Math.max(1, core.all - ticks.all)
    return {
      ...loaded,
      threads: Object.fromEntries(Object.entries(threads).map(([name, time]) => [name, time / loaded.count])),
      indexedLater: (index - (during.index ?? 0)) / Math.max(1, index),
      others: busy - totalOf(during) / 1e6 / seconds,
      group: since('committed_writes_total') / Math.max(1, since('commits_total')),
    }
  }

  #times(): ThreadTimes {
    return threadTimes([this.#service.server.pid])
  }

  async #run(
    order: Pick<Order, 'operation' | 'connections' | 'seconds' | 'shares'> & { count?: number },
    addresses = this.#situation.addresses,
  ): Promise<Loaded> {
    this.#from += STEP
    return this.#loader.run({ count: NO_END, ...order, situation: { ...this.#situation, addresses }, from: this.#from })
  }

  /** Addresses from which uniform selection results in the given popularity. */
  #drawn({ entries, exponent }: Point['popularity']): string[] {
    if (entries === HOT.entries) return this.#situation.addresses
    if (exponent === 0) return this.#addresses
    const draw = zipfRanks(this.#addresses.length, exponent, chanceOf(SEED, 'addresses'))
    return Array.from({ length: DRAWN }, () => this.#addresses[draw() - 1] as string)
  }

  async stop(): Promise<void> {
    this.#loader.close()
    await this.#service.server.stop()
  }
}
