import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { LIMITS } from '../contract/limits.ts'
import type { OperationName } from '../contract/operations.ts'
import type { Charge } from '../domain/rate-limit.ts'
import type { EntryCache } from '../operations/entry-cache.ts'
import type { Limiter } from '../operations/limiter.ts'
import type { Answer } from '../operations/operation.ts'
import { readyEntry, readyNewest } from '../operations/read-entries.ts'
import type { OriginKeys } from '../store/origin.ts'
import { chargesOf } from './admission.ts'
import { cacheFields, nextLink } from './conditional.ts'
import { PUBLIC_FIELDS } from './cors.ts'
import { tell } from './fastify.ts'
import { JSON_TYPE } from './handlers.ts'
import type { Metrics } from './metrics.ts'
import type { Observer } from './observer.ts'
import type { Origins } from './origin.ts'
import { rateLimitFields } from './rate-limit-fields.ts'
import { SECURITY_FIELDS } from './transport.ts'

type Parts = {
  config: Config
  logger: Logger
  metrics: Metrics
  entries: EntryCache
  limiter: Limiter
  origins: Origins
  observer: Pick<Observer, 'note'>
  now: () => number
}

const ENTRIES = '/api/entries'
/** The rest of an address of the newest entries. */
const NEWEST = /^(?:\?limit=([1-9]\d?))?$/
/** Fields by which a request asks for more than what there is; any of them sends it the longer way. */
const ASKING_MORE = ['x-actor-token', 'if-none-match', 'content-length', 'transfer-encoding', 'expect'] as const

/** What every answer of these carries, as names and values in turn. */
const CONSTANT = Object.entries({ ...SECURITY_FIELDS, ...PUBLIC_FIELDS, 'content-type': JSON_TYPE }).flat()

type Ready = { operation: OperationName; answer: Answer | undefined }

/** What there is of an address: one entry, or the newest. */
function find(entries: EntryCache, url: string): Ready | undefined {
  if (!url.startsWith(ENTRIES)) return undefined
  const rest = url.slice(ENTRIES.length)
  if (rest.startsWith('/')) return { operation: 'readEntry', answer: readyEntry(entries, rest.slice(1)) }
  const asked = NEWEST.exec(rest)
  if (asked === null) return undefined
  const limit = Number(asked[1] ?? LIMITS.pageDefault)
  return limit > LIMITS.pageMax ? undefined : { operation: 'listEntries', answer: readyNewest(entries, { limit }) }
}

/**
 * Answers the commonest requests, anonymous reads of one entry or of the newest, where everything they need is in memory: what the route
 * would answer, limit charged and read observed, in a third of the time. Gives false, with nothing charged or sent, wherever it is not that simple.
 */
export function createReadyAnswer({ config, logger, metrics, entries, limiter, origins, observer, now }: Parts) {
  const charges = new WeakMap<OriginKeys, Charge[]>()
  const chargesFor = (origin: OriginKeys): Charge[] => {
    const known = charges.get(origin) ?? chargesOf(config, false, origin, null)
    charges.set(origin, known)
    return known
  }
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const began = performance.now()
    const { method, url = '', headers } = request
    if (method !== 'GET' || headers.host === undefined) return false
    for (const name of ASKING_MORE) if (headers[name] !== undefined) return false
    const { operation, answer } = find(entries, url) ?? {}
    if (operation === undefined || answer?.octets === undefined) return false
    const at = now()
    const origin = origins.known(request, at)
    if (origin === undefined) return false
    const verdict = limiter.admitHere(chargesFor(origin), at)
    if (verdict === undefined || !verdict.admitted) return false
    const requestId = randomUUID()
    const { octets, observed } = answer
    if (observed !== undefined) {
      observer.note({ actor: null, origin, userAgent: headers['user-agent'] ?? '', requestId, at }, observed)
    }
    const fields = [...CONSTANT, 'x-request-id', requestId, 'content-length', String(octets.length)]
    addFields(fields, cacheFields(answer, { method }))
    addFields(fields, rateLimitFields(verdict.standings))
    if (answer.next !== undefined) fields.push('link', nextLink(url, answer.next))
    response.writeHead(200, fields)
    if (typeof octets === 'string') response.end(octets, 'latin1')
    else response.end(octets)
    const ms = performance.now() - began
    metrics.answered(operation, 200, ms)
    tell(logger, { requestId, operation, status: 200, ms }, request)
    return true
  }
}

function addFields(fields: string[], more: Record<string, string>): void {
  for (const name in more) fields.push(name, more[name] ?? '')
}
