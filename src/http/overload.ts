import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { OPERATIONS } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import type { Store } from '../memory/store.ts'
import { type Exchange, PUBLIC_FIELDS, problemAnswer, SECURITY_FIELDS } from './exchange.ts'

/** Milliseconds for requests in one turn of the event loop. After that, further requests wait for a later turn. */
const TURN_BUDGET_MS = 10
/** The same for a request that has begun: it continues in a later turn before it has taken the whole budget. */
const CONTINUE_BUDGET_MS = 5
/** The maximum number of waiting requests that continue in one turn after the first one. */
const MAX_CONTINUED_PER_TURN = 64
/**
 * Requests that took less than this number of milliseconds on average are cheap. No idle turns follow a turn of cheap requests, because
 * idle turns would slow such requests by some percent.
 */
const CHEAP_REQUEST_MS = 0.25
/**
 * A turn without requests is idle. Number of idle turns for each millisecond of costly requests, and the maximum in a row: a number, and the
 * milliseconds that other work, such as that of writes, takes in them.
 */
const IDLE_TURNS_PER_MS = 2
const MAX_IDLE_TURNS = 64
const MAX_IDLE_MS = 10

/** This many requests may always wait. */
const MIN_QUEUE = 32
/** A standing queue takes requests for this share of the longest wait. It stands if its first request has waited for half of that. */
const STANDING_SHARE = 0.25

/** The wait of a request that has not begun. Only such a request may be refused. */
type Unbegun = {
  reject: (error: Error) => void
  /** When the wait began, in milliseconds of the monotonic clock and of the CPU time of the thread. */
  since: number
  cpuTimeMs: number
  /** How many requests had begun after a wait by then. */
  begun: number
}
type Waiting = { resolve: () => void; unbegun?: Unbegun }

/** The CPU time of this thread, in milliseconds. */
function cpuTimeMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/**
 * Spreads requests over turns of the event loop. A request that does not use this class, such as /health, is answered between costly ones.
 * Node accepts one new connection per turn. After a turn with costly requests, the next turns run no requests; their number grows with the
 * duration of that turn. After a turn in which a connection was accepted, one turn without requests follows. Reads begin in the order of
 * their arrival, and so do writes. If both wait, they begin in alternation, so that a read does not wait for all writes of a burst. A request
 * is refused with the error of `refusal` if the thread used more than `maxWaitMs` milliseconds of CPU time while the request waited. A
 * request that has begun is never refused. A burst may wait for so long, a standing queue only for a quarter of it: `isFull` says that a new
 * request would probably wait longer, and its caller then refuses it at once.
 */
export class Turns {
  readonly #maxWaitMs: number
  readonly #refusal: () => Error
  /** The requests that wait: those that have begun and are over budget, then the others, of which only reads can have begun. */
  readonly #continuing: Waiting[] = []
  readonly #reads: Waiting[] = []
  readonly #writes: Waiting[] = []
  /** The number of all of them. */
  #waiting = 0
  /** Whether a read was the last one of these that began. */
  #wasRead = false
  /** The number of requests that began after a wait. */
  #begun = 0
  /** The length at which a standing queue takes no further request. */
  #maxQueue = Number.POSITIVE_INFINITY
  /** When the first request of this turn began, in milliseconds of the monotonic clock; undefined before it. */
  #beganAt: number | undefined
  /** The number of requests that asked to run, or ran after a wait, in this turn. */
  #requests = 0
  /** The number of idle turns that must follow, including this one. */
  #idleTurnsLeft = 0
  /** The number of idle turns since the last turn with requests, including this one, and the CPU time of the thread when they began. */
  #idleTurns = 0
  #idleSinceMs = 0
  /** Whether a connection was accepted in this turn. */
  #hasAccepted = false
  /** The CPU time of the thread at the end of the last turn with costly requests, in milliseconds. */
  #cpuTimeAtCostlyTurnMs = 0
  /** Whether the end of this turn is scheduled. */
  #isScheduled = false

