import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { ActorIssued, Entry } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { type Answer, call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

const app = useApp()

const rotate = (token: string, key?: string, body: unknown = {}): Promise<Answer> =>
  call(app.url, 'POST', '/api/actors/rotate', {
    body,
    token,
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })
const issuedBy = async (answer: Promise<Answer>): Promise<ActorIssued> =>
  expectStatus(await answer, 200) as unknown as ActorIssued
const dead = async (token: string): Promise<void> => {
  expectProblem(await call(app.url, 'GET', '/api/stats', { token }), 401, 'ACTOR_TOKEN_INVALID')
  const body = { title: 'T', content: 'C', summary: 'S' }
  expectProblem(await call(app.url, 'POST', '/api/entries', { token, body }), 401, 'ACTOR_TOKEN_INVALID')
}

test('a new token is for the same actor, and the previous one is invalid at once', async () => {
  const { actor, token } = await newActor(app.url, { actorType: 'AGENT', declaredName: 'Turner' })
  const entry = await newEntry(app.url, token)
  const issued = await issuedBy(rotate(token))
  assert.equal(issued.actor.id, actor.id)
  assert.deepEqual(issued.actor.declared, actor.declared)
  assert.notEqual(issued.token, token)
  await dead(token)
  const answer = await call<Entry>(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, {
    token: issued.token,
    body: revisionOf(entry),
  })
  assert.equal(expectStatus(answer, 201).actor.id, actor.id)
  expectStatus(await call(app.url, 'GET', '/api/stats', { token: issued.token }), 200)
})

test('a token that was read with before is refused from its rotation on, also after other writes', async () => {
  let { token } = await newActor(app.url)
  for (let n = 0; n < 3; n++) {
    for (let read = 0; read < 3; read++) expectStatus(await call(app.url, 'GET', '/api/entries', { token }), 200)
    const issued = await issuedBy(rotate(token))
    for (let read = 0; read < 3; read++) await dead(token)
    await newEntry(app.url, issued.token)
    await dead(token)
    token = issued.token
  }
})

test('a rotation is in the log by the actor, not in the feed, and counts as a write', async () => {
  const { actor, token } = await newActor(app.url)
  const feed = async () => expectStatus(await call(app.url, 'GET', '/api/activity'), 200)
  const before = await feed()
  const answer = await rotate(token)
  const issued = await issuedBy(Promise.resolve(answer))
  assert.match(answer.headers.get('ratelimit-policy') ?? '', /write-token/)
  assert.deepEqual(await feed(), before)
  const lines = app.log().split('\n')
  const audits = lines.filter(line => line.includes('TOKEN_ROTATED') && line.includes(actor.id))
  assert.equal(audits.length, 1)
  assert.match(String(audits[0]), new RegExp(String(answer.headers.get('x-request-id'))))
  for (const secret of [token, issued.token]) assert.ok(!app.log().includes(secret))
})

test('a lost answer is repeated to the previous token with its key, for 24 hours of service, and to no other request', async () => {
  const { actor, token } = await newActor(app.url)
  const key = randomUUID()
  const first = await rotate(token, key)
  const issued = await issuedBy(Promise.resolve(first))
  for (const spelling of [key, `"${key}"`]) {
    const again = await rotate(token, spelling)
    assert.equal(again.status, 200, again.text)
    assert.equal(again.text, first.text)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
  }
  await dead(token)
  expectProblem(await rotate(token), 401, 'ACTOR_TOKEN_INVALID')
  expectProblem(await rotate(token, randomUUID()), 401, 'ACTOR_TOKEN_INVALID')
  expectProblem(await rotate(token, 'short'), 401, 'ACTOR_TOKEN_INVALID')
  // The key opens nothing else with the old token.
  const body = { title: 'T', content: 'C', summary: 'S' }
  const headers = { 'idempotency-key': key }
  expectProblem(await call(app.url, 'POST', '/api/entries', { token, body, headers }), 401, 'ACTOR_TOKEN_INVALID')
  // To the new token the same key is a key of its own.
  const next = await issuedBy(rotate(issued.token, key))
  assert.equal(next.actor.id, actor.id)
  assert.notEqual(next.token, issued.token)
  app.advance(DAY + HOUR)
  await app.sweep(DAY + HOUR)
  expectProblem(await rotate(token, key), 401, 'ACTOR_TOKEN_INVALID')
  expectStatus(await call(app.url, 'GET', '/api/stats', { token: next.token }), 200)
})

test('of 20 simultaneous rotations one returns the valid token, with a shared key or without keys', async () => {
  for (const key of [undefined, randomUUID()]) {
    const { token } = await newActor(app.url)
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(token, key)))
    const tokens = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => String(body.token)))
    assert.equal(tokens.size, 1)
    for (const answer of answers) assert.ok([200, key === undefined ? 401 : 409].includes(answer.status), answer.text)
    for (const live of tokens) expectStatus(await call(app.url, 'GET', '/api/stats', { token: live }), 200)
    await dead(token)
  }
})

test('writes of the previous token during a rotation are done for the actor or refused, never both', async () => {
  const { actor, token } = await newActor(app.url)
  const write = (n: number): Promise<Answer> =>
    call(app.url, 'POST', '/api/entries', { token, body: { title: `Race ${n}`, content: 'C', summary: 'S' } })
  const rotating = issuedBy(rotate(token))
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => write(n)))
  const issued = await rotating
  let done = 0
  for (const answer of answers) {
    if (answer.status === 201) done += 1
    else expectProblem(answer, 401, 'ACTOR_TOKEN_INVALID')
  }
  const page = await call<{ items: { actorId: string; action: string }[] }>(app.url, 'GET', '/api/activity?limit=50')
  const rows = expectStatus(page, 200).items.filter(row => row.actorId === actor.id && row.action === 'CREATE')
  assert.equal(rows.length, done)
  await dead(token)
  await newEntry(app.url, issued.token)
})

test('a missing token, a blocked actor and an unknown member are refused, and the token stays valid', async () => {
  const { actor, token } = await newActor(app.url)
  const without = await call(app.url, 'POST', '/api/actors/rotate', { body: {} })
  expectProblem(without, 401, 'ACTOR_TOKEN_REQUIRED')
  expectProblem(await rotate(token, undefined, { declaredName: 'New' }), 400, 'UNKNOWN_MEMBER')
  expectProblem(await rotate(token, 'k'.repeat(15)), 400, 'INVALID_IDEMPOTENCY_KEY')
  await moderate(app.url, 'ACTOR', actor.id, 'BLOCK')
  expectProblem(await rotate(token), 403, 'ACTOR_BLOCKED')
  await moderate(app.url, 'ACTOR', actor.id, 'UNBLOCK')
  expectStatus(await call(app.url, 'GET', '/api/stats', { token }), 200)
  expectStatus(await rotate(token), 200)
})
