import { EventQueue } from './event-queue.ts'

/** A clock that jumps from event to event. All times of the model are in microseconds. */
export class Simulation {
  readonly #queue = new EventQueue()
  #now = 0

  get now(): number {
    return this.#now
  }

  /** Calls `run` after a delay. */
  after(delay: number, run: () => void): void {
    this.#queue.add(this.#now + delay, run)
  }

  /** Runs all events up to a time; without one, until no event is left. */
  run(until = Number.POSITIVE_INFINITY): void {
    for (let next = this.#queue.next; next !== undefined && next <= until; next = this.#queue.next) {
      this.#now = next
      this.#queue.take()?.run()
    }
    if (until !== Number.POSITIVE_INFINITY) this.#now = until
  }
}
