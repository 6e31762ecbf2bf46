import { GROUP_MAX } from '../../src/database/group-commit.ts'
import type { CostValues } from './costs.ts'
import { EventLoop } from './event-loop.ts'
import { IndexThread } from './index-thread.ts'
import type { Primary } from './primary.ts'
import type { Processor, Thread } from './processor.ts'
import type { Simulation } from './simulation.ts'

const NICE_INDEX = 10
/** The parts of the cost of a create: before its group, under the lock, and after the commit. */
const BEFORE = 0.3
const UNDER_LOCK = 0.4
const AFTER = 0.3
/** The part of the cost of a read before the request to the store. */
const ASKING = 0.6

export type PostgresNodeOptions = {
  simulation: Simulation
  costs: CostValues
  processor: Processor
  primary: Primary
  /** Time for which each read waits for the disk of PostgreSQL. */
  diskTime?: number
}

/** A node over PostgreSQL, with one group of creates at a time, which takes the lock of the primary (decision 0009), and its own index. */
export class PostgresNode {
  readonly index: IndexThread
  committed = 0
  commits = 0
  readonly #options: PostgresNodeOptions
  readonly #loop: EventLoop
  readonly #other: Thread
  #waiting: (() => void)[] = []
  #reading: (() => void)[] = []
  #isBusy = false

  constructor(options: PostgresNodeOptions) {
    const { simulation, costs, processor } = options
    this.#options = options
    this.#loop = new EventLoop(simulation, processor.thread('main'), costs)
    this.#loop.onTurnEnd = () => {
      this.#read()
      this.#next()
    }
    this.#other = processor.thread('other')
    this.index = new IndexThread({
      ...{ simulation, batch: costs.indexBatch, each: costs.nodeIndex, rest: () => 0 },
      thread: processor.thread('index', NICE_INDEX),
    })
  }

  /** Handles a request that arrives `wake` microseconds before an idle node runs. */
  ask(kind: 'R' | 'W', answered: () => void, wake = 0): void {
    const { costs } = this.#options
    if (kind === 'W') {
      const done = (): void => void this.#waiting.push(answered)
      this.#loop.post({ cost: () => costs.nodeWrite * BEFORE, done }, wake)
    } else {
      const done = (): void => void this.#reading.push(answered)
      this.#loop.post({ cost: () => costs.nodeRead * ASKING, done }, wake)
    }
  }

  /** The reads of a turn share one round trip. */
  #read(): void {
    const { costs, primary, simulation, diskTime = 0 } = this.#options
    const reads = this.#reading
    if (reads.length === 0) return
    this.#reading = []
    const finish = (): void => {
      this.#loop.post({ cost: () => costs.nodeReads, done: () => {} }, costs.wake)
      for (const done of reads) this.#loop.post({ cost: () => costs.nodeRead * (1 - ASKING), done }, costs.wake)
    }
    simulation.after(costs.wake, () =>
      primary.read(costs.primaryReads + reads.length * costs.primaryRead, () =>
        simulation.after(reads.length * diskTime, finish),
      ),
    )
  }

  /** Indexes entries that another node wrote, because each node indexes all entries. */
  follow(entries: number): void {
    this.index.add(entries)
    this.#other.run(entries * this.#options.costs.nodeOther)
  }

  #next(): void {
    if (this.#isBusy || this.#waiting.length === 0) return
    this.#isBusy = true
    // Writes that arrive while the group waits for the lock join it.
    this.#options.primary.lock(() => this.#write(this.#waiting.splice(0, GROUP_MAX)))
  }

  #write(group: (() => void)[]): void {
    const { costs, primary, simulation } = this.#options
    const work = costs.nodeGroup + group.length * costs.nodeWrite * UNDER_LOCK
    const store = (): void =>
      primary.writing.run(costs.primaryGroup + group.length * costs.primaryEach, () =>
        simulation.after(costs.primaryFlush, () => this.#commit(group)),
      )
    this.#loop.post({ cost: () => work, done: store }, 0)
  }

  #commit(group: (() => void)[]): void {
    const { costs, primary } = this.#options
    this.commits++
    primary.commits++
    this.committed += group.length
    primary.unlock()
    this.#isBusy = false
    this.follow(group.length)
    for (const done of group) this.#loop.post({ cost: () => costs.nodeWrite * AFTER, done }, 0)
    this.#next()
  }
}
