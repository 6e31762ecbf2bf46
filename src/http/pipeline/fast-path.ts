import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { OperationName } from '../../contract/operations.ts'
import type { Reader } from '../../database/database.ts'
import type { Charge, Verdict } from '../../domain/rate-limit.ts'
import type { EntryCache } from '../../operations/entries/entry-cache.ts'
import { entryAt, newest } from '../../operations/entries/read-entries.ts'
import type { Limiter } from '../../operations/limiter.ts'
import type { Answer, Reads } from '../../operations/operation.ts'
import type { OriginKeys } from '../../store/origin.ts'
import { answerFields, nextLink } from '../caches/conditional.ts'
import { sharedCacheFields, sharedCacheOf } from '../caches/shared-cache.ts'
import { rateLimitFields } from '../limits/rate-limit-fields.ts'
import { isWellFormed, SECURITY_FIELDS } from '../limits/transport.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { logRequest } from '../metrics/request-log.ts'
import type { Observer } from '../observation/observer.ts'
import { chargesOf } from './admission.ts'
import { type Coding, type Compression, isWorthwhile, preferred, variesBy } from './compression.ts'
import { PUBLIC_FIELDS } from './cors.ts'
import { JSON_TYPE } from './handlers.ts'
import { withLicense } from './license.ts'
import type { MinSequence } from './min-sequence.ts'
import type { Origins } from './origin.ts'

type Parts = {
  config: Config
  logger: Logger
  metrics: Metrics
  reader: Reader
  entries: EntryCache
  limiter: Limiter
  minSequence: MinSequence
  origins: Origins
  observer: Pick<Observer, 'note' | 'room'>
  compression: Compression
  now: () => number
  /** The charges for a request before it was routed. */
  charged: WeakMap<IncomingMessage, Verdict>
}

/** The address of one entry, or of the list of the newest. */
const ADDRESSES = /^\/api\/entries(?:\/([\w-]+)|(?:\?limit=([1-9]\d?))?)$/
/** Request fields that the fast path does not support. A request with any of them is routed. */
const UNSUPPORTED = ['x-actor-token', 'if-none-match', 'content-length', 'transfer-encoding', 'expect'] as const

/** The fields of every answer of the fast path, as alternating names and values. */
const FIELDS = { ...SECURITY_FIELDS, ...PUBLIC_FIELDS, 'content-type': JSON_TYPE }
const CONSTANT = Object.entries(FIELDS).flat()
/** The same of a list, which is compressed for clients that accept it. */
const CONSTANT_OF_LISTS = Object.entries({ ...FIELDS, vary: variesBy(FIELDS.vary) }).flat()

/** A request for one entry or for the newest entries: its answer from memory, and its answer from the store. */
export type FastRequest = {
  operation: OperationName
  /** The coding of the answer, if it is worthwhile. */
  coding?: Coding | undefined
  fromMemory(): Answer | undefined
  read(): Promise<Answer>
}

/** The parsed request, if the fast path supports it. */
function parseRequest(
  request: IncomingMessage,
  reads: Pick<Reads, 'entries' | 'reader'> & Pick<Parts, 'minSequence'>,
): FastRequest | undefined {
  const { method, url = '', headers } = request
  if (method !== 'GET' || !isWellFormed(request)) return undefined
  for (const name of UNSUPPORTED) if (headers[name] !== undefined) return undefined
  if (!reads.minSequence.isKnown(headers)) return undefined
  const [whole, address, digits] = ADDRESSES.exec(url) ?? []
  if (whole === undefined) return undefined
  if (address !== undefined) return { operation: 'readEntry', ...entryAt(reads.entries, address) }
  const limit = Number(digits ?? LIMITS.pageDefault)
  if (limit > LIMITS.pageMax) return undefined
  return { operation: 'listEntries', coding: preferred(headers['accept-encoding']), ...newest(reads, limit) }
}

/**
 * The fast path: answers the most frequent requests, anonymous reads of one entry or of the newest entries, before routing. The result is
 * that of the route, with the limit charged and the read observed. Each function returns false, without a charge or an answer, for others.
 */
