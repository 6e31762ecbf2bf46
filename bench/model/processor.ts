import type { Simulation } from './simulation.ts'

type Job = { left: number; done: () => void }

/** How much processor time a thread gets beside others: a quarter more for each step of its nice value (sched(7)). */
const weightOf = (nice: number): number => 1.25 ** -nice
/**
 * A thread that got a core is not interrupted for this time: the base slice of Linux 6.18 on two cores. After it, a thread that wakes up and
 * had less time takes the core at once; one that waits already takes it at the next tick of 250 Hz.
 */
const PROTECTED = 1_400
const TICK = 4_000
/** The most processor time that a sleeping thread is owed or owes. */
const LAG_MAX = 2 * PROTECTED

/** A thread: it does its jobs one after another, whenever its processor gives it a core. */
export class Thread {
  readonly name: string
  readonly weight: number
  readonly jobs: Job[] = []
  /** Processor time so far. */
  busy = 0
  /** Processor time so far, divided by the weight. */
  virtual = 0
  /** By how much it was below the average when it fell asleep. */
  lag = 0
  isRunning = false
  readonly #wake: (thread: Thread) => void

  constructor(name: string, nice: number, wake: (thread: Thread) => void) {
    this.name = name
    this.weight = weightOf(nice)
    this.#wake = wake
  }

  /** The virtual time by which it should have had a slice. */
  get deadline(): number {
    return this.virtual + PROTECTED / this.weight
  }

  /** Appends a job of so much processor time. */
  run(cost: number, done: () => void = () => {}): void {
    this.jobs.push({ left: cost, done })
    if (this.jobs.length === 1 && !this.isRunning) this.#wake(this)
  }
}

/** A thread that has a core: since when, and since when its processor time is not counted yet. `piece` is the number of its piece, `isBetween` true between two jobs. */
type Running = { thread: Thread; since: number; counted: number; piece: number; isBetween: boolean }

/**
 * The cores of one machine, shared as by Linux (EEVDF): of the threads that had no more than the average, the one with the earliest deadline
 * runs. A thread that sleeps keeps its lag.
 */
export class Processor {
  readonly threads: Thread[] = []
  /** How often a thread has got a core from another one. */
  switches = 0
  readonly #simulation: Simulation
  readonly #switching: number
  /** The thread that each idle core had last. */
  readonly #idle: (Thread | undefined)[]
  readonly #waiting: Thread[] = []
  readonly #running: Running[] = []
  /** The average virtual time of the threads that can run, by weight. */
  #average = 0

  /** `switching`: processor time that a thread takes more when it gets a core from another one, whose data the core has in its caches. */
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

  /** Whether a thread runs rather than another. */
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

  /** A thread gets the core that it had last, if that one is idle. */
  #takeCore(thread: Thread): void {
    const own = this.#idle.indexOf(thread)
    const [last] = this.#idle.splice(Math.max(0, own), 1)
    const [job] = thread.jobs
    if (last === thread || job === undefined) return
    this.switches++
    job.left += this.#switching
  }

  /** Counts the processor time that a thread has taken since it was last counted. */
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
      // A thread that was interrupted since has another piece.
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
