import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { TRUST } from '../../src/contract/vocabulary.ts'
import { startApp, useApp } from '../support/app.ts'
import { call, columnOf, expectStatus, newActor } from '../support/client.ts'

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const CAPABILITIES = 'READ SEARCH CREATE EXPAND CORRECT VERIFY CONTRADICT CONNECT SYNTHESIZE'.split(' ')

const app = useApp({ READ_LIMIT_PER_MINUTE: '4321', WRITE_LIMIT_PER_MINUTE: '1234', COOLDOWN_SECONDS: '0' })

/** The version of a compressed document is weak (compression.test.ts). */
const PLAIN = { 'accept-encoding': 'identity' }
const get = (path: string, headers: Record<string, string> = {}) =>
  call(app.url, 'GET', path, { headers: { ...PLAIN, ...headers } })
/** The body of an answer to a request with a Host field of its own, which fetch does not send. */
async function askedAs(host: string, path: string): Promise<string> {
  const request = http.get(new URL(path, app.url), { headers: { host }, agent: false })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  assert.equal(response.statusCode, 200)
  return text(response)
}
type Document = {
  recommendedFlow: string[]
  guideDigest: Record<string, string>
  observationSemantics: Record<string, string>
}

test('discovery has exactly the documented content, with the configured limits', async () => {
  const answer = await call<Document>(app.url, 'GET', '/api/discovery')
  const { recommendedFlow, observationSemantics, guideDigest, ...rest } = expectStatus(answer, 200)
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.deepEqual(rest, {
    name: 'Palimpsest',
    protocol: 'shared-memory/0.1',
    openapi: '/openapi.json',
    agents: '/agents',
    instructions: '/agents.md',
    llms: '/llms.txt',
    contentTrust: TRUST.contentTrust,
    dataClass: 'EXTERNAL',
    identity: TRUST.identityTrust,
    startHere: '/agents.md',
    capabilities: CAPABILITIES,
    limits: {
      bodyBytes: 32_768,
      contentCharacters: 20_000,
      readPerMinute: 4_321,
      writePerMinute: 1_234,
      cooldownSeconds: 0,
    },
  })
  for (const [name, path] of Object.entries({ instructions: '/agents.md', llms: '/llms.txt' })) {
    const guide = await get(path)
    const [, above = '', digest] = /^(.*\n)[^\n]*: ([0-9a-f]{64})\n$/s.exec(guide.text) ?? []
    assert.equal(digest, createHash('sha256').update(above).digest('hex'), path)
    assert.equal(guideDigest[name], digest, path)
    assert.equal(guide.headers.get('etag'), `"${digest}"`)
  }
  const semantics = ['externalInteractions', 'observedActors', 'recurrentActors']
  assert.deepEqual(Object.keys(observationSemantics).sort(), semantics)
  for (const name of semantics) assert.ok((observationSemantics[name] ?? '').length > 20)
  const steps = [
    /discover/i,
    /search/i,
    /evidence/i,
    /POST \/api\/actors/,
    /previousRevisionId/,
    /verify/,
    /relat/i,
    /409.*429/,
  ]
  assert.equal(recommendedFlow.length, steps.length)
  steps.forEach((step, n) => {
    assert.match(recommendedFlow[n] ?? '', step)
  })
})

test('every address that discovery names exists, and the Host header is never trusted', async () => {
  const body = expectStatus(await get('/api/discovery'), 200)
  assert.equal(await askedAs('evil.example', '/api/discovery'), JSON.stringify(body))
  for (const name of ['openapi', 'agents', 'instructions', 'llms', 'startHere']) {
    const plain = await get(String(body[name]))
    expectStatus(plain, 200)
    assert.equal(await askedAs('evil.example', String(body[name])), plain.text, name)
  }
})

test('the default limits are those of the contract', async () => {
  await using plain = await startApp({
    READ_LIMIT_PER_MINUTE: '120',
    WRITE_LIMIT_PER_MINUTE: '10',
    COOLDOWN_SECONDS: '3',
  })
  const { limits } = expectStatus(await call(plain.url, 'GET', '/api/discovery'), 200)
  assert.deepEqual(limits, {
    bodyBytes: 32_768,
    contentCharacters: 20_000,
    readPerMinute: 120,
    writePerMinute: 10,
    cooldownSeconds: 3,
  })
})

test('guides have their media types and an ETag, and ignore unknown parameters', async () => {
  const types = {
    '/openapi.json': 'application/json; charset=utf-8',
    '/agents': 'text/html; charset=utf-8',
    '/agents.md': 'text/markdown; charset=utf-8',
    '/skill.md': 'text/markdown; charset=utf-8',
    '/llms.txt': 'text/plain; charset=utf-8',
  }
  for (const [path, type] of Object.entries(types)) {
    const answer = await get(path)
    expectStatus(answer, 200)
    assert.equal(answer.headers.get('content-type'), type, path)
    assert.match(answer.headers.get('etag') ?? '', /^"[^"]+"$/)
    assert.equal(answer.headers.get('ratelimit'), null)
    assert.equal((await get(`${path}?unknown=1&unknown=2`)).text, answer.text)
  }
  const [guide, alias] = [await get('/agents.md'), await get('/skill.md')]
  assert.equal(alias.text, guide.text)
  assert.equal(alias.headers.get('etag'), guide.headers.get('etag'))
})

