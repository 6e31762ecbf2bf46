import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import type { Actor, ActorIssued, Entry } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN, useApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

let token: string
let entry: Entry
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
  entry = await newEntry(app.url, token)
})

const issue = async (body: object): Promise<ActorIssued> =>
  expectStatus(await call<ActorIssued>(app.url, 'POST', '/api/actors', { body }), 201)

/** The six characters that must follow the secret of a token. */
function checksum(secret: string): string {
  let digits = ''
  for (let rest = crc32(secret); rest > 0; rest = Math.floor(rest / 62)) digits = ALPHABET.charAt(rest % 62) + digits
  return digits.padStart(6, '0')
}

test('an empty object creates an actor without a declaration', async () => {
  const answer = await call<ActorIssued>(app.url, 'POST', '/api/actors', { body: {} })
  const issued = expectStatus(answer, 201)
  assert.deepEqual(Object.keys(issued).sort(), ['actor', 'dataClass', 'token', 'warning'])
  assert.equal(issued.dataClass, 'EXTERNAL')
  assert.ok(issued.warning.length > 0)
  const { id, observed, ...rest } = issued.actor
  assert.match(id, UUID_V7)
  assert.match(observed.firstSeenAt, TIME)
  assert.equal(observed.lastSeenAt, observed.firstSeenAt)
  assert.deepEqual(rest, {
    actorType: 'UNKNOWN',
    declared: { name: null, model: null, provider: null },
    verificationStatus: 'UNVERIFIED',
  })
  assert.equal(answer.headers.get('cache-control'), 'no-store')
})

test('declarations are returned as they were sent, member by member', async () => {
  const said = { declaredName: ' Ünï 🦊 ', declaredModel: 'm'.repeat(100), declaredProvider: '🦊'.repeat(100) }
  for (const actorType of ['AGENT', 'HUMAN', 'UNKNOWN']) {
    const { actor } = await issue({ actorType, ...said })
    assert.equal(actor.actorType, actorType)
    assert.deepEqual(actor.declared, {
      name: said.declaredName,
      model: said.declaredModel,
      provider: said.declaredProvider,
    })
  }
  assert.deepEqual((await issue({ declaredModel: 'only this' })).actor.declared, {
    name: null,
    model: 'only this',
    provider: null,
  })
})

test('tokens carry their prefix and checksum, and no two are alike', async () => {
  const issued = await Promise.all(Array.from({ length: 20 }, () => issue({ declaredName: 'Same' })))
  for (const one of issued) {
    const [, secret = '', check] = /^plm_([0-9A-Za-z]{27,})([0-9A-Za-z]{6})$/.exec(one.token) ?? []
    assert.equal(check, checksum(secret), one.token)
  }
  assert.equal(new Set(issued.map(one => one.token)).size, issued.length)
  assert.equal(new Set(issued.map(one => one.actor.id)).size, issued.length)
})

test('a token is returned once and is in no other answer', async () => {
  const { actor, token: secret } = await newActor(app.url, { declaredName: 'Keeps a secret' })
  const made = await newEntry(app.url, secret)
  for (const path of ['/api/activity', `/api/entries/${made.slug}`, `/api/entries/${made.slug}/timeline`]) {
    const { text } = await call(app.url, 'GET', path, { token: secret })
    assert.ok(text.includes(actor.id), path)
    assert.ok(!text.includes(secret), path)
  }
  assert.ok(!app.log().includes(secret))
})

test('writes without a token are 401 with a challenge', async () => {
  const revisionId = entry.currentRevisionId
  const calls: [string, object][] = [
    ['/api/entries', { title: 't', content: 'c', summary: 's' }],
    [`/api/entries/${entry.slug}/revisions`, revisionOf(entry)],
    [`/api/entries/${entry.slug}/verify`, { revisionId, result: 'SUPPORTED', confidence: 1, rationale: 'r' }],
    [`/api/entries/${entry.slug}/contradict`, { revisionId, rationale: 'r' }],
    ['/api/relations', { sourceEntryId: entry.id, targetEntryId: entry.id, relationType: 'CONNECT', rationale: 'r' }],
  ]
  for (const [path, body] of calls) {
    const answer = expectProblem(await call(app.url, 'POST', path, { body }), 401, 'ACTOR_TOKEN_REQUIRED')
    assert.match(answer.headers.get('www-authenticate') ?? '', /^ActorToken\b/, path)
  }
})

test('a request with a valid token may create another actor', async () => {
  const first = await newActor(app.url)
  const answer = await call<ActorIssued>(app.url, 'POST', '/api/actors', { body: {}, token: first.token })
  assert.notEqual(expectStatus(answer, 201).actor.id, first.actor.id)
})

test('a token survives a restart and identifies the same actor', async () => {
  const { actor, token: kept } = await newActor(app.url, { declaredName: 'Persistent' })
  await app.restart()
  const made = await newEntry(app.url, kept)
  assert.deepEqual(made.actor, { id: actor.id, declared: actor.declared, verificationStatus: 'UNVERIFIED' })
})

test('the time of the last observation rises while the first stays, and administrators see both', async () => {
  const { actor, token: own } = await newActor(app.url)
  app.advance(5_000)
  await newEntry(app.url, own)
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const snapshot = expectStatus(
    await call<{ actors: (Actor & { id: string })[] }>(app.url, 'GET', '/api/admin/snapshot', { headers }),
    200,
  )
  const seen = snapshot.actors.find(({ id }) => id === actor.id)?.observed
  assert.equal(seen?.firstSeenAt, actor.observed.firstSeenAt)
  assert.ok(Date.parse(seen?.lastSeenAt ?? '') >= Date.parse(actor.observed.firstSeenAt) + 5_000)
})
