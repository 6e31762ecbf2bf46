import { targetOf } from '../../web/target.ts'
import type { Exchange } from '../exchange.ts'
import { PUBLIC_FIELDS } from '../limits/transport.ts'

const ALLOWED = ['Content-Type', 'X-Actor-Token', 'Idempotency-Key', 'If-None-Match', 'Last-Event-ID', 'Min-Sequence']
/** Further request fields of pages that use the Model Context Protocol. */
const MCP_FIELDS = ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name']
const MAX_AGE = 86_400

const PREFLIGHT_FIELDS = {
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-max-age': String(MAX_AGE),
  'content-length': '0',
}

const isPrivate = (path: string): boolean => path.startsWith('/api/admin/') || path === '/metrics'

/**
 * Lets web pages of every origin use the public interface, without credentials, but not the administrative paths. Returns true for an
 * OPTIONS request, whose answer needs only these fields (Fetch standard, CORS protocol).
 */
export function allowOrigins(exchange: Exchange): boolean {
  const { fields, method, route } = exchange
  fields.vary = PUBLIC_FIELDS.vary
  const path = route?.path ?? pathOf(exchange.url)
  if (isPrivate(path)) return false
  Object.assign(fields, PUBLIC_FIELDS)
  if (method !== 'OPTIONS') return false
  const allowed = path === '/mcp' ? [...ALLOWED, ...MCP_FIELDS] : ALLOWED
  exchange.set({ ...PREFLIGHT_FIELDS, 'access-control-allow-headers': allowed.join(', ') })
  return true
}

/** The path as the router reads it, with percent-encoding decoded. */
function pathOf(url: string): string {
  try {
    return decodeURIComponent(targetOf(url).path)
  } catch {
    return url
  }
}
