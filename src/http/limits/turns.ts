/** Milliseconds for requests in one turn of the event loop. After that, further requests wait for a later turn. */
const TURN_BUDGET_MS = 10
/** The maximum number of waiting requests that continue in one turn after the first one. */
const MAX_CONTINUED_PER_TURN = 64
/**
 * Requests that took less than this number of milliseconds on average are cheap. No idle turns follow a turn of cheap requests, because
 * idle turns would slow such requests by some percent.
 */
const CHEAP_REQUEST_MS = 0.25
/** A turn without requests is idle. Number of idle turns for each millisecond of costly requests, and the maximum number in a row. */
const IDLE_TURNS_PER_MS = 2
const MAX_IDLE_TURNS = 64

type Waiting = {
  resolve: () => void
  /** Only set for a request that has not begun, because only such a request may be refused. */
  reject?: (error: Error) => void
  /** The CPU time of the thread when the wait of such a request began, in milliseconds. */
  cpuTimeAtStartMs?: number
}

/** The CPU time of this thread, in milliseconds. */
function cpuTimeMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/**
 * Spreads requests over turns of the event loop. A request that does not use this class, such as /health, is answered between costly ones.
 * Node accepts one new connection per turn. After a turn with costly requests, the next turns run no requests; their number grows with the
 * duration of that turn. After a turn in which a connection was accepted, one turn without requests follows. Requests begin in the order of
 * their arrival. A request is refused with the error of `refusal` if the thread used more than `maxWaitCpuMs` milliseconds of CPU time
 * while the request waited. A request that has begun is never refused.
 */
export class Turns {
  readonly #maxWaitCpuMs: number
  readonly #refusal: () => Error
  readonly #waiting: Waiting[] = []
  /** When the first request of this turn began, in milliseconds of the monotonic clock; undefined before it. */
  #beganAt: number | undefined
  /** The number of requests that asked to run, or ran after a wait, in this turn. */
  #requests = 0
  /** The number of idle turns that must follow, including this one. */
  #idleTurnsLeft = 0
  /** The number of idle turns since the last turn with requests, including this one. */
  #idleTurns = 0
  /** Whether a connection was accepted in this turn. */
  #hasAccepted = false
  /** The CPU time of the thread at the end of the last turn with costly requests, in milliseconds. */
  #cpuTimeAtCostlyTurnMs = 0
  /** Whether the end of this turn is scheduled. */
  #isScheduled = false

  constructor(maxWaitCpuMs: number, refusal: () => Error) {
    this.#maxWaitCpuMs = maxWaitCpuMs
    this.#refusal = refusal
  }

  /**
   * Notes that a connection was accepted in this turn. The next turn runs no requests, because another connection may wait to be accepted.
   * After `MAX_IDLE_TURNS` idle turns in a row, requests run although connections arrive.
   */
  noteConnection(): void {
    this.#hasAccepted = true
  }

