import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { test } from 'node:test'
import type { ActorIssued, Entry, Stats } from '../../src/contract/resources.ts'
import { startApp, useApp } from '../support/app.ts'
import { type Answer, call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { AS_ADMIN, moderate } from '../support/moderation.ts'

const HOUR = 3_600_000

let token: string
let actorId: string
const app = useApp({}, async () => {
  const issued = await newActor(app.url)
  token = issued.token
  actorId = issued.actor.id
})

const send = (path: string, key: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
  call(app.url, 'POST', path, {
    body,
    headers: {
      ...(path === '/api/actors' || path.startsWith('/api/admin') ? {} : { 'x-actor-token': token }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...headers,
    },
  })
const writing = (title: string) => ({ title, content: `Content of ${title}`, summary: 'A summary' })
/** Sends an entry with several keys, each in its own field. Returns the text of the answer. */
const twice = (keys: string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-actor-token': token, 'idempotency-key': keys }
    const sent = request(`${app.url}/api/entries`, { method: 'POST', headers }, response => {
      let text = ''
      response.on('data', chunk => {
        text += chunk
      })
      response.on('end', () => resolve(text))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(writing('Two keys')))
  })
const stats = async (): Promise<Stats> => expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200)
const counted = async (): Promise<number[]> => {
  const { entries, revisions, verifications, contradictions, relations, externalInteractions } = await stats()
  return [entries, revisions, verifications, contradictions, relations, externalInteractions]
}

/** Asserts that an answer is a stored one. */
function assertReplay(answer: Answer, first: Answer): void {
  assert.equal(answer.status, first.status, answer.text)
  assert.equal(answer.text, first.text)
  for (const field of ['etag', 'location', 'content-type', 'cache-control']) {
    assert.equal(answer.headers.get(field), first.headers.get(field), field)
  }
  assert.equal(answer.headers.get('idempotency-replayed'), 'true')
  assert.equal(first.headers.get('idempotency-replayed'), null)
}

test('every POST returns the first answer to the same key and request, and has one effect', async () => {
  const entry = await newEntry(app.url, token, { title: 'Of retries' })
  const other = await newEntry(app.url, token)
  const at = `/api/entries/${entry.slug}`
  const { currentRevisionId: revisionId } = entry
  const rationale = 'Tried it.'
  const calls: [path: string, body: unknown, headers?: Record<string, string>][] = [
    ['/api/actors', { declaredName: 'Once' }],
    ['/api/entries', { ...writing('Created once'), tags: ['once'], sources: [{ entryId: entry.id, revisionId }] }],
    [`${at}/revisions`, revisionOf(entry)],
    [`${at}/verify`, { revisionId, result: 'SUPPORTED', confidence: 0.5, rationale }],
    [`${at}/contradict`, { revisionId, rationale, sourceEntryId: other.id }],
    ['/api/relations', { sourceEntryId: entry.id, targetEntryId: other.id, relationType: 'CONNECT', rationale }],
    ['/api/admin/moderate', { targetType: 'ENTRY', targetId: other.id, action: 'BLOCK', reason: rationale }, AS_ADMIN],
  ]
  for (const [path, body, headers] of calls) {
    const key = randomUUID()
    const first = await send(path, key, body, headers)
    assert.ok([200, 201].includes(first.status), `${path}: ${first.text}`)
    const counts = await counted()
    for (let again = 0; again < 2; again += 1) assertReplay(await send(path, key, body, headers), first)
    assert.deepEqual(await counted(), counts, path)
  }
})

test('a retry is recognised in any spelling of its JSON and of its key', async () => {
  const key = randomUUID()
  const first = await send('/api/entries', key, writing('Spelling'))
  expectStatus(first, 201)
  const { title, content, summary } = writing('Spelling')
  const raw = `{ "summary": ${JSON.stringify(summary)},\n"content":${JSON.stringify(content)}, "title": "Spell\\u0069ng" }`
  assert.equal(JSON.parse(raw).title, title)
  const options = { raw, token, headers: { 'idempotency-key': `"${key}"` } }
  assertReplay(await call(app.url, 'POST', '/api/entries', options), first)
})

test('another request with an answered key is 422, and the first answer stays', async () => {
  const entry = await newEntry(app.url, token)
  const key = randomUUID()
  const first = await send('/api/entries', key, writing('First'))
  expectStatus(first, 201)
  const reused = async (path: string, body: unknown) =>
    expectProblem(await send(path, key, body), 422, 'IDEMPOTENCY_KEY_REUSED')
  await reused('/api/entries', writing('Second'))
  await reused(`/api/entries/${entry.slug}/revisions`, revisionOf(entry))
  assertReplay(await send('/api/entries', key, writing('First')), first)
  // A request about another entry is another request, although the body is the same.
  const evidence = { revisionId: entry.currentRevisionId, rationale: 'No' }
  const own = randomUUID()
  expectStatus(await send(`/api/entries/${entry.slug}/contradict`, own, evidence), 201)
  const elsewhere = await send('/api/entries/nowhere/contradict', own, evidence)
  expectProblem(elsewhere, 422, 'IDEMPOTENCY_KEY_REUSED')
})

test('a key belongs to its caller: with another token it is a new key', async () => {
  const key = randomUUID()
  const one = expectStatus(await send('/api/entries', key, writing('Shared key')), 201)
  const { token: other } = await newActor(app.url)
  const two = expectStatus(await send('/api/entries', key, writing('Shared key'), { 'x-actor-token': other }), 201)
  assert.notEqual(two.id, one.id)
  const actor = expectStatus(await send('/api/actors', key, {}), 201) as unknown as ActorIssued
  const again = expectStatus(await send('/api/actors', key, {}), 201) as unknown as ActorIssued
  assert.equal(again.token, actor.token)
})

test('50 simultaneous requests with one key have one effect; the refused ones get REQUEST_IN_PROGRESS', async () => {
  for (const [path, body] of [
    ['/api/entries', { ...writing('At once'), tags: ['at once'] }],
    ['/api/actors', { declaredName: 'At once' }],
  ] as const) {
    const before = await stats()
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(path, key, body)))
    const done = answers.filter(({ status }) => status === 201)
    assert.ok(done.length >= 1)
    assert.equal(new Set(done.map(({ text }) => text)).size, 1)
    assert.equal(done.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1)
    for (const answer of answers) {
      if (answer.status === 201) continue
      expectProblem(answer, 409, 'REQUEST_IN_PROGRESS')
      assert.equal(answer.headers.get('retry-after'), '1')
      assert.equal(answer.headers.get('etag'), null)
    }
    const { entries, observedActors } = await stats()
    assert.equal(entries + observedActors, before.entries + before.observedActors + 1)
  }
})

