import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { OPERATIONS } from '../../contract/operations.ts'
import { Problem } from '../../contract/problem.ts'
import { targetOf } from '../../web/target.ts'
import { problemAnswer } from '../pipeline/errors.ts'
import { PUBLIC_FIELDS, SECURITY_FIELDS } from './transport.ts'
import { Turns } from './turns.ts'

/** The interval of measurements of the event loop, and the busy time above which requests are refused, both in milliseconds. */
const MEASURE_INTERVAL = 50
const BUSY_MAX = 250
/** The milliseconds of work of the event loop after which a request that waits for its turn is refused. */
const WAIT_MAX = 1_000
/** While the event loop is busy, a new request is refused if this many are in progress. Bounds the work when they all continue. */
const IN_PROGRESS_MAX = 32
/** The minimum interval of log lines about refused requests, in milliseconds. */
const LOG_INTERVAL = 10_000

const REFUSED =
  'requests were refused because the server is overloaded; identify the clients, or use a faster machine or more nodes'

const OVERLOADED = new Problem('OVERLOADED', { retryAfter: 1 })
/** Paths that are answered under any load. */
const FREE = new Set(Object.values(OPERATIONS).flatMap(({ cost, path }): string[] => (cost === 'free' ? [path] : [])))
const pathOf = ({ url = '' }: IncomingMessage): string => targetOf(url).path
const isFree = (request: IncomingMessage): boolean => FREE.has(pathOf(request))
const isWrite = (request: IncomingMessage): boolean => request.method === 'POST' && pathOf(request).startsWith('/api/')

function refuse(path: string, response: ServerResponse): void {
  const requestId = randomUUID()
  const { status, headers, body } = problemAnswer(OVERLOADED, requestId)
  const open = path.startsWith('/api/admin/') ? {} : PUBLIC_FIELDS
  const own = { 'x-request-id': requestId, 'content-length': Buffer.byteLength(body) }
  response.writeHead(status, { ...SECURITY_FIELDS, ...open, ...headers, ...own })
  response.end(body)
}

/**
 * Spreads requests over turns of the event loop, and sheds load. Refuses a request that has waited for its turn during `WAIT_MAX`
 * milliseconds of work. Refuses new requests when one turn has had several requests and more than `BUSY_MAX` milliseconds of work; a single
 * slow request, or work other than requests, never triggers this. Refuses writes while `isFull` reports that the queue of the store is
 * full. Logs the number of refusals.
 */
export class Overload {
  readonly #logger: Logger
  readonly #isFull: () => boolean
  readonly #turns = new Turns(WAIT_MAX, () => OVERLOADED)
  readonly #timer: NodeJS.Timeout
  #measuredAt = performance.now()
  #used = process.threadCpuUsage()
  /** Milliseconds of work within the last measured interval. */
  #busy = 0
  /** Requests accepted since the last measurement. */
  #admitted = 0
  #inProgress = 0
  #refused = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(logger: Logger, isFull: () => boolean) {
    this.#logger = logger
    this.#isFull = isFull
    this.#timer = setInterval(() => this.#measure(), MEASURE_INTERVAL)
    this.#timer.unref()
  }

  noteConnection(): void {
    this.#turns.noteConnection()
  }

  /** Accepts a request, or refuses it in as few steps as possible and returns false. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    if ((this.#isOverloaded() && !isFree(request)) || (this.#isFull() && isWrite(request))) {
      this.#refused++
      refuse(pathOf(request), response)
      return false
    }
    this.#admitted++
    return true
  }

  /**
   * Returns undefined if an accepted request that arrived at `arrived`, in milliseconds of the monotonic clock, may be answered at once.
   * Otherwise returns a promise of its turn, which rejects with OVERLOADED.
   */
  turnOf(request: IncomingMessage, arrived: number): Promise<void> | undefined {
    return isFree(request) ? undefined : this.#turns.waitToBegin(arrived)
  }

  /** Returns undefined if a request may continue in this turn, otherwise a promise that resolves in a later turn. */
  yieldIfOverBudget(): Promise<void> | undefined {
    return this.#turns.waitToContinue(performance.now())
  }

  /** Returns a promise of a later turn, for requests that would otherwise all continue in this one. */
  yieldToRequests(): Promise<void> {
    return this.#turns.waitForLaterTurn()
  }

  /** Counts an accepted request as in progress until its answer is sent or its connection closes. */
  noteWaiting(response: ServerResponse): void {
    this.#inProgress++
    response.once('close', this.#end)
  }

  /** Counts a request that was refused because of overload, here or at the store. */
  noteRefused(): void {
    this.#refused++
  }

  close(): void {
    clearInterval(this.#timer)
  }

  readonly #end = (): void => {
    this.#inProgress--
  }

  #isOverloaded(): boolean {
    if (this.#busy > BUSY_MAX && this.#inProgress >= IN_PROGRESS_MAX) return true
    return this.#admitted > 1 && performance.now() - this.#measuredAt > BUSY_MAX && this.#worked() > BUSY_MAX
  }

  /** Milliseconds of processor time of this thread since the last measurement. */
  #worked(): number {
    const { user, system } = process.threadCpuUsage(this.#used)
    return (user + system) / 1_000
  }

  #measure(): void {
    const now = performance.now()
    this.#busy = this.#worked()
    this.#measuredAt = now
    this.#used = process.threadCpuUsage()
    this.#admitted = 0
    if (this.#refused === 0 || now - this.#loggedAt < LOG_INTERVAL) return
    this.#logger.warn({ refused: this.#refused }, REFUSED)
    this.#refused = 0
    this.#loggedAt = now
  }
}
