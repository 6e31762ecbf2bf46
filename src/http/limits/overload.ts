import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { OPERATIONS } from '../../contract/operations.ts'
import { Problem } from '../../contract/problem.ts'
import { targetOf } from '../../web/target.ts'
import { PUBLIC_FIELDS } from '../pipeline/cors.ts'
import { problemAnswer } from '../pipeline/errors.ts'
import { SECURITY_FIELDS } from './transport.ts'

/** The interval of measurements of the event loop, and the busy time above which requests are refused, both in milliseconds. */
const MEASURE_INTERVAL = 50
const BUSY_MAX = 250
/** The maximum number of requests in progress when the loop was busy. It bounds the work when they continue together. */
const IN_PROGRESS_MAX = 32
/** The minimum interval of log lines about refused requests, in milliseconds. */
const LOG_INTERVAL = 10_000

const REFUSED =
  'requests were refused because the server is overloaded; identify the clients, or use a faster machine or more nodes'

/** Sheds load: under overload it refuses requests at once instead of answering after the client has left. */
export type Overload = {
  /** Accepts a request, or refuses it in as few steps as possible and returns false. */
  admit(request: IncomingMessage, response: ServerResponse): boolean
  /** Counts a request that was refused because of overload, here or at the store. */
  noteRefused(): void
  close(): void
}

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
 * Sheds load when the event loop has been busy with several requests for more than `BUSY_MAX` milliseconds. A single slow request, or work
 * other than requests, never triggers it. It refuses the waiting requests until the loop has completed a turn, which takes a fraction of the
 * time of answering them. It also refuses writes while `isFull` reports that the queue of the store is full. The number of refusals is logged.
 */
export function watchOverload(logger: Logger, isFull: () => boolean): Overload {
  let measuredAt = performance.now()
  let used = process.threadCpuUsage()
  let busy = 0
  let admitted = 0
  let inProgress = 0
  let refused = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  /** Milliseconds of work since the last measurement. Time in which the process did not get the processor does not count. */
  const worked = (): number => {
    const { user, system } = process.threadCpuUsage(used)
    return (user + system) / 1_000
  }
  const measure = (): void => {
    const now = performance.now()
    busy = worked()
    measuredAt = now
    used = process.threadCpuUsage()
    admitted = 0
    if (refused === 0 || now - loggedAt < LOG_INTERVAL) return
    logger.warn({ refused }, REFUSED)
    refused = 0
    loggedAt = now
  }
  const timer = setInterval(measure, MEASURE_INTERVAL)
  timer.unref()
  const end = (): void => {
    inProgress--
  }
  const isOverloaded = (): boolean =>
    (busy > BUSY_MAX && inProgress >= IN_PROGRESS_MAX) ||
    (admitted > 1 && performance.now() - measuredAt > BUSY_MAX && worked() > BUSY_MAX)
  return {
    admit(request, response) {
      if ((isOverloaded() && !isFree(request)) || (isFull() && isWrite(request))) {
        refused++
        refuse(pathOf(request), response)
        return false
      }
      admitted++
      inProgress++
      response.once('close', end)
      return true
    },
    noteRefused() {
      refused++
    },
    close: () => clearInterval(timer),
  }
}
