import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { STREAMS } from '../../src/contract/limits.ts'
import type { Entry } from '../../src/contract/resources.ts'
import { LOCAL_URL, LocalTransport, socketPath } from '../../src/local-socket.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, revisionOf } from '../support/client.ts'
import { AS_ADMIN } from '../support/moderation.ts'
import { makeDirectory, startServer } from '../support/process.ts'
import { actorFrom, assertRefused, callerFrom, expectOk, left, list, type Options, standings } from './rate-limits.ts'

const READS = 6
const WRITES = 4
const MINUTE = 60_000

/** The clock advances only by a test, so that no quota is restored in between. */
const at = Date.now()

let app: TestApp
before(async () => {
  app = await startApp(
    {
      READ_LIMIT_PER_MINUTE: String(READS),
      WRITE_LIMIT_PER_MINUTE: String(WRITES),
      TRUSTED_PROXIES: '127.0.0.0/8',
    },
    { now: () => at },
  )
})
after(() => app.close())

let made = 0
const address = (): string => `203.0.113.${++made}`
const from = (origin: string) => callerFrom(app, origin)
const entryBody = () => ({ title: `Limit ${++made}`, content: 'c', summary: 's' })

test('an admitted request is charged with any outcome', async () => {
  const setUp = from(address())
  const token = await actorFrom(setUp)
  const entry = expectStatus(await setUp('POST', '/api/entries', { token, body: entryBody() }), 201) as unknown as Entry
  const other = expectStatus(await setUp('POST', '/api/entries', { token, body: entryBody() }), 201) as unknown as Entry
  app.advance(MINUTE)
  const stale = revisionOf({ ...entry, currentRevisionId: other.currentRevisionId })
  const at = `/api/entries/${entry.slug}`
  const failures: [number, string, string, Options][] = [
    [404, 'GET', '/api/entries/no-such-entry', {}],
    [400, 'GET', '/api/entries?limit=0', {}],
    [400, 'GET', '/api/entries/%00', {}],
    [401, 'GET', '/api/entries', { token: 'plm_wrong' }],
    [401, 'POST', '/api/entries', { body: entryBody() }],
    [400, 'POST', '/api/entries', { token, body: {} }],
    [400, 'POST', '/api/actors', { raw: '{', headers: { 'content-type': 'application/json' } }],
    [415, 'POST', '/api/entries', { token, raw: 'x', headers: { 'content-type': 'text/plain' } }],
    [413, 'POST', '/api/actors', { raw: ' '.repeat(40_000), headers: { 'content-type': 'application/json' } }],
    [409, 'POST', `${at}/revisions`, { token, body: stale }],
    [404, 'POST', '/api/entries/no-such-entry/revisions', { token, body: stale }],
    [
      422,
      'POST',
      '/api/relations',
      { token, body: { sourceEntryId: entry.id, targetEntryId: entry.id, relationType: 'CONNECT', rationale: 'r' } },
    ],
    [401, 'GET', '/api/admin/snapshot', { headers: { authorization: 'Bearer wrong' } }],
    [404, 'GET', '/api/admin/entries/no-such-entry', { headers: AS_ADMIN }],
  ]
  for (const [status, method, path, options] of failures) {
    const visit = from(address())
    const answer = await visit(method, path, options)
    assert.equal(answer.status, status, `${method} ${path} ${answer.text}`)
    const charged = status === 401 && path.startsWith('/api/admin/') ? 'write' : method === 'POST' ? 'write' : 'read'
    const quota = charged === 'write' ? WRITES : READS
    assert.equal(left(answer, `${charged}-origin`), quota - 1, `${method} ${path}`)
    if (options.token === token) assert.ok((left(answer, 'write-token') ?? WRITES) < WRITES)
    app.advance(MINUTE)
  }
})

test('a request refused by the limit is not charged', async () => {
  const visit = from(address())
  for (let n = 0; n < READS; n++) await list(visit)
  for (let n = 0; n < 30; n++) {
    assertRefused(await list(visit))
    app.advance(1_000)
  }
  app.advance(31_000)
  assert.equal(left(expectOk(await list(visit)), 'read-origin'), READS - 1)
})

test('the limit is checked before the token, and an unknown path before the limit', async () => {
  const visit = from(address())
  for (let n = 0; n < WRITES; n++) expectStatus(await visit('POST', '/api/entries', { body: {} }), 401)
  assertRefused(await visit('POST', '/api/entries', { body: {} }))
  assertRefused(await visit('POST', '/api/entries', { token: 'plm_wrong', body: {} }))
  expectProblem(await visit('POST', '/api/nothing'), 404, 'ROUTE_NOT_FOUND')
  expectProblem(await visit('DELETE', '/api/entries'), 404, 'ROUTE_NOT_FOUND')
})

