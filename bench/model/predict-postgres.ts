import { chanceOf } from './chance.ts'
import type { CostValues } from './costs.ts'
import { runClosed } from './load.ts'
import { PostgresNode } from './postgres-node.ts'
import type { Prediction } from './predict.ts'
import { Primary } from './primary.ts'
import { Processor } from './processor.ts'
import { Simulation } from './simulation.ts'

/** A workload on one machine with `cores` cores: the load, PostgreSQL and its nodes. */
export type PostgresWorkload = {
  operation: 'R' | 'W'
  connections: number
  nodes: number
  cores: number
  seconds: number
}

const SEED = 1

/** Predicts the measurement of nodes over PostgreSQL by the bench. */
export function predictPostgres(costs: CostValues, workload: PostgresWorkload): Prediction {
  const { operation, connections, cores, seconds } = workload
  const simulation = new Simulation()
  const processor = new Processor(simulation, { cores })
  const primary = new Primary(processor)
  const nodes = Array.from(
    { length: workload.nodes },
    () => new PostgresNode({ simulation, costs, processor, primary }),
  )
  let asked = 0
  const loaded = runClosed({
    ...{ simulation, costs, connections, seconds, processor },
    shares: { S: 0, W: operation === 'W' ? 1 : 0 },
    chance: chanceOf(SEED, 'load'),
    ask: (_, answered) => nodes[asked++ % nodes.length]?.ask(operation, answered, costs.wake),
  })
  const committed = nodes.reduce((sum, node) => sum + node.committed, 0)
  const busy: Record<string, number> = {}
  for (const { name, busy: time } of processor.threads) {
    busy[name] = (busy[name] ?? 0) + time / Math.max(1, loaded.count)
  }
  const switches = processor.switches / Math.max(1, loaded.count)
  return { ...loaded, group: committed / Math.max(1, primary.commits), busy, switches, hits: 1 }
}
