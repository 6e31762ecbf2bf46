import { type Chance, chanceOf } from './chance.ts'
import type { CostValues } from './costs.ts'
import { Durations } from './durations.ts'
import { openArrivals } from './load.ts'
import { ServiceNode } from './node.ts'
import { PostgresNode } from './postgres-node.ts'
import { Primary } from './primary.ts'
import { Processor, type Thread } from './processor.ts'
import { Simulation } from './simulation.ts'
import { type Front, type MirrorPlan, type PostgresPlan, questionCost, type Scenario } from './sizing.ts'

/** Milliseconds from the arrival to the answer of reads of entries and of creates, without the network to the client. */
export type Waits = { readP50: number; readP99: number; writeP50: number; writeP99: number }

/** Interval in microseconds at which a mirror polls for new records while there are any. */
const LOOK = 50_000
/** Minimum number of writes of a simulation. A quantile of fewer would be random. */
const WRITES_LEAST = 1_000
/** Maximum simulated time, in seconds. */
const LONGEST = 60

type Served = { simulation: Simulation; chance: Chance; reads: Durations; writes: Durations }

const begin = (seed: number): Served => ({
  simulation: new Simulation(),
  chance: chanceOf(seed, 'system'),
  reads: new Durations(),
  writes: new Durations(),
})

const waitsOf = ({ reads, writes }: Served): Waits => ({
  readP50: reads.quantile(0.5) / 1_000,
  readP99: reads.quantile(0.99) / 1_000,
  writeP50: writes.quantile(0.5) / 1_000,
  writeP99: writes.quantile(0.99) / 1_000,
})

/** Generates `requests` reads and the writes of the same time, at random times. */
function arrive(served: Served, scenario: Scenario, requests: number, read: () => void, write: () => void): void {
  const { simulation, chance } = served
  const wanted = Math.max(requests / scenario.reads, Math.min(LONGEST, WRITES_LEAST / scenario.writes))
  const seconds = Math.min(LONGEST, wanted)
  for (const [perSecond, ask] of [
    [scenario.reads, read],
    [scenario.writes, write],
  ] as const) {
    openArrivals(simulation, chance, { perSecond, count: Math.round(seconds * perSecond) }, ask)
  }
  simulation.run((seconds + 1) * 1e6)
}

type Server = { ask(kind: 'R' | 'S', answered: () => void): void }

/** Reads of entries and questions go to a cache by their address, and to any server on a miss. */
function readThrough(
  served: Served,
  costs: CostValues,
  scenario: Scenario,
  front: Front,
  servers: readonly Server[],
): () => void {
  const { simulation, chance, reads } = served
  const caches = Array.from({ length: front.caches }, () => new Processor(simulation).thread('cache'))
  return () => {
    const began = simulation.now
    const kind = chance() < scenario.searches ? 'S' : 'R'
    const done = (): void => {
      if (kind === 'R') reads.add(simulation.now - began)
    }
    const server = servers[Math.floor(chance() * servers.length)] as Server
    const pass = (): void => server.ask(kind, done)
    const cache: Thread | undefined = caches[Math.floor(chance() * caches.length)]
    if (cache === undefined) pass()
    else if (kind === 'R' && chance() < front.hits) cache.run(costs.cacheHit, done)
    else cache.run(costs.cacheMiss, () => simulation.after(costs.roundTrip, pass))
  }
}

/** The waits of an installation with one writer, mirrors and caches. */
export function simulateMirrors(
  costs: CostValues,
  scenario: Scenario,
  plan: MirrorPlan,
  { requests, seed }: { requests: number; seed: number },
): Waits {
  const served = begin(seed)
  const { simulation, chance } = served
  const { front } = plan
  const nodeOf = (cores: number): ServiceNode =>
    new ServiceNode({
      ...{ simulation, costs, chance, cores, diskReads: front.diskReads },
      isCached: () => chance() < front.inMemory,
      search: questionCost(costs, scenario.entries),
    })
  const mirrors = Array.from({ length: plan.mirrors.count }, () => nodeOf(plan.mirrors.cores))
  const writer = nodeOf(plan.writer.cores)
  let unseen = 0
  let isLooking = false
  const look = (): void => {
    isLooking = false
    for (const mirror of mirrors) followBy(mirror, unseen, costs)
    writer.work('main', unseen * (mirrors.length * costs.exportEach + front.caches * costs.purge))
    unseen = 0
  }
  const write = (): void => {
    const began = simulation.now
    writer.ask('W', () => {
      served.writes.add(simulation.now - began)
      unseen++
      if (isLooking) return
      isLooking = true
      simulation.after(LOOK, look)
    })
  }
  arrive(served, scenario, requests, readThrough(served, costs, scenario, front, mirrors), write)
  return waitsOf(served)
}

/** Number of pieces of work that arrives together. Reads can run between two pieces. */
const PIECES = 10

function followBy(mirror: ServiceNode, records: number, costs: CostValues): void {
  const pieces = Math.min(PIECES, records)
  for (let piece = 0; piece < pieces; piece++) mirror.work('main', (records * costs.mirrorMain) / pieces)
  mirror.work('writer', records * costs.mirrorWriter)
  mirror.work('index', records * costs.mirrorIndex)
  mirror.work('helpers', records * costs.mirrorOther)
}

/** The waits of an installation with nodes over one PostgreSQL, and caches. Each node and PostgreSQL have separate machines. */
export function simulatePostgres(
  costs: CostValues,
  scenario: Scenario,
  plan: PostgresPlan,
  { requests, seed }: { requests: number; seed: number },
): Waits {
  const served = begin(seed)
  const { simulation, chance } = served
  const primary = new Primary(new Processor(simulation, { cores: Math.max(2, plan.primary.cores) }))
  const { front } = plan
  const missed = 1 - front.inMemory
  const apart: CostValues = {
    ...costs,
    wake: costs.roundTrip / 2,
    primaryFlush: costs.primaryFlush + 3 * costs.roundTrip,
    nodeRead: costs.nodeRead + missed * costs.nodeMiss,
    primaryRead: costs.primaryRead + missed * costs.primaryMiss,
  }
  const diskTime = missed * front.diskReads * costs.diskRead
  const nodes = Array.from({ length: plan.nodes.count }, () => {
    const processor = new Processor(simulation, { cores: plan.nodes.cores })
    const node = new PostgresNode({ simulation, costs: apart, processor, primary, diskTime })
    const searcher = processor.thread('search')
    const ask = (kind: 'R' | 'S', answered: () => void): void =>
      kind === 'R' ? node.ask('R', answered) : searcher.run(questionCost(costs, scenario.entries), answered)
    return { node, ask }
  })
  const write = (): void => {
    const began = simulation.now
    const writing = nodes[Math.floor(chance() * nodes.length)] as (typeof nodes)[number]
    writing.node.ask('W', () => {
      served.writes.add(simulation.now - began)
      for (const { node } of nodes) if (node !== writing.node) node.follow(1)
    })
  }
  arrive(served, scenario, requests, readThrough(served, costs, scenario, front, nodes), write)
  return waitsOf(served)
}
