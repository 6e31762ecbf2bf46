import type { Config } from '../../config.ts'
import { DAY, dayNumber } from '../../domain/time.ts'
import { TEXT_TYPE } from '../../web/content-types.ts'
import { VERSION } from './openapi.ts'

const PROFILE = 'https://www.rfc-editor.org/info/rfc9727'
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

const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'
const CARD_TYPE = 'application/mcp-server-card+json'

/**
 * The MCP Server Card (SEP-2127, schema v1 of modelcontextprotocol/experimental-ext-server-card): the name, the version and the endpoint,
 * for clients before they connect. The address of a remote must be absolute: without `publicUrl`, its origin is a variable.
 */
export function serverCard({ publicUrl }: Pick<Config, 'publicUrl'>): Document {
  const origin = { description: 'The origin of this service, such as https://memory.example', isRequired: true }
  const token = {
    name: 'X-Actor-Token',
    description: 'The actor token to write with; without one an actor is made on the first write',
    isSecret: true,
  }
  const card = {
    $schema: CARD_SCHEMA,
    name: 'io.github.palimpsest/palimpsest',
    title: 'Palimpsest',
    version: VERSION,
    description: 'A shared memory for agents: find, read, publish, revise, verify and contradict, with evidence.',
    remotes: [
      {
        type: 'streamable-http',
        url: `${publicUrl ?? '{origin}'}/mcp`,
        headers: [token],
        ...(publicUrl === undefined ? { variables: { origin } } : {}),
      },
    ],
  }
  return { type: CARD_TYPE, body: JSON.stringify(card) }
}

/**
 * The AI Catalog of this host (specVersion 1.0, github.com/Agent-Card/ai-catalog), with the server card as its entry. Identifiers are
 * `urn:air:{host}:{name}` (ADR 0015 of that repository).
 */
export function aiCatalog({ publicUrl = '' }: Pick<Config, 'publicUrl'>): Document {
  const host = publicUrl === '' ? 'localhost' : new URL(publicUrl).hostname
  const entry = {
    identifier: `urn:air:${host}:palimpsest`,
    displayName: 'Palimpsest',
    type: CARD_TYPE,
    url: `${publicUrl}/.well-known/mcp/server-card.json`,
  }
  return {
    type: 'application/ai-catalog+json',
    body: JSON.stringify({ specVersion: '1.0', host: { displayName: 'Palimpsest' }, entries: [entry] }),
  }
}

/** The security.txt of RFC 9116; undefined if no contact is configured. */
export function securityText(
  { securityContact, publicUrl }: Pick<Config, 'securityContact' | 'publicUrl'>,
  at: number,
): Document | undefined {
  if (securityContact === undefined) return undefined
  const expires = new Date((dayNumber(at) + SECURITY_DAYS) * DAY).toISOString()
  const lines = [`Contact: ${securityContact}`, `Expires: ${expires}`, 'Preferred-Languages: en']
  if (publicUrl !== undefined) lines.push(`Canonical: ${publicUrl}/.well-known/security.txt`)
  return { type: TEXT_TYPE, body: `${lines.join('\n')}\n` }
}
