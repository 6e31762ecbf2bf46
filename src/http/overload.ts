import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { OPERATIONS } from '../contract/operations.ts'
import { Problem } from '../contract/problem.ts'
import { targetOf } from '../web/target.ts'
import { PUBLIC_FIELDS } from './cors.ts'
import { problemAnswer } from './errors.ts'
import { SECURITY_FIELDS } from './transport.ts'

/** How often the event loop is looked at, and for how long what was taken may hold it before more is refused, in milliseconds. */
const LOOK_INTERVAL = 50
const HELD_MAX = 250
/** So many requests may be under way when the loop was held: what they do at once when they go on is bounded with them. */
const UNDER_WAY_MAX = 32
/** How often at most it is told that requests are refused, in milliseconds. */
const TELL_INTERVAL = 10_000

const REFUSED =
  'requests were refused: more is asked for than can be done; see who asks, or serve from a faster machine or from more nodes'

/** Knows when there is more to do than can be done: then it is better to refuse at once than to answer after the client has gone. */
export type Overload = {
  /** Takes one more request, or refuses it in as few steps as can be, people too: false. */
  take(request: IncomingMessage, response: ServerResponse): boolean
  /** A request was refused because there is too much to do, here or at the store. */
  noteRefused(): void
  close(): void
}

const OVERLOADED = new Problem('OVERLOADED', { retryAfter: 1 })
/** What tells whether the service lives is told however much there is to do. */
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
 * Watches how long the event loop is held. Nobody is refused because of one request, or of what is not a request;
 * past that, what waits is refused until the loop has gone round, which takes a fraction of the time of answering it.
 * Writes are refused too while there is no room for them at the store, as `isFull` says.
 * How many were refused is logged now and then, together.
 */
export function watchOverload(logger: Logger, isFull: () => boolean): Overload {
  let looked = performance.now()
  let used = process.threadCpuUsage()
  let held = 0
  let taken = 0
  let underWay = 0
  let refused = 0
  let told = Number.NEGATIVE_INFINITY
  /** Milliseconds of work since the last look: time in which the process was not let work is no reason to refuse anybody. */
  const worked = (): number => {
    const { user, system } = process.threadCpuUsage(used)
    return (user + system) / 1_000
  }
  const look = (): void => {
    const now = performance.now()
    held = worked()
    looked = now
    used = process.threadCpuUsage()
    taken = 0
    if (refused === 0 || now - told < TELL_INTERVAL) return
    logger.warn({ refused }, REFUSED)
    refused = 0
    told = now
  }
  const timer = setInterval(look, LOOK_INTERVAL)
  timer.unref()
  const end = (): void => {
    underWay--
  }
  const isTooMuch = (): boolean =>
    (held > HELD_MAX && underWay >= UNDER_WAY_MAX) ||
    (taken > 1 && performance.now() - looked > HELD_MAX && worked() > HELD_MAX)
  return {
    take(request, response) {
      if ((isTooMuch() && !isFree(request)) || (isFull() && isWrite(request))) {
        refused++
        refuse(pathOf(request), response)
        return false
      }
      taken++
      underWay++
      response.once('close', end)
      return true
    },
    noteRefused() {
      refused++
    },
    close: () => clearInterval(timer),
  }
}
