import { type Chance, exponential } from './chance.ts'
import type { CostValues } from './costs.ts'
import { Durations } from './durations.ts'
import { EventLoop } from './event-loop.ts'
import type { Kind } from './node.ts'
import { Processor } from './processor.ts'
import type { Simulation } from './simulation.ts'

/** Sends a request of a kind. Calls `answered` when the answer leaves the service. */
export type Ask = (kind: Kind, answered: () => void) => void
/** The shares of searches and writes; all others are reads. */
export type Shares = { S: number; W: number }

export const kindOf = (chance: Chance, { S, W }: Shares): Kind => {
  const drawn = chance()
  return drawn < W ? 'W' : drawn < W + S ? 'S' : 'R'
}

export type Loaded = { count: number; perSecond: number; p50: number; p99: number }

export type ClosedLoad = {
  simulation: Simulation
  costs: CostValues
  chance: Chance
  connections: number
  shares: Shares
  seconds: number
  /** The processor that the load runs on; by default its own core. */
  processor?: Processor
  ask: Ask
}

/** The load of the bench, one process. Each connection sends its next request as soon as it has an answer. */
export function runClosed(load: ClosedLoad): Loaded {
  const { simulation, costs, chance, connections, shares, seconds, ask } = load
  const thread = (load.processor ?? new Processor(simulation)).thread('load')
  const loop = new EventLoop(simulation, thread, { turn: costs.clientTurn, idle: costs.clientIdle })
  const costOf: Record<Kind, number> = { R: costs.clientRead, S: costs.clientSearch, W: costs.clientWrite }
  const durations = new Durations()
  const send = (): void => {
    const kind = kindOf(chance, shares)
    const began = simulation.now
    const received = (): void => {
      durations.add(simulation.now - began)
      send()
    }
    ask(kind, () => loop.post({ cost: () => costOf[kind], done: received }, costs.wake))
  }
  for (let connection = 0; connection < connections; connection++) send()
  const time = seconds * 1e6
  simulation.run(time)
  return {
    count: durations.count,
    perSecond: durations.count / seconds,
    p50: durations.quantile(0.5) / 1_000,
    p99: durations.quantile(0.99) / 1_000,
  }
}

/** Calls `ask` `count` times, at an average rate per second, independent of the answers. */
export function openArrivals(
  simulation: Simulation,
  chance: Chance,
  { perSecond, count }: { perSecond: number; count: number },
  ask: () => void,
): void {
  let left = count
  const next = (): void => {
    if (left-- <= 0) return
    simulation.after(exponential(chance, 1e6 / perSecond), () => {
      ask()
      next()
    })
  }
  next()
}