  /**
   * Returns undefined if a request that arrived at `at`, in milliseconds of the monotonic clock, may begin at once. Otherwise returns a
   * promise that resolves when the request may begin. The promise rejects if the request is refused.
   */
  waitToBegin(at: number): Promise<void> | undefined {
    this.#schedule()
    if (this.#mayContinue(at) && this.#waiting.length === 0) return undefined
    const cpuTimeAtStartMs = cpuTimeMs()
    return new Promise((resolve, reject) => this.#waiting.push({ cpuTimeAtStartMs, resolve, reject }))
  }

  /**
   * Returns undefined if a request that has begun may continue at `at`, otherwise a promise that resolves when it may continue. This
   * request runs before all requests that have not begun, because its data already occupies memory.
   */
  waitToContinue(at: number): Promise<void> | undefined {
    this.#schedule()
    return this.#mayContinue(at) ? undefined : new Promise(resolve => this.#waiting.unshift({ resolve }))
  }

  /** Returns a promise that resolves in a later turn. For requests that have begun and would otherwise all continue in this turn. */
  waitForLaterTurn(): Promise<void> {
    this.#schedule()
    return new Promise(resolve => this.#waiting.push({ resolve }))
  }

  #mayContinue(at: number): boolean {
    this.#beganAt ??= at
    this.#requests += 1
    return this.#idleTurnsLeft === 0 && at - this.#beganAt < TURN_BUDGET_MS
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#beginTurn)
  }

  /** Begins a turn. Node runs all promise callbacks of a setImmediate callback before the next setImmediate callback. */
  readonly #beginTurn = (): void => {
    const now = performance.now()
    const added = IDLE_TURNS_PER_MS * this.#costlyMs(this.#beganAt ?? now, now)
    this.#idleTurnsLeft = Math.min(MAX_IDLE_TURNS, Math.max(0, this.#idleTurnsLeft - 1) + added)
    if (this.#hasAccepted && this.#idleTurns < MAX_IDLE_TURNS) this.#idleTurnsLeft = Math.max(1, this.#idleTurnsLeft)
    this.#hasAccepted = false
    this.#idleTurns = this.#idleTurnsLeft === 0 ? 0 : this.#idleTurns + 1
    this.#beganAt = undefined
    this.#requests = 0
    if (this.#idleTurnsLeft === 0) {
      if (this.#waiting.length === 0) {
        this.#isScheduled = false
        return
      }
      this.#beganAt = now
      this.#settleFirst()
      const further = Math.min(MAX_CONTINUED_PER_TURN, this.#waiting.length)
      for (let n = 0; n < further; n++) setImmediate(this.#continueTurn)
    }
    setImmediate(this.#beginTurn)
  }

  /** The CPU time of a turn in whole milliseconds; 0 if its requests were cheap or took less than 1 ms together. */
  #costlyMs(beganAt: number, now: number): number {
    if (now - beganAt < Math.max(1, CHEAP_REQUEST_MS * this.#requests)) return 0
    const before = this.#cpuTimeAtCostlyTurnMs
    this.#cpuTimeAtCostlyTurnMs = cpuTimeMs()
    return Math.floor(Math.min(now - beganAt, this.#cpuTimeAtCostlyTurnMs - before))
  }

  readonly #continueTurn = (): void => {
    this.#beganAt ??= performance.now()
    if (performance.now() - this.#beganAt < TURN_BUDGET_MS) this.#settleFirst()
  }

  /** Lets the first waiting request run, or refuses it if it has waited too long. */
  #settleFirst(): void {
    const first = this.#waiting.shift()
    if (first === undefined) return
    this.#requests += 1
    const { resolve, reject, cpuTimeAtStartMs } = first
    if (reject === undefined || cpuTimeAtStartMs === undefined) resolve()
    else if (cpuTimeMs() - cpuTimeAtStartMs > this.#maxWaitCpuMs) reject(this.#refusal())
    else resolve()
  }
}

/** The maximum number of steps of writes in one turn of the event loop. */
const MAX_STEPS_PER_TURN = 8

/**
 * Spreads the steps of writes over turns of the event loop. Writes arrive and are answered in groups. If one turn handled a whole group,
 * reads would wait for all of it.
 */
export class WorkTurns {
  readonly #maxSteps: number
  readonly #waiting: (() => void)[] = []
  /** The number of steps that have begun in this turn. */
  #steps = 0
  /** Whether the next turn is scheduled. */
  #isScheduled = false

  constructor(maxSteps = MAX_STEPS_PER_TURN) {
    this.#maxSteps = maxSteps
  }

  /** Returns undefined if a step may begin at once, otherwise a promise that resolves in a later turn. */
  waitToBegin(): Promise<void> | undefined {
    this.#schedule()
    if (this.#steps === this.#maxSteps || this.#waiting.length > 0) {
      return new Promise(resolve => this.#waiting.push(resolve))
    }
    this.#steps += 1
    return undefined
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#beginTurn)
  }

  readonly #beginTurn = (): void => {
    this.#isScheduled = false
    const steps = this.#waiting.splice(0, this.#maxSteps)
    this.#steps = steps.length
    if (this.#steps > 0) this.#schedule()
    for (const resolve of steps) resolve()
  }
}
