import type { CostValues } from './costs.ts'
import { hitRatio, NO_EXPIRY } from './hit-ratio.ts'
import { slowed } from './predict.ts'
import {
  firstFull,
  type MirrorPlan,
  PLANNED,
  type PostgresPlan,
  planMirrors,
  planPostgres,
  type Scenario,
} from './sizing.ts'
import { simulateMirrors, simulatePostgres, type Waits } from './system.ts'

const ENTRIES = [1e6, 1e8, 1e9]
const RATES = [
  { reads: 1e3, writes: 20 },
  { reads: 1e4, writes: 200 },
  { reads: 1e5, writes: 2_000 },
]
const EXPONENT = 0.9
const EXPONENTS = [0.7, 0.8, 0.9, 1, 1.1]
/** The share of reads that are questions to /api/find. */
const SEARCHES = 0.01
/** The points of a curve. */
const CURVE = [1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5]
const WRITES_PER_READ = 0.02
const REVISIONS = 2

export type Installation = { waits: Waits; fullFirst: { name: string; times: number }; servers: number; cores: number }
export type ScenarioResult = {
  scenario: Scenario
  mirrors: { plan: MirrorPlan } & Installation
  postgres: { plan: PostgresPlan } & Installation
  /** The number and the cores of the mirrors without a shared cache, and the cores of the writer. */
  uncached: { count: number; cores: number }
  /** Sizes in bytes: the store, the search index on each server, and shared caches that answer half and four fifths of the reads. */
  disk: { store: number; index: number }
  memory: { half: number; most: number }
}
export type Sensitivity = { exponent: number; hits: number; caches: number; mirrors: number; cores: number }
export type CurvePoint = { reads: number; mirrors: number; uncached: number; postgres: number }
export type Scenarios = {
  planned: number
  searches: number
  exponent: number
  results: ScenarioResult[]
  sensitivity: Sensitivity[]
  curve: CurvePoint[]
}

type Simulated = { requests: number; seed: number }

export function runScenarios(measured: CostValues, simulated: Simulated): Scenarios {
  const costs = slowed(measured)
  const all = ENTRIES.flatMap(entries =>
    RATES.map(rates => ({ ...rates, entries, exponent: EXPONENT, searches: SEARCHES })),
  )
  return {
    ...{ planned: PLANNED, searches: SEARCHES, exponent: EXPONENT },
    results: all.map(scenario => runScenario(costs, scenario, simulated)),
    sensitivity: EXPONENTS.map(exponent => {
      const plan = planMirrors(costs, { ...(all.at(-1) as Scenario), exponent })
      const { caches, hits } = plan.front
      return { exponent, hits, caches, mirrors: plan.mirrors.count, cores: plan.mirrors.cores }
    }),
    curve: CURVE.map(reads => {
      const scenario = { ...(all.at(-1) as Scenario), reads, writes: reads * WRITES_PER_READ }
      return {
        reads,
        mirrors: mirrorCores(planMirrors(costs, scenario)),
        uncached: mirrorCores(planMirrors(costs, scenario, false)),
        postgres: postgresCores(planPostgres(costs, scenario)),
      }
    }),
  }
}

const mirrorCores = ({ front, mirrors, writer }: MirrorPlan): number =>
  front.caches + mirrors.count * mirrors.cores + writer.cores

const postgresCores = ({ front, nodes, primary }: PostgresPlan): number =>
  front.caches + nodes.count * nodes.cores + primary.cores

function runScenario(costs: CostValues, scenario: Scenario, simulated: Simulated): ScenarioResult {
  const mirrors = planMirrors(costs, scenario)
  const postgres = planPostgres(costs, scenario)
  const { count, cores } = planMirrors(costs, scenario, false).mirrors
  const { entries } = scenario
  return {
    scenario,
    mirrors: {
      plan: mirrors,
      waits: simulateMirrors(costs, scenario, mirrors, simulated),
      fullFirst: firstFull({ ...mirrors.mirrors.limits, ...mirrors.writer.limits }),
      servers: mirrors.front.caches + mirrors.mirrors.count + 1,
      cores: mirrorCores(mirrors),
    },
    postgres: {
      plan: postgres,
      waits: simulatePostgres(costs, scenario, postgres, simulated),
      fullFirst: firstFull({ ...postgres.nodes.limits, ...postgres.primary.limits }),
      servers: postgres.front.caches + postgres.nodes.count + 1,
      cores: postgresCores(postgres),
    },
    uncached: { count, cores },
    disk: { store: entries * costs.entryBytes * REVISIONS, index: entries * costs.indexBytes },
    memory: { half: memoryFor(costs, scenario, 0.5), most: memoryFor(costs, scenario, 0.8) },
  }
}

/** Bytes of shared caches that answer this share of the reads if no answer expires. */
function memoryFor(costs: CostValues, { entries, exponent, reads }: Scenario, share: number): number {
  let [low, high] = [1, entries]
  while (high / low > 1.01) {
    const capacity = Math.sqrt(low * high)
    if (hitRatio({ entries, exponent, perSecond: reads }, { capacity, ...NO_EXPIRY }) < share) low = capacity
    else high = capacity
  }
  return high * costs.cacheEntryBytes
}
