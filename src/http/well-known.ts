import type { Config } from '../config.ts'

const PROFILE = 'https://www.rfc-editor.org/info/rfc9727'
const DAY = 86_400_000
/** The validity of a security.txt from the day of the request, in days: less than the maximum of a year that RFC 9116 recommends. */
const SECURITY_DAYS = 180

type Document = { type: string; body: string; fields?: Record<string, string> }

/** The API catalog of RFC 9727, as a linkset (RFC 9264): the addresses of the interface and its descriptions. */
export function apiCatalog({ publicUrl = '' }: Pick<Config, 'publicUrl'>): Document {
  const at = (path: string, type: string) => ({ href: `${publicUrl}${path}`, type })
  const linkset = [
    {
      anchor: `${publicUrl}/api/discovery`,
      'service-desc': [at('/openapi.json', 'application/json')],
      'service-doc': [at('/agents.md', 'text/markdown'), at('/llms.txt', 'text/plain'), at('/docs/api', 'text/html')],
      'service-meta': [at('/api/discovery', 'application/json')],
      status: [at('/ready', 'application/json')],
    },
  ]
  return {
    type: `application/linkset+json; profile="${PROFILE}"`,
    body: JSON.stringify({ linkset }),
    fields: { link: `<${publicUrl}/.well-known/api-catalog>; rel="api-catalog"` },
  }
}

/** The security.txt of RFC 9116; undefined if no contact is configured. */
export function securityText(
  { securityContact, publicUrl }: Pick<Config, 'securityContact' | 'publicUrl'>,
  at: number,
): Document | undefined {
  if (securityContact === undefined) return undefined
  const expires = new Date((Math.floor(at / DAY) + SECURITY_DAYS) * DAY).toISOString()
  const lines = [`Contact: ${securityContact}`, `Expires: ${expires}`, 'Preferred-Languages: en']
  if (publicUrl !== undefined) lines.push(`Canonical: ${publicUrl}/.well-known/security.txt`)
  return { type: 'text/plain; charset=utf-8', body: `${lines.join('\n')}\n` }
}
