import type { Processor, Thread } from './processor.ts'

/** Number of sessions that read: four per node (decision 0009). */
const SESSIONS = 8

/** PostgreSQL as the nodes use it: sessions that run on its cores, and the lock of the head row, which a group has until its commit. */
export class Primary {
  readonly processor: Processor
  /** The session that writes. Only one node at a time has the lock. */
  readonly writing: Thread
  readonly #reading: readonly Thread[]
  /** Commits so far, of all nodes. */
  commits = 0
  #isLocked = false
  #reads = 0
  readonly #waiting: (() => void)[] = []

  constructor(processor: Processor) {
    this.processor = processor
    this.writing = processor.thread('postgres writes')
    this.#reading = Array.from({ length: SESSIONS }, () => processor.thread('postgres reads'))
  }

  /** Runs a read in the next session. */
  read(cost: number, done: () => void): void {
    this.#reading[this.#reads++ % SESSIONS]?.run(cost, done)
  }

  lock(locked: () => void): void {
    if (this.#isLocked) this.#waiting.push(locked)
    else {
      this.#isLocked = true
      locked()
    }
  }

  unlock(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isLocked = false
    else next()
  }
}
