import { GROUP_MAX } from '../../src/database/group-commit.ts'
import { CACHED_BYTES } from '../../src/operations/entries/entry-cache.ts'
import type { CostValues } from './costs.ts'
import { hitRatio } from './hit-ratio.ts'

/**
 * A load for which an installation is sized. Reads and writes are per second. `searches` is the share of reads that are questions to
 * /api/find.
 */
export type Scenario = { entries: number; reads: number; writes: number; exponent: number; searches: number }

/** The planned utilisation of a thread or a core. It is below 1 so that bursts do not queue for long. */
export const PLANNED = 0.6
/** Memory in bytes: of a shared cache for answers, and of a server for pages. */
export const CACHE_MEMORY = 16e9
export const PAGE_MEMORY = 32e9
/** SHARED_CACHE_SECONDS. */
const LIFETIME = 600
/** The share of writes that revise an entry, which is distributed like the entries of reads. All other writes create an entry. */
const REVISING = 0.5
/**
 * Number of pages below the inner nodes of the trees that a read of an entry touches. Bytes of memory for an entry whose pages have no
 * other used entry.
 */
export const PAGES = 3
const LONE_ENTRY = 16_384
const SECOND = 1e6
const SETTLING = 12
/** Numbers of cores of a server. A server that needs more has MOST_CORES. */
const CORES = [1, 2, 4] as const
const MOST_CORES = 8

/** Utilisation of single threads by work that more servers do not divide, by name. At 1 the thread is saturated. */
export type Limits = Record<string, number>
export type Front = {
  caches: number
  /** The share of the reads of entries that the caches answer. */
  hits: number
  /** Reads of entries and questions that reach the servers, per second. */
  entryReads: number
  questions: number
  /** Mean number of pages that such a read reads from the disk. */
  diskReads: number
  /** The share of such reads that a server has in its own cache of entries. */
  inMemory: number
}
/** `following` is the share of one core that each server needs for the writes alone. */
export type Servers = { count: number; cores: number; following: number; limits: Limits }
export type MirrorPlan = { front: Front; mirrors: Servers; writer: Servers; group: number }
export type PostgresPlan = { front: Front; nodes: Servers; primary: Servers; group: number }

/** The cost of a question in a store with `entries` entries. */
export const questionCost = (costs: CostValues, entries: number): number =>
  entries >= 1e6 ? Math.max(costs.find, costs.findLarge) : costs.find

const ceil = (count: number): number => Math.max(1, Math.ceil(count - 1e-9))

/**
 * Shared caches that together store each answer once, because the address of a request determines its cache. None if `isCached` is false.
 */
export function planFront(costs: CostValues, scenario: Scenario, isCached: boolean): Front {
  const { entries, exponent, searches } = scenario
  const perSecond = scenario.reads * (1 - searches)
  const questions = scenario.reads * searches
  const changes = scenario.writes * REVISING
  const ratioOf = (capacity: number, lifetime: number): number =>
    hitRatio({ entries, exponent, perSecond }, { capacity: Math.min(capacity, entries), lifetime, changes })
  let [caches, hits] = [isCached ? 1 : 0, 0]
  const timeOf = (): number =>
    (perSecond * (hits * costs.cacheHit + (1 - hits) * costs.cacheMiss) + questions * costs.cacheMiss) / SECOND
  for (let step = 0; isCached && step < SETTLING; step++) {
    const before = caches
    hits = ratioOf((caches * CACHE_MEMORY) / costs.cacheEntryBytes, LIFETIME)
    caches = ceil(timeOf() / PLANNED)
    if (caches === before) break
  }
  const storeBytes = entries * costs.entryBytes
  const pages = Math.max(PAGE_MEMORY / LONE_ENTRY, (entries * PAGE_MEMORY) / storeBytes)
  const missed = Math.max(1e-9, 1 - hits)
  return {
    ...{ caches, hits, questions },
    entryReads: perSecond * (1 - hits),
    diskReads: PAGES * Math.min(1, (1 - ratioOf(pages, Number.POSITIVE_INFINITY)) / missed),
    // The caches have all entries that a server has in memory.
    inMemory: isCached ? 0 : ratioOf(CACHED_BYTES / costs.cachedBytes, Number.POSITIVE_INFINITY),
  }
}

/**
 * The number of writes per commit, if each commit takes `fixed`, and `each` per write. A commit contains the writes that arrive during the
 * previous one.
 */
export function groupOf(writes: number, fixed: number, each: number): number {
  const rate = writes / SECOND
  const busy = rate * each
  if (busy >= 1) return GROUP_MAX
  return Math.min(GROUP_MAX, Math.max(1, (rate * fixed) / (1 - busy)))
}

