/** Milliseconds of work on requests in one turn of the event loop. Past it, further requests wait for later turns. */
const TURN = 10
/** The maximum number of waiting requests that continue in one turn. */
const TOGETHER = 64
/** Maximum milliseconds of a cheap request. No rest follows a turn of cheap requests; it would take some percent of their time. */
const CHEAP = 0.25
/** Number of turns without requests that follow each millisecond of costly requests, and their maximum number. */
const REST = 2
const REST_MAX = 64

type Waiting = {
  go: () => void
  /** Only for a request that has not begun: it may be refused. */
  refuse?: (error: Error) => void
  /** The processor time of the thread when its wait began, in milliseconds. */
  since?: number
}

/** Milliseconds of processor time of this thread. */
function worked(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/**
 * Spreads requests over turns of the event loop by their time, so that a request that does not wait, such as /health, is answered between
 * costly ones. Node accepts one new connection per turn. Therefore turns without requests follow a turn with costly requests, the more the
 * longer it was, and a turn in which a connection was accepted. Requests begin in the order of their arrival. A request that waited while
 * the thread worked for more than `waitMax` milliseconds is refused with the error of `refusal`. A request that has begun is never refused.
 */
export class Turns {
  readonly #waitMax: number
  readonly #refusal: () => Error
  readonly #waiting: Waiting[] = []
  /** When the first request of this turn began; undefined before it. */
  #began: number | undefined
  /** The requests that have begun or continued in this turn. */
  #requests = 0
  /** The number of turns without requests that must follow, and the number since the last turn with requests. */
  #rest = 0
  #rested = 0
  /** Whether a connection was accepted in this turn. */
  #hasAccepted = false
  /** The processor time of the thread when a rest was computed last, in milliseconds. */
  #worked = 0
  #isArranged = false

  constructor(waitMax: number, refusal: () => Error) {
    this.#waitMax = waitMax
    this.#refusal = refusal
  }

  /** Notes an accepted connection. More may wait to be accepted, so requests wait for a turn without one, for at most `REST_MAX` turns. */
  noteConnection(): void {
    this.#hasAccepted = true
  }

  /**
   * Returns undefined if a request that arrived at `at`, in milliseconds of the monotonic clock, may begin at once. Otherwise returns a
   * promise of its turn, which rejects if it has waited too long.
   */
  take(at: number): Promise<void> | undefined {
    this.#arrange()
    if (this.#mayContinue(at) && this.#waiting.length === 0) return undefined
    const since = worked()
    return new Promise((go, refuse) => this.#waiting.push({ since, go, refuse }))
  }

  /**
   * Returns undefined if a request that has begun may continue at `at`, otherwise a promise of its turn. It precedes requests that have not
   * begun, because its data occupies memory.
   */
  takeNext(at: number): Promise<void> | undefined {
    this.#arrange()
    return this.#mayContinue(at) ? undefined : new Promise(go => this.#waiting.unshift({ go }))
  }

  /** Returns a promise of a later turn, for requests that have begun and would otherwise all continue in this turn. */
  wait(): Promise<void> {
    this.#arrange()
    return new Promise(go => this.#waiting.push({ go }))
  }

  #mayContinue(at: number): boolean {
    this.#began ??= at
    this.#requests += 1
    return this.#rest === 0 && at - this.#began < TURN
  }

  #arrange(): void {
    if (this.#isArranged) return
    this.#isArranged = true
    setImmediate(this.#next)
  }

  /** Begins a turn. Node runs all promise callbacks of a setImmediate callback before the next setImmediate callback. */
  readonly #next = (): void => {
    const now = performance.now()
    this.#rest = Math.min(REST_MAX, Math.max(0, this.#rest - 1) + REST * this.#costlyWork(this.#began ?? now, now))
    if (this.#hasAccepted && this.#rested < REST_MAX) this.#rest = Math.max(1, this.#rest)
    this.#hasAccepted = false
    this.#rested = this.#rest === 0 ? 0 : this.#rested + 1
    this.#began = undefined
    this.#requests = 0
    if (this.#rest === 0) {
      if (this.#waiting.length === 0) {
        this.#isArranged = false
        return
      }
      this.#began = now
      this.#settleFirst()
      const further = Math.min(TOGETHER, this.#waiting.length)
      for (let n = 0; n < further; n++) setImmediate(this.#continue)
    }
    setImmediate(this.#next)
  }

  /** Whole milliseconds of processor time of a turn; 0 if its requests were cheap. */
  #costlyWork(began: number, now: number): number {
    if (now - began < Math.max(1, CHEAP * this.#requests)) return 0
    const before = this.#worked
    this.#worked = worked()
    return Math.floor(Math.min(now - began, this.#worked - before))
  }

  readonly #continue = (): void => {
    this.#began ??= performance.now()
    if (performance.now() - this.#began < TURN) this.#settleFirst()
  }

  #settleFirst(): void {
    const first = this.#waiting.shift()
    if (first === undefined) return
    this.#requests += 1
    const { go, refuse, since } = first
    if (refuse !== undefined && since !== undefined && worked() - since > this.#waitMax) refuse(this.#refusal())
    else go()
  }
}

/** The maximum number of works in one turn of the event loop. */
const WORKS_PER_TURN = 8

/**
 * Spreads works over turns of the event loop. Writes arrive and are answered in groups. If one turn handled a whole group, reads would wait
 * for all of it.
 */
export class WorkTurns {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  /** The works of this turn. */
  #begun = 0
  #isArranged = false

  constructor(most = WORKS_PER_TURN) {
    this.#most = most
  }

  /** Returns undefined if a work may continue at once, otherwise a promise of a later turn. */
  take(): Promise<void> | undefined {
    this.#arrange()
    if (this.#begun === this.#most || this.#waiting.length > 0) {
      return new Promise(resolve => this.#waiting.push(resolve))
    }
    this.#begun += 1
    return undefined
  }

  #arrange(): void {
    if (this.#isArranged) return
    this.#isArranged = true
    setImmediate(this.#next)
  }

  readonly #next = (): void => {
    this.#isArranged = false
    const going = this.#waiting.splice(0, this.#most)
    this.#begun = going.length
    if (this.#begun > 0) this.#arrange()
    for (const go of going) go()
  }
}
