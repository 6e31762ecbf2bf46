import type { Simulation } from './simulation.ts'

type Job = { left: number; done: () => void }

/** The share of processor time of a thread relative to others: a quarter more per step of its nice value (sched(7)). */
const weightOf = (nice: number): number => 1.25 ** -nice
/**
 * Time for which a running thread is not interrupted: the base slice of Linux 6.18 on two cores. After it, a waking thread that had less
 * time takes the core at once; a thread that was already waiting takes it at the next tick of 250 Hz.
 */
const PROTECTED = 1_400
const TICK = 4_000
/** Maximum processor time that a sleeping thread is owed or owes. */
const LAG_MAX = 2 * PROTECTED

/** A thread that runs its jobs one after another while its processor assigns it a core. */
export class Thread {
  readonly name: string
  readonly weight: number
  readonly jobs: Job[] = []
  /** Processor time so far. */
  busy = 0
  /** Processor time so far, divided by the weight. */
  virtual = 0
  /** Difference between the average virtual time and its own when it fell asleep. */
  lag = 0
  isRunning = false
  readonly #wake: (thread: Thread) => void

  constructor(name: string, nice: number, wake: (thread: Thread) => void) {
    this.name = name
    this.weight = weightOf(nice)
    this.#wake = wake
  }

  /** The virtual time at the end of its next slice. */
  get deadline(): number {
    return this.virtual + PROTECTED / this.weight
  }

  /** Appends a job that takes `cost` processor time. */
  run(cost: number, done: () => void = () => {}): void {
    this.jobs.push({ left: cost, done })
    if (this.jobs.length === 1 && !this.isRunning) this.#wake(this)
  }
}

/**
 * A thread that has a core: since when, and since when its processor time is uncounted. `piece` numbers its pieces; `isBetween` is true
 * between two jobs.
 */
type Running = { thread: Thread; since: number; counted: number; piece: number; isBetween: boolean }

/**
 * The cores of one machine, shared as by Linux (EEVDF). Of the threads whose virtual time is at most the average, the one with the earliest
 * deadline runs. A sleeping thread keeps its lag.
 */
export class Processor {
  readonly threads: Thread[] = []
  /** Number of times that a thread got a core from another thread. */
  switches = 0
  readonly #simulation: Simulation
  readonly #switching: number
  /** The thread that each idle core had last. */
  readonly #idle: (Thread | undefined)[]
  readonly #waiting: Thread[] = []
  readonly #running: Running[] = []
  /** The average virtual time of the threads that can run, by weight. */
  #average = 0

  /**
   * `switching` is the additional processor time of a thread that gets a core from another thread, whose data are in the caches of the
   * core.
   */
  constructor(simulation: Simulation, { cores = 1, switching = 0 }: { cores?: number; switching?: number } = {}) {
    this.#simulation = simulation
    this.#switching = switching
    this.#idle = Array.from({ length: cores }, () => undefined)
  }

  thread(name: string, nice = 0): Thread {
    const thread = new Thread(name, nice, one => this.#wake(one))
    this.threads.push(thread)
    return thread
  }

  #wake(thread: Thread): void {
    for (const one of this.#running) this.#count(one)
    thread.virtual = this.#averageNow() - thread.lag
    this.#waiting.push(thread)
    if (this.#idle.length > 0) {
      this.#fillCores()
      return
    }
    const late = this.#running.find(one => this.#mayEnd(one) && this.#isBefore(thread, one.thread))
    if (late !== undefined) this.#interrupt(late)
  }

  #mayEnd({ since, isBetween }: Running): boolean {
    return !isBetween && this.#simulation.now - since >= PROTECTED
  }

  #averageNow(): number {
    let [sum, weights] = [0, 0]
    for (const { virtual, weight } of [...this.#waiting, ...this.#running.map(({ thread }) => thread)]) {
      sum += virtual * weight
      weights += weight
    }
    if (weights > 0) this.#average = sum / weights
    return this.#average
  }

  /** Whether a thread has precedence over another. */
  #isBefore(one: Thread, other: Thread): boolean {
    const average = this.#averageNow()
    const [isDue, isOtherDue] = [one.virtual <= average, other.virtual <= average]
    if (isDue !== isOtherDue) return isDue
    return isDue ? one.deadline < other.deadline : one.virtual < other.virtual
  }

  #fillCores(): void {
    while (this.#idle.length > 0 && this.#waiting.length > 0) {
      const thread = this.#waiting.reduce((first, one) => (this.#isBefore(one, first) ? one : first))
      this.#waiting.splice(this.#waiting.indexOf(thread), 1)
      this.#takeCore(thread)
      thread.isRunning = true
      const { now } = this.#simulation
      const running = { thread, since: now, counted: now, piece: 0, isBetween: false }
      this.#running.push(running)
      this.#continue(running)
    }
  }

  /** A thread gets its previous core if that core is idle. */
  #takeCore(thread: Thread): void {
    const own = this.#idle.indexOf(thread)
    const [last] = this.#idle.splice(Math.max(0, own), 1)
    const [job] = thread.jobs
    if (last === thread || job === undefined) return
    this.switches++
    job.left += this.#switching
  }

  /** Counts the processor time of a thread since the previous count. */
  #count(running: Running): void {
    const { thread } = running
    const taken = this.#simulation.now - running.counted
    running.counted = this.#simulation.now
    thread.busy += taken
    thread.virtual += taken / thread.weight
    const [job] = thread.jobs
    if (job !== undefined) job.left -= taken
  }

  /** Runs the first job of a thread to its end or to the next tick. */
  #continue(running: Running): void {
    const { now } = this.#simulation
    const [job] = running.thread.jobs as [Job]
    const tick = TICK - (now % TICK)
    const isLast = job.left <= tick
    const piece = ++running.piece
    this.#simulation.after(Math.min(tick, job.left), () => {
      // The number of the piece has changed if the thread was interrupted since.
      if (running.piece !== piece) return
      this.#count(running)
      if (isLast) this.#end(running)
      else this.#giveWay(running)
    })
  }

  #end(running: Running): void {
    const { thread } = running
    running.isBetween = true
    thread.jobs.shift()?.done()
    running.isBetween = false
    if (thread.jobs.length > 0) {
      this.#giveWay(running)
      return
    }
    const lag = this.#averageNow() - thread.virtual
    thread.lag = Math.max(-LAG_MAX / thread.weight, Math.min(LAG_MAX / thread.weight, lag))
    this.#leave(running)
  }

  #giveWay(running: Running): void {
    const isOther = this.#waiting.some(one => this.#isBefore(one, running.thread))
    if (isOther && this.#mayEnd(running)) this.#interrupt(running)
    else this.#continue(running)
  }

  #interrupt(running: Running): void {
    this.#waiting.push(running.thread)
    this.#leave(running)
  }

  #leave(running: Running): void {
    running.piece = -1
    running.thread.isRunning = false
    this.#running.splice(this.#running.indexOf(running), 1)
    this.#idle.push(running.thread)
    this.#fillCores()
  }
}
