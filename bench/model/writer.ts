import { GROUP_MAX } from '../../src/database/group-commit.ts'
import type { Thread } from './processor.ts'
import type { Simulation } from './simulation.ts'

/** A write, and the action once it is durable. */
export type Write = { done: () => void }
export type WriterParts = {
  simulation: Simulation
  thread: Thread
  /** Processor time of a group and of each write in it. */
  group: number
  each: number
  /** Draws the time for which the writer waits for the disk. */
  flush(): number
  /** Called before each write. Returns how long the thread rests for reads on its core. */
  rest(): number
  /** Calls `begin` when a group may begin. */
  mayBegin(begin: () => void): void
  /** Called with the writes of each durable commit. */
  onCommit(writes: readonly Write[]): void
}

/** The writer thread. All writes that wait when it is free form one group, with one flush (decision 0002). */
export class Writer {
  commits = 0
  committed = 0
  /** Microseconds during which a group was in progress, including waits for the disk. */
  occupied = 0
  readonly #parts: WriterParts
  #waiting: Write[] = []
  isBusy = false

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  send(writes: readonly Write[]): void {
    this.#waiting.push(...writes)
    this.#next()
  }

  #next(): void {
    if (this.isBusy || this.#waiting.length === 0) return
    this.isBusy = true
    const { simulation, thread, group } = this.#parts
    const began = simulation.now
    // Writes that arrive before the thread has its core join the group.
    this.#parts.mayBegin(() => thread.run(group / 2, () => this.#write(this.#waiting.splice(0, GROUP_MAX), 0, began)))
  }

  #write(writes: readonly Write[], place: number, began: number): void {
    const { simulation, thread, each, group } = this.#parts
    if (place === writes.length) {
      thread.run(group / 2, () => simulation.after(this.#parts.flush(), () => this.#commit(writes, began)))
      return
    }
    const rest = this.#parts.rest()
    const run = (): void => thread.run(each, () => this.#write(writes, place + 1, began))
    if (rest > 0) simulation.after(rest, run)
    else run()
  }

  #commit(writes: readonly Write[], began: number): void {
    this.commits++
    this.committed += writes.length
    this.occupied += this.#parts.simulation.now - began
    this.isBusy = false
    this.#parts.onCommit(writes)
    this.#next()
  }
}
