import type { Config } from '../config.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Whether the Origin header of a request is allowed: it is missing, or names this service, this machine, or an origin that the operator
 * allows. The Host header is ignored: a page that rebinds its name to this address can choose it.
 */
export function isOwnPage(
  origin: string | undefined,
  { publicUrl, mcpOrigins }: Pick<Config, 'publicUrl' | 'mcpOrigins'>,
): boolean {
  if (origin === undefined || mcpOrigins.includes('*') || mcpOrigins.includes(origin)) return true
  if (!URL.canParse(origin)) return false
  const { hostname, origin: page } = new URL(origin)
  return LOOPBACK.includes(hostname) || (publicUrl !== undefined && new URL(publicUrl).origin === page)
}
