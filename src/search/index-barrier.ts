import { Problem } from '../contract/problem.ts'
import {
  eventAfter,
  eventsOf,
  indexed,
  isClosing,
  requestIndexed,
  type SharedCounters,
} from '../threads/shared-counters.ts'

type Waiting = { record: bigint; deadline: number; resolve: () => void; reject: (problem: Problem) => void }

/** Searches that wait for the index without blocking a thread: at most `most` at once, each for at most `patience` milliseconds. */
export class IndexBarrier {
  readonly #counters: SharedCounters
  readonly #most: number
  readonly #patience: number
  /** Later searches wait for the same record or a later one, and have later deadlines: if one is due, so are all before it. */
  readonly #waiting: Waiting[] = []
  #isWatching = false

  constructor(counters: SharedCounters, { most, patience }: { most: number; patience: number }) {
    this.#counters = counters
    this.#most = most
    this.#patience = patience
  }

  /**
   * Resolves once the index has reached a record. Records of later calls are not smaller. Rejects with NOT_READY where that takes longer
   * than `patience` milliseconds or the store closes, and with OVERLOADED where too many wait.
   */
  async until(record: bigint): Promise<void> {
    if (indexed(this.#counters) >= record) return
    if (this.#waiting.length >= this.#most) throw new Problem('OVERLOADED', { retryAfter: 1 })
    requestIndexed(this.#counters, record)
    const answer = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ record, deadline: performance.now() + this.#patience, resolve, reject })
    })
    if (!this.#isWatching) this.#watch()
    return answer
  }

  pending(): number {
    return this.#waiting.length
  }

  async #watch(): Promise<void> {
    this.#isWatching = true
    for (;;) {
      const events = eventsOf(this.#counters)
      this.#settle()
      const [first] = this.#waiting
      if (first === undefined) break
      await eventAfter(this.#counters, events, first.deadline - performance.now())
    }
    this.#isWatching = false
  }

  /** Settles the searches whose record is reached or whose time is over. */
  #settle(): void {
    const reached = indexed(this.#counters)
    const over = isClosing(this.#counters) ? Number.POSITIVE_INFINITY : performance.now()
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (first.record <= reached) first.resolve()
      else if (first.deadline <= over) first.reject(new Problem('NOT_READY', { retryAfter: 5 }))
      else return
      this.#waiting.shift()
    }
  }
}