test('of two different simultaneous requests with one key one is done and the other refused', async () => {
  const key = randomUUID()
  const answers = await Promise.all(['One', 'Other'].map(title => send('/api/entries', key, writing(title))))
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, 422])
})

test('a refusal is not stored: the same key can be used again', async () => {
  const entry = await newEntry(app.url, token)
  const key = randomUUID()
  const body = revisionOf(entry)
  await moderate(app.url, 'ENTRY', entry.id, 'BLOCK')
  const path = `/api/entries/${entry.slug}/revisions`
  expectProblem(await send(path, key, body), 403, 'ENTRY_LOCKED')
  expectProblem(await send(path, key, { ...body, rationale: 'Other' }), 403, 'ENTRY_LOCKED')
  await moderate(app.url, 'ENTRY', entry.id, 'UNBLOCK')
  const first = await send(path, key, body)
  expectStatus(first, 201)
  assertReplay(await send(path, key, body), first)
})

test('the stored answer does not change with later changes of entry and actor', async () => {
  const key = randomUUID()
  const first = await send('/api/entries', key, writing('Much happened since'))
  const entry = expectStatus(first, 201) as unknown as Entry
  expectStatus(await send(`/api/entries/${entry.slug}/revisions`, undefined, revisionOf(entry)), 201)
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  await moderate(app.url, 'ACTOR', actorId, 'BLOCK')
  const again = await send('/api/entries', key, writing('Much happened since'))
  await moderate(app.url, 'ACTOR', actorId, 'UNBLOCK')
  assertReplay(again, first)
})

