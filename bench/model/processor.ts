import type { Simulation } from './simulation.ts'

type Job = { left: number; done: () => void }

/** How much processor time a thread gets beside others: a quarter more for each step of its nice value (sched(7)). */
const weightOf = (nice: number): number => 1.25 ** -nice
/** How long a thread runs before another that waits for the core runs: one tick of 250 Hz. */
const SLICE = 4_000

/** A thread: it does its jobs one after another, whenever its processor gives it a core. */
export class Thread {
  readonly name: string
  readonly weight: number
  readonly jobs: Job[] = []
  /** Processor time so far. */
  busy = 0
  /** Processor time so far, divided by the weight: of the threads that wait, the one with the least runs next. */
  virtual = 0
  isRunning = false
  readonly #wake: (thread: Thread) => void

  constructor(name: string, nice: number, wake: (thread: Thread) => void) {
    this.name = name
    this.weight = weightOf(nice)
    this.#wake = wake
  }

  /** Appends a job of so much processor time. */
  run(cost: number, done: () => void = () => {}): void {
    this.jobs.push({ left: cost, done })
    if (this.jobs.length === 1 && !this.isRunning) this.#wake(this)
  }
}

/** The cores of one machine. Threads share them by weight, in slices; a thread that has begun a slice is not interrupted. */
export class Processor {
  readonly threads: Thread[] = []
  readonly #simulation: Simulation
  readonly #slice: number
  readonly #waiting: Thread[] = []
  #idle: number
  /** The least virtual time of a thread that may run: a thread that slept gains nothing by it. */
  #floor = 0

  constructor(simulation: Simulation, cores = 1, slice = SLICE) {
    this.#simulation = simulation
    this.#slice = slice
    this.#idle = cores
  }

  thread(name: string, nice = 0): Thread {
    const thread = new Thread(name, nice, one => this.#wake(one))
    this.threads.push(thread)
    return thread
  }

  /** Processor time of all threads so far. */
  get busy(): number {
    return this.threads.reduce((sum, thread) => sum + thread.busy, 0)
  }

  #wake(thread: Thread): void {
    thread.virtual = Math.max(thread.virtual, this.#floor)
    this.#waiting.push(thread)
    this.#fillCores()
  }

  #fillCores(): void {
    while (this.#idle > 0 && this.#waiting.length > 0) {
      let place = 0
      for (let other = 1; other < this.#waiting.length; other++) {
        if ((this.#waiting[other] as Thread).virtual < (this.#waiting[place] as Thread).virtual) place = other
      }
      const [thread] = this.#waiting.splice(place, 1) as [Thread]
      this.#floor = Math.max(this.#floor, thread.virtual)
      this.#idle--
      thread.isRunning = true
      this.#continue(thread, this.#slice)
    }
  }

  /** Runs the first job of a thread up to the end of the slice. */
  #continue(thread: Thread, left: number): void {
    const job = thread.jobs[0] as Job
    const piece = Math.min(left, job.left)
    this.#simulation.after(piece, () => {
      thread.busy += piece
      thread.virtual += piece / thread.weight
      job.left -= piece
      if (job.left <= 0) {
        thread.jobs.shift()
        job.done()
      }
      if (thread.jobs.length > 0 && left > piece) return this.#continue(thread, left - piece)
      thread.isRunning = false
      this.#idle++
      if (thread.jobs.length > 0) this.#waiting.push(thread)
      this.#fillCores()
    })
  }
}