test('a failed bearer is charged as a write of the origin, so that guessing is slow', async () => {
  const visit = from(address())
  const guess = (n: number) => visit('GET', '/api/admin/snapshot', { headers: { authorization: `Bearer guess-${n}` } })
  for (let n = 0; n < WRITES; n++) {
    const answer = await guess(n)
    expectProblem(answer, 401, 'ADMIN_TOKEN_INVALID')
    assert.deepEqual(standings(answer), { 'write-origin': { r: WRITES - n - 1, t: 60 } })
  }
  assertRefused(await guess(WRITES))
  assertRefused(await visit('POST', '/api/actors', { body: {} }))
  // With the right token reading is a read, and moderating a write like others.
  const read = await visit('GET', '/api/admin/snapshot', { headers: AS_ADMIN })
  assert.equal(left(expectOk(read), 'read-origin'), READS - 1)
  const body = { targetType: 'ENTRY', targetId: 'x', action: 'HIDE', reason: 'r' }
  assertRefused(await visit('POST', '/api/admin/moderate', { headers: AS_ADMIN, body }))
})

test('every message to /mcp is charged as a read, with any content, and is refused past the limit', async () => {
  const visit = from(address())
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const messages = [
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'none', arguments: {} } }),
    JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'no/method', params: {} }),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    '[]',
    '{',
  ]
  assert.equal(messages.length, READS)
  for (const [sent, raw] of messages.entries()) {
    const answer = await visit('POST', '/mcp', { raw, headers })
    assert.equal(left(answer, 'read-origin'), READS - sent - 1, raw)
  }
  const refused = await visit('POST', '/mcp', { raw: messages[0] as string, headers })
  expectStatus(refused, 429)
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  assert.match(refused.text, /^\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32000,"message":"RATE_LIMITED: /)
  assertRefused(await list(visit))
  // Requests of pages that may not call it, and bodies that are not messages, are not charged.
  const other = from(address())
  expectStatus(await other('POST', '/mcp', { raw: '{', headers: { ...headers, origin: 'https://evil.example' } }), 403)
  expectStatus(await other('GET', '/mcp'), 405)
  assert.equal(left(await list(other), 'read-origin'), READS - 1)
})

test('a request over the local socket has neither limits nor a cooldown', async t => {
  const limits = { READ_LIMIT_PER_MINUTE: '3', WRITE_LIMIT_PER_MINUTE: '3', COOLDOWN_SECONDS: '60' }
  await using app = await startApp(limits, { engine: 'embedded' })
  const { token } = await newActor(app.url)
  const transport = new LocalTransport(socketPath(app.dataDir))
  t.after(() => transport.close())
  const headers = { 'x-actor-token': token, 'content-type': 'application/json' }
  const send = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Response> => {
    const answer = await transport.fetch(`${LOCAL_URL}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    assert.equal(answer.headers.get('ratelimit'), null)
    assert.equal(answer.headers.get('ratelimit-policy'), null)
    return answer
  }
  for (let n = 0; n < 5; n++) {
    const text = { title: `Kettle ${n}`, summary: 'How to descale it.', content: 'Use vinegar.' }
    assert.equal((await send('POST', '/api/entries', text)).status, 201)
    assert.equal((await send('GET', `/api/entries/kettle-${n}`)).status, 200)
  }
  assert.equal((await send('POST', '/api/entries', { title: '' })).status, 400)
  const streams: Response[] = []
  for (let n = 0; n <= STREAMS.perOrigin; n++) streams.push(await send('GET', '/api/activity/stream'))
  assert.deepEqual([streams[0]?.status, streams.at(-1)?.status], [200, 429])
})

test('a killed process has stored the charge of the last write that it answered', async t => {
  const directory = makeDirectory()
  t.after(directory.remove)
  const env = { WRITE_LIMIT_PER_MINUTE: '40', COOLDOWN_SECONDS: '0' }
  const killed = await startServer(directory.path, { env })
  const { token } = await newActor(killed.url)
  const publish = (url: string, n: number) =>
    call(url, 'POST', '/api/entries', {
      token,
      body: { title: `Kettle ${n}`, summary: 'Old.', content: 'Descale it.' },
    })
  for (let n = 0; n < 3; n++) expectStatus(await publish(killed.url, n), 201)
  // In this time a timer saves the charges so far. It runs too rarely to save that of the next write before the kill.
  await setTimeout(500)
  const last = await publish(killed.url, 3)
  killed.kill('SIGKILL')
  await killed.ended
  expectStatus(last, 201)
  const restarted = await startServer(directory.path, { env })
  const { headers } = await publish(restarted.url, 4)
  // The actor, the four writes before the kill and this one are charged.
  assert.match(headers.get('ratelimit') ?? '', /"write-origin";r=34;/)
  await restarted.stop()
})