  constructor(maxWaitMs: number, refusal: () => Error) {
    this.#maxWaitMs = maxWaitMs
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
   * promise that resolves when the request may begin. The promise rejects if the request is refused. A request that sends a body is no read
   * here.
   */
  waitToBegin(at: number, isRead = true): Promise<void> | undefined {
    if (this.#mayContinue(at) && this.#waiting === 0) return undefined
    this.#waiting += 1
    const queue = isRead ? this.#reads : this.#writes
    return new Promise((resolve, reject) => {
      queue.push({ resolve, unbegun: { reject, since: at, cpuTimeMs: cpuTimeMs(), begun: this.#begun } })
    })
  }

  /** Whether a new request would probably wait for too long in a standing queue. */
  get isFull(): boolean {
    return this.#waiting >= this.#maxQueue
  }

  /**
   * Returns undefined if a request that has begun may continue at `at`, otherwise a promise that resolves when it may continue. This
   * request runs before all requests that have not begun, because its data already occupies memory.
   */
  readonly yieldIfOverBudget = (): Promise<void> | undefined => {
    if (this.#mayContinue(performance.now(), CONTINUE_BUDGET_MS)) return undefined
    this.#waiting += 1
    return new Promise(resolve => this.#continuing.push({ resolve }))
  }

  /** Returns a promise that resolves in a later turn. For requests that have begun and would otherwise all continue in this turn. */
  readonly yieldToRequests = (): Promise<void> => {
    if (!this.#isScheduled) setImmediate(this.#beginTurn)
    this.#isScheduled = true
    this.#waiting += 1
    return new Promise(resolve => this.#reads.push({ resolve }))
  }

  #mayContinue(at: number, budget: number = TURN_BUDGET_MS): boolean {
    if (!this.#isScheduled) setImmediate(this.#beginTurn)
    this.#isScheduled = true
    this.#beganAt ??= at
    this.#requests += 1
    return this.#idleTurnsLeft === 0 && at - this.#beganAt < budget
  }

  /** Begins a turn. Node runs all promise callbacks of a setImmediate callback before the next setImmediate callback. */
  readonly #beginTurn = (): void => {
    const now = performance.now()
    const took = now - (this.#beganAt ?? now)
    let idle = Math.max(0, this.#idleTurnsLeft - 1)
    // Cheap requests, and requests that took less than 1 ms together, need no idle turns.
    if (took >= Math.max(1, CHEAP_REQUEST_MS * this.#requests)) {
      const before = this.#cpuTimeAtCostlyTurnMs
      this.#cpuTimeAtCostlyTurnMs = cpuTimeMs()
      idle += IDLE_TURNS_PER_MS * Math.floor(Math.min(took, this.#cpuTimeAtCostlyTurnMs - before))
    }
    if (this.#hasAccepted) idle = Math.max(1, idle)
    this.#hasAccepted = false
    if (idle > 0 && this.#idleTurns === 0) this.#idleSinceMs = cpuTimeMs()
    else if (idle > 0 && cpuTimeMs() - this.#idleSinceMs > MAX_IDLE_MS) idle = 0
    this.#idleTurnsLeft = Math.min(MAX_IDLE_TURNS - this.#idleTurns, idle)
    this.#idleTurns = this.#idleTurnsLeft === 0 ? 0 : this.#idleTurns + 1
    this.#beganAt = undefined
    this.#requests = 0
    if (this.#idleTurnsLeft === 0) {
      if (this.#waiting === 0) {
        this.#maxQueue = Number.POSITIVE_INFINITY
        this.#isScheduled = false
        return
      }
      this.#beganAt = now
      this.#settleFirst()
      const further = Math.min(MAX_CONTINUED_PER_TURN, this.#waiting)
      for (let n = 0; n < further; n++) setImmediate(this.#continueTurn)
    }
    setImmediate(this.#beginTurn)
  }

  readonly #continueTurn = (): void => {
    this.#beganAt ??= performance.now()
    if (performance.now() - this.#beganAt < TURN_BUDGET_MS) this.#settleFirst()
  }

  /** Lets the first waiting request run, or refuses it if it has waited too long. */
  #settleFirst(): void {
    const [queue, other] = this.#wasRead ? [this.#writes, this.#reads] : [this.#reads, this.#writes]
    const from = [this.#continuing, queue].find(({ length }) => length > 0) ?? other
    const first = from.shift()
    if (first === undefined) return
    if (from !== this.#continuing) this.#wasRead = from === this.#reads
    this.#waiting -= 1
    this.#requests += 1
    const { resolve, unbegun } = first
    if (unbegun !== undefined) {
      this.#maxQueue = this.#maxQueueAfter(unbegun)
      if (cpuTimeMs() - unbegun.cpuTimeMs > this.#maxWaitMs) {
        unbegun.reject(this.#refusal())
        return
      }
      this.#begun += 1
    }
    resolve()
  }

  /** The length at which the queue is full, at the pace at which requests began during a wait that ends now. */
  #maxQueueAfter({ since, begun }: Unbegun): number {
    const waited = performance.now() - since
    const allowed = STANDING_SHARE * this.#maxWaitMs
    if (waited < allowed / 2) return Number.POSITIVE_INFINITY
    return Math.max(MIN_QUEUE, ((this.#begun - begun) * allowed) / waited)
  }
}

/** The maximum number of steps of writes in one turn of the event loop, and the milliseconds after which no further one begins in it. */
const MAX_STEPS_PER_TURN = 8
const STEPS_BUDGET_MS = 2

/**
 * Spreads the steps of writes over turns of the event loop. Writes arrive and are answered in groups. If one turn handled a whole group,
 * reads would wait for all of it.
 */
export class WorkTurns {
  readonly #maxSteps: number
  readonly #waiting: (() => void)[] = []
  /** The number of steps that have begun in this turn, and when the first one began, in milliseconds of the monotonic clock. */
  #steps = 0
  #beganAt = 0
  /** Whether the next turn is scheduled. */
  #isScheduled = false

  constructor(maxSteps = MAX_STEPS_PER_TURN) {
    this.#maxSteps = maxSteps
  }

  /** Returns undefined if a step may begin at once, otherwise a promise that resolves in a later turn. */
  waitToBegin(): Promise<void> | undefined {
    if (!this.#isScheduled) setImmediate(this.#beginTurn)
    this.#isScheduled = true
    const now = performance.now()
    if (this.#steps === 0) this.#beganAt = now
    const isOver = this.#steps === this.#maxSteps || now - this.#beganAt > STEPS_BUDGET_MS
    if (isOver || this.#waiting.length > 0) return new Promise(resolve => this.#waiting.push(resolve))
    this.#steps += 1
    return undefined
  }

  readonly #beginTurn = (): void => {
    this.#steps = 0
    const steps = Math.min(this.#maxSteps, this.#waiting.length)
    this.#isScheduled = steps > 0
    // Node runs what follows a step before the next callback.
    for (let step = 0; step < steps; step++) setImmediate(this.#beginStep)
    if (this.#isScheduled) setImmediate(this.#beginTurn)
  }

  readonly #beginStep = (): void => {
    const now = performance.now()
    if (this.#steps === 0) this.#beganAt = now
    if (now - this.#beganAt > STEPS_BUDGET_MS) return
    this.#steps += 1
    this.#waiting.shift()?.()
  }
}

/** Upper bounds of the buckets of the histograms, in seconds. */
export const CLASSES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
export const CLASSES_MS = CLASSES.map(seconds => seconds * 1_000)

/** Durations in milliseconds: their sum, their number, and the number in each class. Only an exposition formats them. */
export type Durations = { classes: Float64Array; sum: number; count: number }
/** The interval of measurements of the event loop, and the busy time above which requests are refused, both in milliseconds. */
const MEASURE_INTERVAL = 50
const BUSY_MAX = 250
/** The longest wait of a request for its turn, in milliseconds. */
const WAIT_MAX = 1_000
/** While the event loop is busy, a new request is refused if this many are in progress. Bounds the work when they all continue. */
const IN_PROGRESS_MAX = 32
/** The minimum interval of log lines about refused requests, in milliseconds. */
const LOG_INTERVAL = 10_000

const REFUSED =
  'requests were refused because the server is overloaded; identify the clients, or use a faster machine or more nodes'

const OVERLOADED = new Problem('OVERLOADED', { retryAfter: 1 })
/** Paths that are answered under any load. */
export const FREE: ReadonlySet<string> = new Set(
  Object.values(OPERATIONS).flatMap(({ cost, path }): string[] => (cost === 'free' ? [path] : [])),
)

function refuse({ id, path, response }: Exchange): void {
  const { status, headers, body } = problemAnswer(OVERLOADED, id)
  const open = path.startsWith('/api/admin/') ? {} : PUBLIC_FIELDS
  const own = { 'x-request-id': id, 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, { ...SECURITY_FIELDS, ...open, ...headers, ...own })
  response.end(body)
}

/**
 * Spreads requests over turns of the event loop, and sheds load. Refuses a request that has waited for its turn during `WAIT_MAX`
 * milliseconds of work, and a new one while the queue is full. Refuses new requests when one turn has had
 * several requests and more than `BUSY_MAX` milliseconds of work; a single slow request, or work other than requests, never triggers this.
 * Refuses writes while the queue of the store is full. Logs the number of refusals.
 */
export class Overload extends Turns {
  readonly #logger: Logger
  readonly #store: Pick<Store, 'full'>
  readonly #timer: NodeJS.Timeout
  /** Whether the timer runs: from a request until an interval without one. */
  #isMeasuring = true
  #measuredAt = performance.now()
  #used = process.threadCpuUsage()
  /** Milliseconds of work within the last measured interval. */
  #busy = 0
  /** Requests accepted since the last measurement. */
  #admitted = 0
  /** How late the measurements were, which is how long the event loop was busy. */
  readonly lag: Durations = { classes: new Float64Array(CLASSES.length), sum: 0, count: 0 }
  #inProgress = 0
  #refused = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(logger: Logger, store: Pick<Store, 'full'>) {
    super(WAIT_MAX, () => OVERLOADED)
    this.#logger = logger
    this.#store = store
    this.#timer = setTimeout(this.#measure, MEASURE_INTERVAL).unref()
  }

  /** Accepts a request, which is then in progress, or refuses it in as few steps as possible and returns false. */
  admit(exchange: Exchange): boolean {
    if (!this.#isMeasuring) {
      this.#isMeasuring = true
      this.#measuredAt = performance.now()
      this.#used = process.threadCpuUsage()
      this.#timer.refresh()
    }
    const isFull = exchange.method === 'POST' && this.#store.full() && exchange.path.startsWith('/api/')
    const isOverloaded =
      this.isFull ||
      (this.#busy > BUSY_MAX && this.#inProgress >= IN_PROGRESS_MAX) ||
      (this.#admitted > 1 && performance.now() - this.#measuredAt > BUSY_MAX && this.#worked() > BUSY_MAX)
    if (isFull || (isOverloaded && !FREE.has(exchange.path))) {
      this.#refused++
      refuse(exchange)
      return false
    }
    this.#admitted++
    this.#inProgress++
    return true
  }

  /** Ends an accepted request whose route has returned: at once if its answer is complete, otherwise when its connection closes. */
  endWith(response: ServerResponse): void {
    if (response.writableEnded || response.closed) this.#inProgress--
    else response.once('close', this.#end)
  }

  /** Counts a request that was refused because of overload, here or at the store. */
  noteRefused(): void {
    this.#refused++
    if (this.#isMeasuring) return
    // The measurement logs the number. It begins now: the rest before was no work.
    this.#isMeasuring = true
    this.#measuredAt = performance.now()
    this.#used = process.threadCpuUsage()
    this.#timer.refresh()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  readonly #end = (): void => {
    this.#inProgress--
  }

  /** Milliseconds of processor time of this thread since the last measurement. */
  #worked(): number {
    const { user, system } = process.threadCpuUsage(this.#used)
    return (user + system) / 1_000
  }

  /** The last measurement is one without new requests and without refused ones to log, when too few are in progress to be overload. */
  readonly #measure = (): void => {
    const now = performance.now()
    const late = Math.max(0, now - this.#measuredAt - MEASURE_INTERVAL)
    let place = 0
    while (late > (CLASSES_MS[place] ?? Number.POSITIVE_INFINITY)) place++
    if (place < CLASSES.length) this.lag.classes[place] = (this.lag.classes[place] as number) + 1
    this.lag.sum += late
    this.lag.count += 1
    this.#busy = this.#worked()
    this.#measuredAt = now
    this.#used = process.threadCpuUsage()
    this.#isMeasuring = this.#admitted > 0 || this.#refused > 0 || this.#inProgress >= IN_PROGRESS_MAX
    this.#admitted = 0
    if (this.#isMeasuring) this.#timer.refresh()
    if (this.#refused === 0 || now - this.#loggedAt < LOG_INTERVAL) return
    this.#logger.warn({ refused: this.#refused }, REFUSED)
    this.#refused = 0
    this.#loggedAt = now
  }
}
