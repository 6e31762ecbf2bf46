import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { EntryCache, ServedEntry } from '../operations/entry-cache.ts'
import type { Limiter } from '../operations/limiter.ts'
import { chargesOf } from './admission.ts'
import { cacheFields } from './conditional.ts'
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

const ENTRIES = '/api/entries/'
/** Fields by which a request asks for more than the entry as it stands; any of them sends it the longer way. */
const ASKING_MORE = ['x-actor-token', 'if-none-match', 'content-length', 'transfer-encoding', 'expect'] as const

/** What every answer of these carries, as names and values in turn. */
const CONSTANT = Object.entries({ ...SECURITY_FIELDS, ...PUBLIC_FIELDS, 'content-type': JSON_TYPE }).flat()

/**
 * Answers the commonest request, an anonymous read of one entry, where everything it needs is in memory: what the route would answer,
 * limit charged and read observed, in a third of the time. Gives false, with nothing charged or sent, wherever it is not that simple.
 */
export function createReadyAnswer({ config, logger, metrics, entries, limiter, origins, observer, now }: Parts) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const began = performance.now()
    const { method, url = '', headers } = request
    if (method !== 'GET' || !url.startsWith(ENTRIES) || headers.host === undefined) return false
    for (const name of ASKING_MORE) if (headers[name] !== undefined) return false
    const served = entries.ready(url.slice(ENTRIES.length))
    if (served === undefined) return false
    const at = now()
    const origin = origins.known(request, at)
    if (origin === undefined) return false
    const verdict = limiter.admitHere(chargesOf(config, false, origin, null), at)
    if (verdict === undefined || !verdict.admitted) return false
    const requestId = randomUUID()
    const visitor = { actor: null, origin, userAgent: headers['user-agent'] ?? '', requestId, at }
    observer.note(visitor, { action: 'READ', entry: served.number, revision: served.revision, metadata: null })
    response.writeHead(200, fieldsOf(served, requestId, rateLimitFields(verdict.standings)))
    response.end(served.octets, 'latin1')
    const ms = performance.now() - began
    metrics.answered('readEntry', 200, ms)
    tell(logger, { requestId, operation: 'readEntry', status: 200, ms }, request)
    return true
  }
}

function fieldsOf({ etag, octets, entry }: ServedEntry, requestId: string, limits: Record<string, string>): string[] {
  const fields = [...CONSTANT, 'x-request-id', requestId, 'content-length', String(octets.length)]
  for (const more of [cacheFields({ body: entry, etag }, { method: 'GET' }), limits]) {
    for (const name in more) fields.push(name, more[name] ?? '')
  }
  return fields
}