/** The smallest total number of cores of servers that each do `others`, and share `main` of the main thread and `questions`. */
function fewest(demand: {
  main: number
  questions: number
  own: number
  others: number
}): Pick<Servers, 'count' | 'cores'> {
  const { main, questions, own, others } = demand
  const plans = CORES.flatMap(cores => {
    const free = PLANNED * cores - own - others
    const answering = Math.min(free, PLANNED - own)
    if (answering <= 0) return []
    const count = Math.max(ceil(main / answering), ceil((main + questions) / free))
    return [{ count, cores }]
  })
  return (
    plans.sort((a, b) => a.count * a.cores - b.count * b.cores || a.cores - b.cores)[0] ?? {
      count: 1,
      cores: MOST_CORES,
    }
  )
}

/** One writer with the embedded store, mirrors that answer all reads, and shared caches in front of them. */
export function planMirrors(costs: CostValues, scenario: Scenario, isCached = true): MirrorPlan {
  const front = planFront(costs, scenario, isCached)
  const rate = scenario.writes / SECOND
  const { mirrorMain, mirrorWriter, mirrorIndex, mirrorOther } = costs
  const own = rate * mirrorMain
  const others = rate * (mirrorWriter + mirrorIndex + mirrorOther)
  const main = (front.entryReads * readTime(costs, front)) / SECOND
  const questions = (front.questions * questionCost(costs, scenario.entries)) / SECOND
  const { count, cores } = fewest({ main, questions, own, others })
  const mirrors: Servers = {
    ...{ count, cores, following: own + others },
    limits: {
      'a mirror: the main thread, for following': own,
      'a mirror: the writer thread': rate * mirrorWriter,
      'a mirror: the index thread': rate * mirrorIndex,
    },
  }
  return { front, mirrors, ...planWriter(costs, scenario.writes, count, front.caches) }
}

function planWriter(costs: CostValues, writes: number, mirrors: number, caches: number) {
  const rate = writes / SECOND
  const group = groupOf(writes, costs.writeGroup + costs.flush, costs.writeEach)
  const main = rate * (costs.writeMain + mirrors * costs.exportEach + caches * costs.purge)
  const writing = rate * (costs.writeEach + costs.writeGroup / group)
  const indexing = rate * costs.indexEach
  const all = main + writing + indexing + rate * (costs.logEach + costs.writeHelpers)
  const writer: Servers = {
    count: 1,
    cores: CORES.find(cores => all <= PLANNED * cores) ?? MOST_CORES,
    following: all,
    limits: {
      'the writer: the main thread': main,
      'the writer: the writer thread': writing,
      'the writer: the index thread': indexing,
    },
  }
  return { writer, group }
}

/** Processor and disk time of a read of an entry that misses the shared caches. */
export const readTime = (costs: CostValues, { inMemory, diskReads }: Front): number =>
  costs.readOther + inMemory * costs.readHit + (1 - inMemory) * (costs.readMiss + diskReads * costs.diskRead)

/** Nodes over one PostgreSQL, and shared caches in front of them. */
export function planPostgres(costs: CostValues, scenario: Scenario, isCached = true): PostgresPlan {
  const front = planFront(costs, scenario, isCached)
  const rate = scenario.writes / SECOND
  const lockEach = costs.primaryEach + 0.4 * costs.nodeWrite
  const lockFixed = costs.primaryGroup + costs.nodeGroup + costs.primaryFlush + 3 * costs.roundTrip
  const group = groupOf(scenario.writes, lockFixed, lockEach)
  const misses = 1 - front.inMemory
  const main =
    (front.entryReads * (costs.nodeReads + costs.nodeRead + misses * costs.nodeMiss)) / SECOND + rate * costs.nodeWrite
  const questions = (front.questions * questionCost(costs, scenario.entries)) / SECOND
  const others = rate * costs.nodeIndex
  const { count, cores } = fewest({ main, questions, own: 0, others })
  const reading = (front.entryReads * (costs.primaryReads + costs.primaryRead + misses * costs.primaryMiss)) / SECOND
  const writing = rate * (costs.primaryEach + costs.primaryGroup / group)
  return {
    ...{ front, group },
    nodes: {
      ...{ count, cores, following: others },
      limits: { 'a node: the index thread': others },
    },
    primary: {
      count: 1,
      cores: ceil((reading + writing) / PLANNED),
      following: writing,
      limits: { 'PostgreSQL: the lock of the head row, for each write': rate * lockEach },
    },
  }
}

/** The bottleneck when the whole load grows, and the multiple of the load at which it is saturated. */
export function firstFull(limits: Limits): { name: string; times: number } {
  const [name, load] = Object.entries(limits).reduce((most, one) => (one[1] > most[1] ? one : most))
  return { name, times: 1 / load }
}
