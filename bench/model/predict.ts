import { LruCache } from '../../src/domain/lru-cache.ts'
import { CACHED_BYTES } from '../../src/operations/entries/entry-cache.ts'
import { chanceOf } from './chance.ts'
import type { CostValues } from './costs.ts'
import { type Loaded, runClosed, type Shares } from './load.ts'
import { ServiceNode } from './node.ts'
import { Simulation } from './simulation.ts'
import { zipfRanks } from './zipf.ts'

/** The entries of a search, and of all words that the load searches for together: more than the service has in memory. */
const FOUND = 20
const FOUND_OF_ALL = 400 * FOUND

/** The distribution of reads over `entries` entries, by Zipf's law. With exponent 0, each has the same probability. */
export type Popularity = { entries: number; exponent: number }
export type Workload = { connections: number; shares: Shares; seconds: number; popularity: Popularity; seed: number }
export type Prediction = Loaded & {
  /** Number of writes per commit. */
  group: number
  /** Processor time of each thread, in microseconds per request. */
  busy: Record<string, number>
  /** Number of context switches from one thread to another, per request. */
  switches: number
  /** The share of reads whose entry the service had in memory. */
  hits: number
}

/** Predicts the measurement of a workload by the bench, with the service on one core and the load on another. */
export function predict(costs: CostValues, workload: Workload): Prediction {
  const { connections, shares, seconds, seed } = workload
  const simulation = new Simulation()
  const cache = simulatedEntries(costs, workload)
  const node = new ServiceNode({
    simulation,
    costs: slowed(costs),
    chance: chanceOf(seed, 'node'),
    cores: 1,
    isCached: cache.read,
    onSearch: cache.search,
  })
  const loaded = runClosed({
    ...{ simulation, costs, connections, shares, seconds },
    chance: chanceOf(seed, 'load'),
    ask: (kind, answered) => node.ask(kind, answered, costs.wake),
  })
  const { commits, committed } = node.writer
  const { threads, switches } = node.processor
  const count = Math.max(1, loaded.count)
  return {
    ...loaded,
    group: committed / Math.max(1, commits),
    busy: Object.fromEntries(threads.map(thread => [thread.name, thread.busy / count])),
    switches: switches / count,
    hits: cache.ratio(),
  }
}

/** The cache of the service, filled in advance, and the entries that are read from it. */
function simulatedEntries(costs: CostValues, { popularity, seed }: Workload) {
  const { entries, exponent } = popularity
  const cache = new LruCache<number, true>(CACHED_BYTES)
  const chance = chanceOf(seed, 'popularity')
  const draw = exponent === 0 ? () => 1 + Math.floor(chance() * entries) : zipfRanks(entries, exponent, chance)
  let [reads, hits] = [0, 0]
  const use = (number: number): boolean => {
    const isHit = cache.get(number) !== undefined
    if (!isHit) cache.set(number, true, costs.cachedBytes)
    return isHit
  }
  const read = (): boolean => {
    const isHit = use(draw())
    reads++
    if (isHit) hits++
    return isHit
  }
  /** The entries that a search finds displace entries that are read. The numbers of read entries are positive. */
  const search = (): void => {
    for (let found = 0; found < FOUND; found++) use(-1 - Math.floor(chance() * FOUND_OF_ALL))
  }
  for (let count = 0; count < 4 * Math.min(entries, CACHED_BYTES / costs.cachedBytes); count++) read()
  reads = 0
  hits = 0
  return { read, search, ratio: () => hits / Math.max(1, reads) }
}

const OF_SERVICE = [
  'turn',
  'idle',
  'readHit',
  'readOther',
  'readMiss',
  'switch',
  'catchUp',
  'writeMain',
  'writeMessage',
  'writeGroup',
  'writeEach',
  'writeHelpers',
  'indexEach',
  'indexBatch',
  'logEach',
  'searchMain',
  'search',
  'searchCatchUp',
  'searchReload',
] as const

/** The costs of the service as times on a core of which its threads get only a share. */
export function slowed(costs: CostValues): CostValues {
  const times = OF_SERVICE.map(name => [name, costs[name] / costs.available] as const)
  return { ...costs, ...Object.fromEntries(times) }
}
