import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { LIMITS } from '../contract/limits.ts'
import type { OperationName } from '../contract/operations.ts'
import type { Reader } from '../database/database.ts'
import type { Charge, Verdict } from '../domain/rate-limit.ts'
import type { EntryCache } from '../operations/entry-cache.ts'
import type { Limiter } from '../operations/limiter.ts'
import type { Answer, Reads } from '../operations/operation.ts'
import { entryAt, newest } from '../operations/read-entries.ts'
import type { OriginKeys } from '../store/origin.ts'
import { chargesOf } from './admission.ts'
import { answerFields, nextLink } from './conditional.ts'
import { PUBLIC_FIELDS } from './cors.ts'
import { tell } from './fastify.ts'
import { JSON_TYPE } from './handlers.ts'
import type { Metrics } from './metrics.ts'
import type { Observer } from './observer.ts'
import type { Origins } from './origin.ts'
import { rateLimitFields } from './rate-limit-fields.ts'
import { isWellFormed, SECURITY_FIELDS } from './transport.ts'

type Parts = {
  config: Config
  logger: Logger
  metrics: Metrics
  reader: Reader
  entries: EntryCache
  limiter: Limiter
  origins: Origins
  observer: Pick<Observer, 'note' | 'room'>
  now: () => number
  /** The charges for a request before it was routed. */
  charged: WeakMap<IncomingMessage, Verdict>
}

/** The address of one entry, or of the list of the newest. */
const ASKED = /^\/api\/entries(?:\/([\w-]+)|(?:\?limit=([1-9]\d?))?)$/
/** Request fields that the fast path does not support. A request with any of them is routed. */
const ASKING_MORE = ['x-actor-token', 'if-none-match', 'content-length', 'transfer-encoding', 'expect'] as const

/** The fields of every answer of the fast path, as alternating names and values. */
const CONSTANT = Object.entries({ ...SECURITY_FIELDS, ...PUBLIC_FIELDS, 'content-type': JSON_TYPE }).flat()

/** A request for one entry or for the newest entries: its answer from memory, and its answer from the store. */
export type Asked = { operation: OperationName; ready(): Answer | undefined; read(): Promise<Answer> }

/** The parsed request, if the fast path supports it. */
function askedBy(request: IncomingMessage, reads: Pick<Reads, 'entries' | 'reader'>): Asked | undefined {
  const { method, url = '', headers } = request
  if (method !== 'GET' || !isWellFormed(request)) return undefined
  for (const name of ASKING_MORE) if (headers[name] !== undefined) return undefined
  const [whole, address, digits] = ASKED.exec(url) ?? []
  if (whole === undefined) return undefined
  if (address !== undefined) return { operation: 'readEntry', ...entryAt(reads.entries, address) }
  const limit = Number(digits ?? LIMITS.pageDefault)
  return limit > LIMITS.pageMax ? undefined : { operation: 'listEntries', ...newest(reads, limit) }
}

/**
 * The fast path: answers the most frequent requests, anonymous reads of one entry or of the newest entries, before routing. The result is
 * that of the route, with the limit charged and the read observed. Each function returns false, without a charge or an answer, for others.
 */
export type ReadyAnswer = {
  /** The parsed request, if it is one of these. */
  askedBy(request: IncomingMessage): Asked | undefined
  /** Answers from memory if possible, in a third of the time. */
  atOnce(asked: Asked, request: IncomingMessage, response: ServerResponse): boolean
  /** Answers from the store. If that fails, `route` continues with the request, which is charged already. */
  soon(asked: Asked, request: IncomingMessage, response: ServerResponse, route: () => void): boolean
}

export function createReadyAnswer(parts: Parts): ReadyAnswer {
  const { config, logger, limiter, observer, origins, now, charged } = parts
  const chargesFor = createCharges(config)
  const admit = (request: IncomingMessage, at: number): { origin: OriginKeys; verdict: Verdict } | undefined => {
    const origin = origins.known(request, at)
    const verdict = origin && limiter.admitHere(chargesFor(origin), at)
    return origin !== undefined && verdict?.admitted ? { origin, verdict } : undefined
  }
  return {
    askedBy: request => askedBy(request, parts),
    atOnce({ operation, ready }, request, response) {
      const began = performance.now()
      const answer = observer.room() === undefined ? ready() : undefined
      if (answer === undefined) return false
      const at = now()
      const admitted = admit(request, at)
      if (admitted === undefined) return false
      send(parts, request, response, { ...admitted, operation, answer, at, began })
      return true
    },
    soon({ operation, read }, request, response, route) {
      const began = performance.now()
      const at = now()
      const admitted = admit(request, at)
      if (admitted === undefined) return false
      Promise.resolve(observer.room())
        .then(read)
        .then(
          answer => send(parts, request, response, { ...admitted, operation, answer, at, began }),
          () => {
            charged.set(request, admitted.verdict)
            route()
          },
        )
        .catch(error => {
          logger.error({ err: error }, 'an answer could not be sent')
          response.destroy()
        })
      return true
    },
  }
}

/** The limits of an anonymous read, by origin. Made once for each remembered origin. */
function createCharges(config: Config): (origin: OriginKeys) => Charge[] {
  const made = new WeakMap<OriginKeys, Charge[]>()
  return origin => {
    const charges = made.get(origin) ?? chargesOf(config, false, origin, null)
    made.set(origin, charges)
    return charges
  }
}

type Told = {
  operation: OperationName
  answer: Answer
  origin: OriginKeys
  verdict: Verdict
  at: number
  began: number
}

/** Sends an answer, and notifies metrics, log and observer. */
function send(
  { logger, metrics, observer }: Parts,
  request: IncomingMessage,
  response: ServerResponse,
  { operation, answer, origin, verdict, at, began }: Told,
): void {
  const { octets = '', observed } = answer
  const requestId = randomUUID()
  const userAgent = request.headers['user-agent'] ?? ''
  if (observed !== undefined) observer.note({ actor: null, origin, userAgent, requestId, at }, observed)
  const fields = [...CONSTANT, 'x-request-id', requestId, 'content-length', String(octets.length)]
  addFields(fields, answerFields(answer, { method: 'GET' }))
  addFields(fields, rateLimitFields(verdict.standings))
  if (answer.next !== undefined) fields.push('link', nextLink(request.url ?? '', answer.next))
  response.writeHead(200, fields)
  if (typeof octets === 'string') response.end(octets, 'latin1')
  else response.end(octets)
  const ms = performance.now() - began
  metrics.answered(operation, 200, ms)
  tell(logger, { requestId, operation, status: 200, ms }, request)
}

function addFields(fields: string[], more: Record<string, string>): void {
  for (const name in more) fields.push(name, more[name] ?? '')
}
