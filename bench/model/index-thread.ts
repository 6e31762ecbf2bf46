import type { Thread } from './processor.ts'
import type { Simulation } from './simulation.ts'

/**
 * As in src/search/index-follower.ts and src/search/index-changes.ts: the time in microseconds for which changes are gathered, and the
 * maximum number of entries per transaction.
 */
const LINGER = 250_000
const BATCH = 1_000

export type IndexParts = {
  simulation: Simulation
  thread: Thread
  batch: number
  each: number
  rest(): number
}

/** The index thread: gathers new entries unless a search waits, and indexes them in transactions of bounded size (decision 0004). */
export class IndexThread {
  /** The numbers of committed and of indexed entries. */
  known = 0
  indexed = 0
  readonly #parts: IndexParts
  #waiting: { entries: number; run: () => void }[] = []
  #state: 'idle' | 'gathering' | 'busy' = 'idle'
  #gathering = 0

  constructor(parts: IndexParts) {
    this.#parts = parts
  }

  add(entries: number): void {
    this.known += entries
    if (this.#state === 'idle') this.#gather()
  }

  /** Calls `run` once `entries` entries are indexed, at the latest after `patience` microseconds. `isUrgent` ends the gathering. */
  reach(entries: number, run: () => void, { isUrgent, patience }: { isUrgent: boolean; patience?: number }): void {
    if (entries <= this.indexed) {
      run()
      return
    }
    const waiting = { entries, run }
    this.#waiting.push(waiting)
    if (isUrgent && this.#state === 'gathering') this.#begin()
    if (patience === undefined) return
    this.#parts.simulation.after(patience, () => {
      const place = this.#waiting.indexOf(waiting)
      if (place !== -1) this.#waiting.splice(place, 1)[0]?.run()
    })
  }

  #gather(): void {
    this.#state = 'gathering'
    const gathering = ++this.#gathering
    this.#parts.simulation.after(this.#waiting.length > 0 ? 0 : LINGER, () => {
      if (this.#state === 'gathering' && this.#gathering === gathering) this.#begin()
    })
  }

  #begin(): void {
    this.#state = 'busy'
    this.#transact(this.known)
  }

  #transact(upTo: number): void {
    const end = Math.min(upTo, this.indexed + BATCH)
    this.#parts.thread.run(this.#parts.batch, () => this.#index(this.indexed, end, upTo))
  }

  #index(done: number, end: number, upTo: number): void {
    if (done < end) {
      const run = (): void => this.#parts.thread.run(this.#parts.each, () => this.#index(done + 1, end, upTo))
      const rest = this.#parts.rest()
      if (rest > 0) this.#parts.simulation.after(rest, run)
      else run()
      return
    }
    this.indexed = end
    const reached = this.#waiting.filter(({ entries }) => entries <= end)
    this.#waiting = this.#waiting.filter(({ entries }) => entries > end)
    for (const { run } of reached) run()
    if (end < upTo) this.#transact(upTo)
    else if (this.known > end) this.#gather()
    else this.#state = 'idle'
  }
}
