import type { Config } from '../../config.ts'
import { Problem } from '../../contract/problem.ts'
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

type PageSettings = Pick<Config, 'allowedHosts' | 'allowedOrigins' | 'publicUrl'>

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const isLoopback = (hostname: string): boolean => LOOPBACK.includes(hostname)
/** Paths that balancers probe under any name. They have no content. */
const PROBES = ['/health', '/ready']

/**
 * Throws HOST_NOT_ALLOWED or ORIGIN_NOT_ALLOWED if the operator allows neither the name under which a request came nor the web page that
 * sent it. A page chooses its Host by DNS rebinding, and cannot choose its Origin.
 */
export function assertAllowedPage({ headers, path }: Exchange, settings: PageSettings): void {
  const { allowedHosts, allowedOrigins, publicUrl } = settings
  if ((allowedHosts.length === 0 && allowedOrigins.length === 0) || PROBES.includes(path)) return
  const { host = '', origin } = headers
  const name = host.toLowerCase().replace(/:\d*$/, '')
  const isPublic = publicUrl !== undefined && new URL(publicUrl).hostname === name
  if (allowedHosts.length > 0 && !isPublic && !allowedHosts.includes(name)) throw new Problem('HOST_NOT_ALLOWED')
  if (allowedOrigins.length === 0 || origin === undefined || isListed(origin, settings)) return
  const isOwnName = isLoopback(name) || allowedHosts.includes(name)
  const isOwnPage = URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
  if (!(isOwnName && isOwnPage)) throw new Problem('ORIGIN_NOT_ALLOWED')
}

const isListed = (origin: string, { allowedOrigins, publicUrl }: PageSettings): boolean =>
  allowedOrigins.includes('*') ||
  allowedOrigins.includes(origin) ||
  (publicUrl !== undefined && new URL(publicUrl).origin === origin)

/**
 * Whether a page may call /mcp: it sent no Origin, is of this machine, or is one that `ALLOWED_ORIGINS` or `PUBLIC_URL` names. The Host is
 * ignored, because a page can choose it by DNS rebinding.
 */
export function mayCallMcp(origin: string | undefined, settings: PageSettings): boolean {
  if (origin === undefined || isListed(origin, settings)) return true
  // With a list of origins, assertAllowedPage has admitted the page.
  return settings.allowedOrigins.length > 0 || (URL.canParse(origin) && isLoopback(new URL(origin).hostname))
}

/**
 * Lets web pages use the public interface, without credentials, but not the administrative paths: pages of every origin, or, with a list of
 * allowed origins, the page that sent the request. Returns true for an OPTIONS request, whose answer needs only these fields (Fetch
 * standard, CORS protocol).
 */
export function allowOrigins(exchange: Exchange, { allowedOrigins }: Pick<Config, 'allowedOrigins'>): boolean {
  const { fields, method, route } = exchange
  fields.vary = PUBLIC_FIELDS.vary
  const path = route?.path ?? pathOf(exchange.url)
  if (isPrivate(path)) return false
  if (allowedOrigins.length === 0 || allowedOrigins.includes('*')) Object.assign(fields, PUBLIC_FIELDS)
  else if (exchange.headers.origin !== undefined)
    Object.assign(fields, PUBLIC_FIELDS, { 'access-control-allow-origin': exchange.headers.origin })
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
