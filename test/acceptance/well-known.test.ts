import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { shareApp, startApp, type TestApp } from '../support/app.ts'
import { call, expectProblem, expectStatus } from '../support/client.ts'

const DAY = 86_400_000
let configured: TestApp
const app = shareApp({}, async () => {
  configured = await startApp({ SECURITY_CONTACT: 'mailto:security@example.org', PUBLIC_URL: 'https://memory.example' })
})
after(() => configured.close())

type Link = { href: string; type: string }
type Catalog = { linkset: { anchor: string; 'service-desc': Link[] }[] }
const catalogOf = async (at: Pick<TestApp, 'url'>) => {
  const answer = await call(at.url, 'GET', '/.well-known/api-catalog')
  expectStatus(answer, 200)
  assert.equal(
    answer.headers.get('content-type'),
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  )
  return { answer, catalog: JSON.parse(answer.text) as Catalog }
}

test('the API catalog names the interface and its descriptions, all of which exist', async () => {
  const { answer, catalog } = await catalogOf(app)
  assert.equal(answer.headers.get('link'), '</.well-known/api-catalog>; rel="api-catalog"')
  const [context, ...others] = catalog.linkset
  assert.equal(others.length, 0)
  const links = Object.values(context ?? {})
    .filter(value => typeof value !== 'string')
    .flat()
  assert.ok(links.length >= 5)
  for (const { href, type } of links) {
    const found = await call(app.url, 'GET', href)
    expectStatus(found, 200)
    assert.ok(found.headers.get('content-type')?.startsWith(type), `${href} ${type}`)
  }
  const etag = answer.headers.get('etag') ?? ''
  const again = await call(app.url, 'GET', '/.well-known/api-catalog', { headers: { 'if-none-match': etag } })
  assert.equal(again.status, 304)
  const head = await call(app.url, 'HEAD', '/.well-known/api-catalog')
  assert.equal(head.headers.get('link'), answer.headers.get('link'))
  const { catalog: absolute } = await catalogOf(configured)
  assert.equal(absolute.linkset[0]?.anchor, 'https://memory.example/api/discovery')
  assert.equal(absolute.linkset[0]?.['service-desc'][0]?.href, 'https://memory.example/openapi.json')
})

type AiCatalog = {
  specVersion: string
  entries: { identifier: string; displayName: string; type: string; url: string }[]
}
type Remote = { type: string; url: string; variables?: Record<string, unknown> }
type Card = { $schema: string; name: string; title: string; version: string; description: string; remotes: Remote[] }

/** Follows the AI catalog of a service to its server card. */
async function cardOf(at: Pick<TestApp, 'url'>, base: string) {
  const answer = await call(at.url, 'GET', '/.well-known/ai-catalog.json', {
    headers: { origin: 'https://web.example' },
  })
  expectStatus(answer, 200)
  assert.equal(answer.headers.get('content-type'), 'application/ai-catalog+json')
  assert.equal(answer.headers.get('access-control-allow-origin'), '*')
  const { specVersion, entries } = JSON.parse(answer.text) as AiCatalog
  assert.equal(specVersion, '1.0')
  const [entry, ...others] = entries
  assert.ok(entry !== undefined && others.length === 0)
  assert.ok(entry.url.startsWith(`${base}/`), entry.url)
  const found = await call(at.url, 'GET', entry.url.slice(base.length), { headers: { accept: entry.type } })
  expectStatus(found, 200)
  assert.equal(found.headers.get('content-type'), entry.type)
  assert.equal((await call(at.url, 'GET', '/mcp/server-card')).text, found.text)
  return { entry, card: JSON.parse(found.text) as Card }
}

test('the AI catalog names a server card, and the card an MCP endpoint with the same description', async () => {
  const { card, entry } = await cardOf(app, '')
  assert.equal(entry.type, 'application/mcp-server-card+json')
  assert.equal(card.$schema, 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json')
  assert.match(card.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  assert.ok(card.description.length <= 100)
  const [remote] = card.remotes
  assert.equal(remote?.type, 'streamable-http')
  assert.deepEqual(Object.keys(remote?.variables ?? {}), ['origin'])
  const address = new URL((remote?.url ?? '').replace('{origin}', app.url))
  const body = {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
  }
  const headers = { accept: 'application/json, text/event-stream' }
  const opened = await call(address.origin, 'POST', address.pathname, { body, headers })
  expectStatus(opened, 200)
  const { title, version } = JSON.parse(opened.text.replace(/^[^{]*/, '')).result.serverInfo
  assert.deepEqual([title, version], [card.title, card.version])
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.deepEqual([card.name, card.version], [manifest.mcpName, manifest.version])
})

test('with PUBLIC_URL the catalog and the card have absolute addresses', async () => {
  const { card, entry } = await cardOf(configured, 'https://memory.example')
  assert.equal(entry.identifier, 'urn:air:memory.example:palimpsest')
  assert.deepEqual(
    card.remotes.map(({ url, variables }) => [url, variables]),
    [['https://memory.example/mcp', undefined]],
  )
})

test('security.txt exists if a contact is set, and expires in the future', async () => {
  expectProblem(await call(app.url, 'GET', '/.well-known/security.txt'), 404, 'ROUTE_NOT_FOUND')
  const read = async () => {
    const answer = await call(configured.url, 'GET', '/.well-known/security.txt')
    expectStatus(answer, 200)
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
    return answer.text
  }
  const text = await read()
  assert.match(
    text,
    /^Contact: mailto:security@example\.org\nExpires: .+\nPreferred-Languages: en\nCanonical: https:\/\/memory\.example\/\.well-known\/security\.txt\n$/,
  )
  const expiresOf = (one: string): number => Date.parse(/^Expires: (.+)$/m.exec(one)?.[1] ?? '')
  const left = expiresOf(text) - Date.now()
  assert.ok(left > 170 * DAY && left < 365 * DAY, String(left))
  assert.equal(await read(), text)
  configured.advance(200 * DAY)
  assert.ok(expiresOf(await read()) - expiresOf(text) >= 199 * DAY)
})
