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

/** Searches that wait for the index without blocking a thread. At most `most` wait at once, each for at most `patience` milliseconds. */
export class IndexBarrier {
  readonly #counters: SharedCounters
  readonly #most: number
  readonly #patience: number
  /** In order of record and of deadline: a later search waits for the same or a later record, and has a later deadline. */
  readonly #waiting: Waiting[] = []
  #isWatching = false

  constructor(counters: SharedCounters, { most, patience }: { most: number; patience: number }) {
    this.#counters = counters
    this.#most = most
    this.#patience = patience
  }

  /**
   * Resolves once the index has reached a record, which must not be smaller than that of an earlier call. Rejects with NOT_READY after
   * `patience` milliseconds or when the store closes, and with OVERLOADED if too many searches wait.
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

  /** Settles the searches whose record is reached or whose deadline has passed. */
  #settle(): void {
    const reached = indexed(this.#counters)
    const over = isClosing(this.#counters) ? Number.POSITIVE_INFINITY : performance.now()
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (first.record <= reached) first.resolve()
      else if (first.deadline <= over)
        first.reject(new Problem('NOT_READY', { retryAfter: 5, reason: 'the search index lags' }))
      else return
      this.#waiting.shift()
    }
  }
}
