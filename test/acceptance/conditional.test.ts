import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Entry } from '../../src/contract/resources.ts'
import { shareApp } from '../support/app.ts'
import { call, columnOf, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'

let token: string
let entry: Entry
const app = shareApp({}, async () => {
  token = (await newActor(app.url)).token
  entry = await newEntry(app.url, token)
})

/** The version of a compressed document is weak (compression.test.ts). */
const PLAIN = { 'accept-encoding': 'identity' }
const get = (path: string, headers: Record<string, string> = {}) =>
  call(app.url, 'GET', path, { headers: { ...PLAIN, ...headers } })
const ask = (path: string, ifNoneMatch: string) => get(path, { 'if-none-match': ifNoneMatch })
const etagOf = async (path: string): Promise<string> => {
  const answer = await get(path)
  expectStatus(answer, 200)
  const etag = answer.headers.get('etag') ?? ''
  assert.match(etag, /^"[\x21\x23-\x7e]+"$/, path)
  return etag
}
const GUIDES = ['/agents', '/agents.md', '/skill.md', '/llms.txt', '/openapi.json']

test('If-None-Match is parsed as a list, with weak tags and the star', async () => {
  const revision = `/api/entries/${entry.slug}/revisions/${entry.currentRevisionId}`
  for (const path of [`/api/entries/${entry.slug}`, `/api/entries/${entry.id}`, revision, ...GUIDES]) {
    const etag = await etagOf(path)
    for (const same of [etag, `W/${etag}`, '*', ` ${etag} `, `"other", ${etag}`, `W/"a",W/${etag},"b"`]) {
      const answer = await ask(path, same)
      assert.equal(answer.status, 304, `${path} ${same}`)
      assert.equal(answer.text, '')
      assert.equal(answer.headers.get('etag'), etag)
      assert.match(answer.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
    }
    for (const other of ['"other"', etag.slice(1, -1), '""', '', `"${etag}"`]) {
      assert.equal((await ask(path, other)).status, 200, `${path} ${other}`)
    }
  }
})

test('the ETag of an entry changes with its revision, that of a revision never', async () => {
  const made = await newEntry(app.url, token)
  const path = `/api/entries/${made.slug}`
  const revision = `${path}/revisions/${made.currentRevisionId}`
  const [first, fixed] = [await etagOf(path), await etagOf(revision)]
  expectStatus(await call(app.url, 'POST', `${path}/revisions`, { body: revisionOf(made), token }), 201)
  assert.equal((await ask(path, first)).status, 200)
  assert.notEqual(await etagOf(path), first)
  assert.equal(await etagOf(revision), fixed)
  assert.equal((await ask(revision, fixed)).status, 304)
})

test('evidence changes the ETag of an entry, which shows its standing', async () => {
  const made = await newEntry(app.url, token)
  const path = `/api/entries/${made.slug}`
  const etag = await etagOf(path)
  const body = { revisionId: made.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'r' }
  expectStatus(await call(app.url, 'POST', `${path}/verify`, { body, token }), 201)
  assert.equal((await ask(path, etag)).status, 200)
  assert.equal((await ask(path, await etagOf(path))).status, 304)
})

test('entries and revisions are revalidated on every use, lists and problems are not stored', async () => {
  const control = async (path: string): Promise<string> => (await get(path)).headers.get('cache-control') ?? ''
  const path = `/api/entries/${entry.slug}`
  for (const versioned of [path, `${path}/revisions/${entry.currentRevisionId}`]) {
    assert.equal(await control(versioned), 'public, no-cache', versioned)
  }
  for (const other of ['/api/entries', '/api/activity', '/api/stats', `${path}/evidence`, '/api/entries/none']) {
    assert.equal(await control(other), 'no-store', other)
  }
})

test('an answer 304 has the fields of the version and of limits, and those of CORS only for an Origin', async () => {
  const path = `/api/entries/${entry.slug}`
  const fieldsFor = async (headers: Record<string, string>): Promise<string[]> => [
    ...(await get(path, headers)).headers.keys(),
  ]
  const whole = await fieldsFor({})
  const unchanged = await fieldsFor({ 'if-none-match': '*' })
  for (const field of ['cache-control', 'date', 'etag', 'ratelimit', 'vary', 'x-request-id'])
    assert.ok(unchanged.includes(field), field)
  assert.deepEqual(
    whole.filter(field => !unchanged.includes(field)),
    [
      'access-control-allow-origin',
      'access-control-expose-headers',
      'content-length',
      'content-security-policy',
      'content-type',
      'log-records',
      'referrer-policy',
      'x-content-type-options',
    ],
  )
  const ofOrigin = await fieldsFor({ 'if-none-match': '*', origin: 'https://example.org' })
  assert.deepEqual(
    ofOrigin.filter(field => !unchanged.includes(field)),
    ['access-control-allow-origin', 'access-control-expose-headers'],
  )
})

test('a missing entry is 404 and a bad token 401 even with a star', async () => {
  expectProblem(await ask('/api/entries/none', '*'), 404, 'ENTRY_NOT_FOUND')
  const headers = { 'if-none-match': '*' }
  expectProblem(
    await call(app.url, 'GET', `/api/entries/${entry.slug}`, { headers, token: 'x' }),
    401,
    'ACTOR_TOKEN_INVALID',
  )
})

test('an answer 304 is not observed, a HEAD is observed', async () => {
  const made = await newEntry(app.url, token)
  const path = `/api/entries/${made.slug}`
  const interactions = async (): Promise<number> =>
    Number(expectStatus(await get('/api/stats'), 200).externalInteractions)
  const etag = await etagOf(path)
  const earlier = await interactions()
  assert.equal((await ask(path, etag)).status, 304)
  assert.equal(await interactions(), earlier)
  assert.equal((await call(app.url, 'HEAD', path)).status, 200)
  assert.equal(await interactions(), earlier + 1)
  const { items } = expectStatus(await call<{ items: Activity[] }>(app.url, 'GET', '/api/activity?limit=2'), 200)
  assert.ok(items.some(({ action, entryId }) => action === 'READ' && entryId === made.id))
})

test('HEAD has the answer of GET without a body', async () => {
  const path = `/api/entries/${entry.slug}`
  const paths = [path, `${path}/revisions`, `${path}/timeline`, '/api/entries?limit=1', '/api/activity?limit=1']
  for (const each of [...paths, '/api/discovery', '/health', '/ready', '/api/entries/none', ...GUIDES]) {
    const [got, headed] = [await get(each), await call(app.url, 'HEAD', each, { headers: PLAIN })]
    assert.equal(headed.status, got.status, each)
    assert.equal(headed.text, '')
    for (const field of ['content-type', 'etag', 'cache-control']) {
      assert.equal(headed.headers.get(field), got.headers.get(field), `${each} ${field}`)
    }
    assert.equal(headed.headers.has('link'), got.headers.has('link'), each)
  }
  const etag = await etagOf(path)
  assert.equal((await call(app.url, 'HEAD', path, { headers: { 'if-none-match': etag } })).status, 304)
  assert.equal((await call(app.url, 'HEAD', '/api/actors')).status, 404)
})

const ORIGIN = { origin: 'https://example.org' }
const list = (answer: { headers: Headers }, field: string): string[] =>
  (answer.headers.get(field) ?? '').toLowerCase().split(/\s*,\s*/)

test('any web page may read answers and problems of the public API, without credentials', async () => {
  const path = `/api/entries/${entry.slug}`
  const [etag, badToken] = [await etagOf(path), { ...ORIGIN, 'x-actor-token': 'x' }]
  const answers = [
    await get(path, ORIGIN),
    await get('/api/entries', ORIGIN),
    await get('/api/entries/none', ORIGIN),
    await get('/api/entries?limit=0', ORIGIN),
    await get('/api/nowhere', ORIGIN),
    await get(path, badToken),
    await get(path, { ...ORIGIN, 'if-none-match': etag }),
    await get('/health', ORIGIN),
    await get('/openapi.json', ORIGIN),
    await call(app.url, 'POST', '/api/actors', { body: {}, headers: ORIGIN }),
    await call(app.url, 'POST', '/api/entries', { body: {}, headers: ORIGIN, token }),
  ]
  assert.deepEqual(columnOf(answers, 'status'), [200, 200, 404, 400, 404, 401, 304, 200, 200, 201, 400])
  for (const answer of answers) {
    assert.equal(answer.headers.get('access-control-allow-origin'), '*', `${answer.status} ${answer.text.slice(0, 80)}`)
    assert.equal(answer.headers.get('access-control-allow-credentials'), null)
    const exposed = list(answer, 'access-control-expose-headers')
    for (const field of [
      'etag',
      'link',
      'retry-after',
      'ratelimit',
      'ratelimit-policy',
      'x-request-id',
      'idempotency-replayed',
    ]) {
      assert.ok(exposed.includes(field), field)
    }
  }
})

test('a preflight allows the headers of token and key and is neither charged nor observed', async () => {
  const preflight = (path: string, method: string, headers: string) =>
    call(app.url, 'OPTIONS', path, {
      headers: { ...ORIGIN, 'access-control-request-method': method, 'access-control-request-headers': headers },
    })
  const earlier = expectStatus(await get('/api/stats'), 200)
  for (const [path, method] of [
    ['/api/entries', 'POST'],
    [`/api/entries/${entry.slug}`, 'GET'],
    [`/api/entries/${entry.slug}/verify`, 'POST'],
  ] as const) {
    const answer = await preflight(path, method, 'content-type, x-actor-token, if-none-match, idempotency-key')
    assert.equal(answer.status, 204)
    assert.equal(answer.headers.get('access-control-allow-origin'), '*')
    assert.ok(list(answer, 'access-control-allow-methods').includes(method.toLowerCase()))
    const allowed = list(answer, 'access-control-allow-headers')
    for (const field of ['content-type', 'x-actor-token', 'if-none-match', 'idempotency-key'])
      assert.ok(allowed.includes(field), field)
    assert.equal(answer.headers.get('ratelimit'), null)
  }
  assert.deepEqual(expectStatus(await get('/api/stats'), 200), earlier)
})

test('OPTIONS without a preflight gets the same answer, on admin paths the error shape', async () => {
  for (const path of ['/api/entries', '/health']) {
    for (const headers of [{}, ORIGIN]) {
      const answer = await call(app.url, 'OPTIONS', path, { headers })
      assert.deepEqual([answer.status, answer.text], [204, ''])
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
    }
  }
  expectProblem(await call(app.url, 'OPTIONS', '/api/admin/snapshot'), 404, 'ROUTE_NOT_FOUND')
})
