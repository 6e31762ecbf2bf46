import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../config.ts'
import { VERSION } from '../contract/version.ts'
import { agentsMarkdown, llmsText } from '../guide/texts.ts'
import { DAY, shortDigest } from '../memory/values.ts'
import { type LogReads, readCheckpoint, readLogKeys, readTile } from '../tlog/read.ts'
import { JSON_TYPE, TEXT_TYPE } from '../web/page.ts'
import { type Compression, isWorthwhile, preferred, variesBy } from './compression.ts'
import { answerFields, type Exchange, isUnchanged, READING, type Router } from './exchange.ts'
import { dayOf } from './identify.ts'
import { openApiDocument } from './openapi.ts'
import type { Serving } from './serve.ts'

/** A document to send. It is made once for all requests. */
export type StaticDocument = { type: string; bytes: Buffer; etag: string; fields: Record<string, string> }

type Text = {
  type: string
  body: string | Buffer
  /** The version; by default a digest of the body. */
  digest?: string
  immutable?: boolean
  fields?: Record<string, string>
}

/** Only for files of the program, which moderation cannot withdraw. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

export function createDocument({ type, body, digest, immutable = false, fields = {} }: Text): StaticDocument {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const etag = digest ?? shortDigest(bytes)
  const cached = {
    ...answerFields({ body: {}, etag }, { method: 'GET' }),
    ...(immutable ? { 'cache-control': IMMUTABLE } : {}),
  }
  return { type, bytes, etag, fields: { ...fields, ...cached } }
}

export const isCurrent = ({ etag }: StaticDocument, { headers }: { headers: IncomingHttpHeaders }): boolean =>
  isUnchanged(headers['if-none-match'] ?? '', etag)

/**
 * Returns the function that answers with a document, in the coding that the client prefers, or with 304 if the client has this version. The
 * version of a coded document is weak: it names the text, not the bytes.
 */
export function createSender({ compress }: Compression) {
  return async (made: StaticDocument, exchange: Exchange, status = 200): Promise<void> => {
    const { bytes, type, fields, etag } = made
    exchange.set({ ...fields, vary: variesBy(fields.vary ?? 'Origin') })
    const eligible = exchange.method !== 'POST' && isWorthwhile(bytes.length, type)
    const coding = eligible ? preferred(exchange.headers['accept-encoding']) : undefined
    if (exchange.method !== 'POST' && isCurrent(made, exchange)) {
      if (coding !== undefined) exchange.fields.etag = `W/"${etag}"`
      return exchange.send(304)
    }
    const coded = coding && (await compress(bytes, coding, etag))
    if (coded !== undefined) exchange.set({ etag: `W/"${etag}"`, 'content-encoding': coding })
    exchange.set({ 'content-type': type }).send(status, coded ?? bytes)
  }
}

const PROFILE = 'https://www.rfc-editor.org/info/rfc9727'
/** The validity of a security.txt from the day of the request, in days: less than the maximum of a year that RFC 9116 recommends. */
const SECURITY_DAYS = 180

type Document = { type: string; body: string; fields?: Record<string, string> }

/** The API catalog of RFC 9727, as a linkset (RFC 9264): the addresses of the interface and its descriptions. */
function apiCatalog({ publicUrl = '' }: Pick<Config, 'publicUrl'>): Document {
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
function serverCard({ publicUrl }: Pick<Config, 'publicUrl'>): Document {
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
function aiCatalog({ publicUrl = '' }: Pick<Config, 'publicUrl'>): Document {
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
function securityText(
  { securityContact, publicUrl }: Pick<Config, 'securityContact' | 'publicUrl'>,
  at: number,
): Document | undefined {
  if (securityContact === undefined) return undefined
  const expires = new Date((Math.floor(at / DAY) + SECURITY_DAYS) * DAY).toISOString()
  const lines = [`Contact: ${securityContact}`, `Expires: ${expires}`, 'Preferred-Languages: en']
  if (publicUrl !== undefined) lines.push(`Canonical: ${publicUrl}/.well-known/security.txt`)
  return { type: TEXT_TYPE, body: `${lines.join('\n')}\n` }
}

type LogDocument = { type: string; cache: string; read(log: LogReads, path: string): Promise<string | Buffer> }

/** The files of the public log by route (c2sp.org/tlog-tiles). Tiles and bundles contain only hashes, so moderation never changes them. */
const logDocuments = (witnessKeys: string): Readonly<Record<string, LogDocument>> => ({
  '/log/checkpoint': { type: TEXT_TYPE, cache: 'public, max-age=1', read: readCheckpoint },
  '/log/keys': {
    type: TEXT_TYPE,
    cache: 'public, max-age=60',
    read: async log => (await readLogKeys(log)) + witnessKeys,
  },
  '/log/tile/*': {
    type: 'application/octet-stream',
    cache: 'public, max-age=31536000, immutable',
    read: (log, path) => readTile(log, path.replace(/^\/log\//, '')),
  },
})

/** Serves the files of the public log, charged as reads. `witnessKeys` are served after the keys of the log. */
export function routeLog(router: Router, serving: Serving, log: LogReads, witnessKeys = ''): void {
  for (const [path, { type, cache, read }] of Object.entries(logDocuments(witnessKeys))) {
    const run = async (_: unknown, exchange: Exchange): Promise<undefined> => {
      const bytes = Buffer.from(await read(log, exchange.path))
      exchange.set({ 'cache-control': cache, 'content-type': type }).send(200, bytes)
    }
    router.add({
      name: path,
      methods: READING,
      path,
      answer: exchange => serving.serve('readDiscovery', exchange, { search: '', run }),
    })
  }
}

/** Returns the document for a time, in milliseconds since 1970; undefined if there is none. */
export type Guide = (at: number) => StaticDocument | undefined

/** A document that is made at the first request. */
function once(make: () => Parameters<typeof createDocument>[0]): Guide {
  let made: StaticDocument | undefined
  return () => (made ??= createDocument(make()))
}

/** A document that is made at the first request of each day. */
function onceADay(make: (at: number) => Parameters<typeof createDocument>[0] | undefined): Guide {
  let day = ''
  let made: StaticDocument | undefined
  return at => {
    if (day !== dayOf(at)) {
      const text = make(at)
      made = text === undefined ? undefined : createDocument(text)
      day = dayOf(at)
    }
    return made
  }
}

/** The documents made from the contract, by path. They are neither charged nor observed. */
export function createGuides(config: Config): Record<string, Guide> {
  const card = once(() => serverCard(config))
  const markdown = once(() => ({ type: 'text/markdown; charset=utf-8', ...agentsMarkdown(config) }))
  return {
    '/openapi.json': once(() => ({
      type: JSON_TYPE,
      body: JSON.stringify(openApiDocument(config)),
    })),
    '/agents.md': markdown,
    '/skill.md': markdown,
    '/llms.txt': once(() => ({ type: TEXT_TYPE, ...llmsText(config) })),
    '/.well-known/api-catalog': once(() => apiCatalog(config)),
    '/.well-known/ai-catalog.json': once(() => aiCatalog(config)),
    '/.well-known/mcp/server-card.json': card,
    '/mcp/server-card': card,
    '/.well-known/security.txt': onceADay(at => securityText(config, at)),
  }
}
