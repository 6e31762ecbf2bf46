import type { Config } from '../config.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Whether a request may come from where its Origin header says: no browser sent it, or a page of this service, of this machine, or of an
 * origin the operator allows. The Host header decides nothing: a page that rebinds its name to this address chooses it.
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
