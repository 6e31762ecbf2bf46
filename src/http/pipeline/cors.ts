import type { FastifyCorsOptions } from '@fastify/cors'
import type { FastifyRequest } from 'fastify'
import { targetOf } from '../../web/target.ts'

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
  'Sequence',
  'WWW-Authenticate',
  'X-Request-Id',
]
const ALLOWED = ['Content-Type', 'X-Actor-Token', 'Idempotency-Key', 'If-None-Match', 'Last-Event-ID', 'Min-Sequence']
/** Further request fields of pages that use the Model Context Protocol. */
const MCP_FIELDS = ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name']
const MAX_AGE = 86_400

/** The fields of every public answer, also without an Origin. */
export const PUBLIC_FIELDS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED.join(', '),
  vary: 'Origin',
}

type Done = (error: Error | null, options: FastifyCorsOptions) => void

/** Web pages of every origin may use the public interface, without credentials, but not the administrative paths. */
export const corsOptions = () => (request: FastifyRequest, done: Done) => {
  const path = pathOf(request.raw.url ?? '')
  const forAdmin = path.startsWith('/api/admin/') || path === '/metrics'
  done(null, {
    origin: forAdmin ? false : '*',
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: pathOf(request.raw.url ?? '') === '/mcp' ? [...ALLOWED, ...MCP_FIELDS] : ALLOWED,
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE,
    // An OPTIONS without an Origin is answered like a preflight. The plugin would refuse it in another shape.
    strictPreflight: false,
  })
}

/** The path as the router reads it, with percent-encoding decoded. */
function pathOf(url: string): string {
  try {
    return decodeURIComponent(targetOf(url).path)
  } catch {
    return url
  }
}