test('a page that reads nothing is the same under every spelling of its address, with one version', async () => {
  for (const path of ['/docs/api', '/docs/errors', '/docs/errors/RATE_LIMITED', '/publish', '/robots.txt']) {
    const [other, first] = [
      await get(path.replace(/.$/, last => `%${last.charCodeAt(0).toString(16)}`)),
      await get(path),
    ]
    expectStatus(other, 200)
    assert.equal(other.text, first.text, path)
    assert.equal(other.headers.get('etag'), first.headers.get('etag'), path)
    assert.equal((await get(path, { 'if-none-match': first.headers.get('etag') ?? '' })).status, 304, path)
  }
  expectStatus(await get('/docs/errors/NONE'), 404)
})

test('/agents is a page, or JSON for clients that accept it', async () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const page = await get('/agents', { accept: browser })
  assert.match(page.text, /^<!doctype html>/i)
  const json = await get('/agents', { accept: 'application/json' })
  assert.equal(json.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(expectStatus(json, 200).name, 'Palimpsest')
  assert.notEqual(json.headers.get('etag'), page.headers.get('etag'))
  for (const answer of [page, json]) assert.match(answer.headers.get('vary') ?? '', /accept/i)
  assert.match((await get('/agents', { accept: '*/*' })).headers.get('content-type') ?? '', /^text\/html/)
})

test('/llms.txt has the form of llmstxt.org, and the guides name the configured limits', async () => {
  const { text: llms } = await get('/llms.txt')
  assert.match(llms, /^# Palimpsest\n\n> /)
  assert.match(llms, /\n## [^\n]+\n\n- \[[^\]]+\]\([^)]+\)/)
  for (const [, address = ''] of llms.matchAll(/\]\((\/[^)]*)\)/g)) expectStatus(await get(address), 200)
  for (const path of ['/llms.txt', '/agents.md']) assert.match((await get(path)).text, /4321.*1234/s)
  for (const path of ['/llms.txt', '/agents.md']) {
    const { text } = await get(path)
    for (const rule of [
      /letters, digits, spaces and hyphens only/,
      /q takes at most 200 characters/,
      /token.* read.*public/i,
    ]) {
      assert.match(text, rule, path)
    }
  }
  const guide = (await get('/agents.md')).text
  for (const word of ['X-Actor-Token', 'previousRevisionId', 'STALE_REVISION', 'RATE_LIMITED']) {
    assert.ok(guide.includes(word), word)
  }
})

test('every guide names every public operation, and none of the administrator', async () => {
  const names = (text: string, { method, path }: { method: string; path: string }): boolean =>
    text
      .split(`${method} ${path}`)
      .slice(1)
      .some(rest => !/^[/{\w]/.test(rest))
  for (const guide of ['/llms.txt', '/agents.md', '/skill.md', '/agents']) {
    const { text } = await get(guide)
    for (const operation of Object.values(OPERATIONS)) {
      assert.equal(
        names(text, operation),
        operation.access !== 'admin',
        `${guide}: ${operation.method} ${operation.path}`,
      )
    }
  }
  const json = expectStatus(await get('/agents', { accept: 'application/json' }), 200) as unknown as {
    operations: { name: string }[]
  }
  const open = Object.entries(OPERATIONS).filter(([, { access }]) => access !== 'admin')
  assert.deepEqual(
    columnOf(json.operations, 'name'),
    open.map(([name]) => name),
  )
  assert.ok(Buffer.byteLength((await get('/llms.txt')).text) < 8_000)
})

test('every answer has a new request id, never one that was sent', async () => {
  const sent = '11111111-1111-4111-8111-111111111111'
  const seen = new Set<string>()
  const paths = ['/api/discovery', '/api/entries', '/api/none', '/health', '/agents.md', '/api/entries?limit=0', '/%zz']
  for (const path of [...paths, ...paths]) {
    const id = (await get(path, { 'x-request-id': sent, 'request-id': sent })).headers.get('x-request-id') ?? ''
    assert.match(id, REQUEST_ID, path)
    assert.notEqual(id, sent)
    seen.add(id)
  }
  assert.equal(seen.size, 2 * paths.length)
})

test('nothing sets a cookie', async () => {
  const { token } = await newActor(app.url)
  for (const path of ['/api/discovery', '/api/entries', '/agents', '/health', '/api/none']) {
    const answer = await call(app.url, 'GET', path, { token })
    assert.equal(answer.headers.get('set-cookie'), null)
  }
})
