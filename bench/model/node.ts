import { type Chance, exponential } from './chance.ts'
import type { CostValues } from './costs.ts'
import { EventLoop } from './event-loop.ts'
import { IndexThread } from './index-thread.ts'
import { Processor, type Thread } from './processor.ts'
import type { Simulation } from './simulation.ts'
import { type Write, Writer } from './writer.ts'

/** R reads an entry, S searches for a word, W creates an entry. */
export type Kind = 'R' | 'S' | 'W'
export type NodeOptions = {
  simulation: Simulation
  costs: CostValues
  chance: Chance
  cores: number
  /** Whether the service has the entry of the next read in memory. */
  isCached(): boolean
  /** Called with each search, because the found entries take memory too. */
  onSearch?(): void
  /** Mean number of pages that a read of an uncached entry reads from the disk. */
  diskReads?: number
  /** Processor time of a search in a search thread; by default that of the costs. */
  search?: number
}

const NICE = { writer: 5, index: 10, log: 10 }
/** A write waits for at most LAG_PATIENCE while the index lags by more than LAG_MAX records (src/embedded/writer-thread.ts). */
const LAG_MAX = 10_000
const LAG_PATIENCE = 50_000
/**
 * On one core, a background thread rests after each piece of work of this length, for each read during the piece, up to a maximum
 * (src/threads/cpu-yield.ts).
 */
const PIECE = 500
const REST_PER_READ = 50
const REST_MAX = 3_000
/** The log thread works at this interval (LOG_INTERVAL_SECONDS). */
const LOG_INTERVAL = 1_000_000
/** V8's helper threads collect garbage in pieces of this size. */
const COLLECTION = 1_000
/** The cost of a message from one thread of a process to another. */
const HAND_OVER = 5
/** The part of the cost of a create in the main thread before the write goes to the writer. */
const BEFORE = 0.7

/** A process of the service with its embedded store, on a machine with `cores` cores. */
export class ServiceNode {
  readonly processor: Processor
  readonly writer: Writer
  readonly index: IndexThread
  readonly #options: NodeOptions
  readonly #loop: EventLoop
  readonly #searcher: Thread
  readonly #helpers: Thread
  readonly #log: Thread
  /** Number of reads requested so far. Background threads rest for them. */
  #reads = 0
  #outbox: Write[] = []
  /** The commit up to which the main thread has removed changed entries from its cache. */
  #reached = 0
  /** Like `#reached`, for searches. */
  #searched = 0
  #garbage = 0
  #unlogged = 0

  constructor(options: NodeOptions) {
    const { simulation, costs, cores } = options
    this.#options = options
    this.processor = new Processor(simulation, { cores, switching: costs.switch })
    const main = this.processor.thread('main')
    this.#searcher = this.processor.thread('search')
    this.#helpers = this.processor.thread('helpers')
    this.#log = this.processor.thread('log', NICE.log)
    this.#loop = new EventLoop(simulation, main, costs)
    this.#loop.onTurnEnd = () => this.#sendWrites()
    this.index = new IndexThread({
      simulation,
      thread: this.processor.thread('index', NICE.index),
      batch: costs.indexBatch,
      each: costs.indexEach,
      rest: this.#yielding(),
    })
    this.writer = new Writer({
      simulation,
      thread: this.processor.thread('writer', NICE.writer),
      group: costs.writeGroup,
      each: costs.writeEach,
      flush: () => costs.flush / 2 + exponential(options.chance, costs.flush / 2),
      rest: this.#yielding(),
      mayBegin: begin =>
        this.index.reach(this.index.known - LAG_MAX, begin, { isUrgent: false, patience: LAG_PATIENCE }),
      onCommit: writes => this.#answerWrites(writes),
    })
  }

  /** Handles a request that arrives `wake` microseconds before an idle node runs. Calls `answered` when the answer leaves. */
  ask(kind: Kind, answered: () => void, wake = 0): void {
    const { costs, isCached } = this.#options
    if (kind === 'W') {
      const done = (): void => void this.#outbox.push({ done: answered })
      this.#loop.post({ cost: () => costs.writeMain * BEFORE, done }, wake)
    } else if (kind === 'S') {
      this.#loop.post({ cost: () => this.#searchCost(), done: () => this.#search(answered) }, wake)
    } else {
      this.#loop.post({ cost: () => this.#readCost(isCached()), done: answered }, wake)
    }
  }

  /** Adds other work of the threads, such as that of a mirror that follows. */
  work(name: string, cost: number): void {
    if (name === 'main') this.#loop.post({ cost: () => cost, done: () => {} }, 0)
    else this.processor.threads.find(thread => thread.name === name)?.run(cost)
  }

  #readCost(isHit: boolean): number {
    const { costs, diskReads = 0 } = this.#options
    this.#reads++
    this.#collect(costs.readOther)
    return this.#catchUp() + (isHit ? costs.readHit : costs.readMiss + diskReads * costs.diskRead)
  }

  /** The cost before the search thread. The other half of the cost of a search comes after the search thread. */
  #searchCost(): number {
    const { costs } = this.#options
    this.#reads++
    return this.#catchUp() + costs.searchMain / 2
  }

  /** The additional cost of the first read after a commit. */
  #catchUp(): number {
    const isLate = this.#reached !== this.writer.commits
    this.#reached = this.writer.commits
    return isLate ? this.#options.costs.catchUp : 0
  }

  #search(answered: () => void): void {
    const { costs, search = costs.search, onSearch } = this.#options
    onSearch?.()
    const isLate = this.#searched !== this.writer.commits
    this.#searched = this.writer.commits
    const answer = (): void => {
      const cost = costs.searchMain / 2 + (isLate ? costs.searchCatchUp : 0)
      this.#loop.post({ cost: () => cost, done: answered }, HAND_OVER)
    }
    const run = (): void => this.#searcher.run(search + (isLate ? costs.searchReload : 0), answer)
    this.index.reach(this.index.known, run, { isUrgent: true })
  }

  #sendWrites(): void {
    const writes = this.#outbox
    if (writes.length === 0) return
    this.#outbox = []
    this.#options.simulation.after(HAND_OVER, () => this.writer.send(writes))
  }

  #answerWrites(writes: readonly Write[]): void {
    const { costs } = this.#options
    this.index.add(writes.length)
    this.#collect(writes.length * costs.writeHelpers)
    this.#logLater(writes.length)
    this.#loop.post({ cost: () => costs.writeMessage, done: () => {} }, HAND_OVER)
    for (const { done } of writes) {
      this.#loop.post({ cost: () => costs.writeMain * (1 - BEFORE), done }, HAND_OVER)
    }
  }

  #collect(garbage: number): void {
    this.#garbage += garbage
    if (this.#garbage < COLLECTION) return
    this.#helpers.run(this.#garbage)
    this.#garbage = 0
  }

  #logLater(records: number): void {
    this.#unlogged += records
    if (this.#unlogged > records) return
    this.#options.simulation.after(LOG_INTERVAL, () => {
      this.#log.run(this.#unlogged * this.#options.costs.logEach)
      this.#unlogged = 0
    })
  }

  /** How long a background thread rests before its next piece of work; 0 with more than one core. */
  #yielding(): () => number {
    const { simulation, cores } = this.#options
    let since = 0
    let reads = 0
    return () => {
      if (cores > 1 || simulation.now - since < PIECE) return 0
      const rest = Math.min(REST_MAX, (this.#reads - reads) * REST_PER_READ)
      reads = this.#reads
      since = simulation.now + rest
      return rest
    }
  }
}