export type FastPath = {
  /** The parsed request, if it is one of these. */
  parse(request: IncomingMessage): FastRequest | undefined
  /** Answers from memory if possible, in a third of the time. */
  fromMemory(parsed: FastRequest, request: IncomingMessage, response: ServerResponse): boolean
  /** Answers from the store. If that fails, `route` continues with the request, which is charged already. */
  fromStore(parsed: FastRequest, request: IncomingMessage, response: ServerResponse, route: () => void): boolean
}

export function createFastPath(parts: Parts): FastPath {
  const { config, logger, limiter, observer, origins, compression, now, charged } = parts
  const chargesFor = createCharges(config)
  const admit = (request: IncomingMessage, at: number): { origin: OriginKeys; verdict: Verdict } | undefined => {
    const origin = origins.known(request, at)
    const verdict = origin && limiter.admitHere(chargesFor(origin), at)
    return origin !== undefined && verdict?.admitted ? { origin, verdict } : undefined
  }
  return {
    parse: request => parseRequest(request, parts),
    fromMemory({ operation, coding, fromMemory }, request, response) {
      const began = performance.now()
      const answer = observer.room() === undefined ? fromMemory() : undefined
      if (answer === undefined) return false
      const plain = coding && worthwhile(answer)
      const coded = plain && compression.known(plain, coding)
      if (plain !== undefined && coded === undefined) return false
      const at = now()
      const admitted = admit(request, at)
      if (admitted === undefined) return false
      send(parts, request, response, { ...admitted, operation, answer, coding, coded, at, began })
      return true
    },
    fromStore({ operation, coding, read }, request, response, route) {
      const began = performance.now()
      const at = now()
      const admitted = admit(request, at)
      if (admitted === undefined) return false
      Promise.resolve(observer.room())
        .then(read)
        .then(
          async answer => {
            const plain = coding && worthwhile(answer)
            const coded = plain && (await compression.compress(plain, coding))
            send(parts, request, response, { ...admitted, operation, answer, coding, coded, at, began })
          },
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

/** The bytes of an answer, if they are worth compressing. */
const worthwhile = ({ json }: Answer): Buffer | undefined =>
  typeof json === 'object' && isWorthwhile(json.length) ? json : undefined

/** The limits of an anonymous read, by origin. Made once for each remembered origin. */
function createCharges(config: Config): (origin: OriginKeys) => Charge[] {
  const made = new WeakMap<OriginKeys, Charge[]>()
  return origin => {
    const charges = made.get(origin) ?? chargesOf(config, false, origin, null)
    made.set(origin, charges)
    return charges
  }
}

type Sent = {
  operation: OperationName
  answer: Answer
  coding: Coding | undefined
  /** The compressed bytes. */
  coded: Buffer | undefined
  origin: OriginKeys
  verdict: Verdict
  at: number
  began: number
}

/** Sends an answer, and notifies metrics, log and observer. */
function send(
  { config, logger, metrics, observer }: Parts,
  request: IncomingMessage,
  response: ServerResponse,
  { operation, answer, coding, coded, origin, verdict, at, began }: Sent,
): void {
  const { observed } = answer
  const json = coded ?? answer.json ?? ''
  const requestId = randomUUID()
  const userAgent = request.headers['user-agent'] ?? ''
  if (observed !== undefined) observer.note({ actor: null, origin, userAgent, requestId, at }, observed)
  const constant = operation === 'listEntries' ? CONSTANT_OF_LISTS : CONSTANT
  const fields = [...constant, 'x-request-id', requestId, 'content-length', String(json.length)]
  if (coding !== undefined && coded !== undefined) fields.push('content-encoding', coding)
  const shared = sharedCacheOf(config, request, operation)
  const known = { ...answerFields(answer, { method: 'GET' }), ...sharedCacheFields(answer, shared) }
  addFields(fields, withLicense(known, config, operation))
  addFields(fields, rateLimitFields(verdict.standings))
  if (answer.next !== undefined) fields.push('link', nextLink(request.url ?? '', answer.next))
  response.writeHead(200, fields)
  if (typeof json === 'string') response.end(json, 'latin1')
  else response.end(json)
  const ms = performance.now() - began
  metrics.answered(operation, 200, ms)
  logRequest(logger, { requestId, operation, status: 200, ms }, request)
}

function addFields(fields: string[], more: Record<string, string>): void {
  for (const name in more) fields.push(name, more[name] ?? '')
}
