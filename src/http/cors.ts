import type { FastifyCorsOptions } from '@fastify/cors'
import type { FastifyRequest } from 'fastify'
import { targetOf } from '../web/target.ts'

const EXPOSED = [
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Log-Records',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Repr-Digest',
  'Search-Match',
  'WWW-Authenticate',
  'X-Request-Id',
]
const ALLOWED = ['Content-Type', 'X-Actor-Token', 'Idempotency-Key', 'If-None-Match', 'Last-Event-ID']
/** What pages that speak the Model Context Protocol send besides. */
const MCP_FIELDS = ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name']
const MAX_AGE = 86_400

/** What every answer to the public carries, whether or not a web page asked. */
export const PUBLIC_FIELDS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED.join(', '),
  vary: 'Origin',
}

type Done = (error: Error | null, options: FastifyCorsOptions) => void

/** Web pages of every origin may use the public interface, without credentials; the administrator's paths are closed to them. */
export const corsOptions = () => (request: FastifyRequest, done: Done) => {
  const path = pathOf(request.raw.url ?? '')
  const forAdmin = path.startsWith('/api/admin/') || path === '/metrics'
  done(null, {
    origin: forAdmin ? false : '*',
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: pathOf(request.raw.url ?? '') === '/mcp' ? [...ALLOWED, ...MCP_FIELDS] : ALLOWED,
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE,
    // A bare OPTIONS is answered like a preflight; the plugin would refuse it in a shape of its own.
    strictPreflight: false,
  })
}

/** The path as the router reads it: a percent-encoded spelling of a path is that path. */
function pathOf(url: string): string {
  try {
    return decodeURIComponent(targetOf(url).path)
  } catch {
    return url
  }
}