test('a replay is charged like any write, and no cooldown refuses it', async () => {
  await using strict = await startApp({ COOLDOWN_SECONDS: '3600', WRITE_LIMIT_PER_MINUTE: '6' })
  const left = ({ headers }: Answer) => Number(/"write-origin";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
  const post = (path: string, key: string, body: unknown, own?: string) =>
    call(strict.url, 'POST', path, {
      body,
      headers: { 'idempotency-key': key },
      ...(own === undefined ? {} : { token: own }),
    })
  const key = randomUUID()
  const first = await post('/api/actors', key, {})
  const again = await post('/api/actors', key, {})
  assertReplay(again, first)
  assert.deepEqual([left(first), left(again)], [5, 4])
  const own = String(first.body.token)
  const created = await post('/api/entries', key, writing('Cooling'), own)
  assertReplay(await post('/api/entries', key, writing('Cooling'), own), created)
  const cooling = await post('/api/entries', randomUUID(), writing('Cooling'), own)
  expectProblem(cooling, 429, 'COOLDOWN')
  assertReplay(await post('/api/entries', key, writing('Cooling'), own), created)
  expectStatus(await post('/api/entries', '', {}, own), 400)
  expectProblem(await post('/api/entries', key, writing('Cooling'), own), 429, 'RATE_LIMITED')
})

test('a key is 1 to 255 printable characters, sent once, bare or quoted; reads ignore it', async () => {
  const good = ['k', 'k'.repeat(255), '"quoted with spaces"', '"a \\"b\\" \\\\"', `"${'q'.repeat(255)}"`, 'a,b;c=:d"']
  const bad = ['', 'k'.repeat(256), `"${'q'.repeat(256)}"`, '""', '"open', '"a"b', '"a";p=1', 'a b', '"\\n"', 'ключ']
  const wire = (key: string) => Buffer.from(key).toString('latin1')
  for (const key of good) expectStatus(await send('/api/entries', wire(key), writing(key.slice(0, 50))), 201)
  const before = await counted()
  for (const key of bad) {
    expectProblem(await send('/api/entries', wire(key), writing('Bad key')), 400, 'INVALID_IDEMPOTENCY_KEY')
  }
  assert.deepEqual(await counted(), before)
  // If the answer has a token, a guessed key would return it.
  expectProblem(await send('/api/actors', 'k'.repeat(15), {}), 400, 'INVALID_IDEMPOTENCY_KEY')
  expectStatus(await send('/api/actors', 'k'.repeat(16), {}), 201)
  for (const keys of [
    ['one', 'two'],
    ['"one"', '"two"'],
  ]) {
    const refused = await twice(keys)
    assert.match(refused, /INVALID_IDEMPOTENCY_KEY/)
  }
  expectStatus(await call(app.url, 'GET', '/api/stats', { headers: { 'idempotency-key': '' } }), 200)
})

test('a retry is recognised after a restart, and for 24 hours of service', async () => {
  const key = randomUUID()
  const first = await send('/api/actors', key, { declaredName: 'Restarted' })
  expectStatus(first, 201)
  await app.restart()
  assertReplay(await send('/api/actors', key, { declaredName: 'Restarted' }), first)
  app.advance(24 * HOUR)
  await app.sweep(24 * HOUR)
  assertReplay(await send('/api/actors', key, { declaredName: 'Restarted' }), first)
  app.advance(HOUR)
  await app.sweep(HOUR)
  const later = await send('/api/actors', key, { declaredName: 'Restarted' })
  expectStatus(later, 201)
  assert.notEqual(later.text, first.text)
  assertReplay(await send('/api/actors', key, { declaredName: 'Restarted' }), later)
})
