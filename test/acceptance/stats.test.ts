import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Stats } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'

const HOUR = 3_600_000
const NUMBERS = [
  'externalInteractions',
  'observedActors',
  'recurrentActors',
  'entries',
  'revisions',
  'verifications',
  'contradictions',
  'relations',
] as const

const app = useApp({}, async () => {
  app.advance(HOUR - (Date.now() % HOUR))
})

type Numbers = Pick<Stats, (typeof NUMBERS)[number]>
const stats = async (): Promise<Stats> => expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200)

/** By how much each number rose while `act` ran; those that stayed are left out. */
async function risesBy(act: () => Promise<unknown>): Promise<Partial<Numbers>> {
  const earlier = await stats()
  await act()
  const later = await stats()
  return Object.fromEntries(
    NUMBERS.map(name => [name, later[name] - earlier[name]] as const).filter(([, rise]) => rise !== 0),
  )
}
const post = async <T>(path: string, body: object, token: string): Promise<T> =>
  expectStatus(await call<T>(app.url, 'POST', path, { body, token }), 201)
const get = async (path: string, userAgent: string, token?: string) =>
  expectStatus(
    await call(app.url, 'GET', path, {
      headers: { 'user-agent': userAgent },
      ...(token === undefined ? {} : { token }),
    }),
    200,
  )
const topic = async (tag: string): Promise<number | undefined> =>
  (await stats()).topics.find(one => one.tag === tag)?.count

test('a new service counts nothing, and a read of the numbers counts nothing', async () => {
  for (let looks = 0; looks < 3; looks++) {
    const { topics, limitations, ...numbers } = await stats()
    assert.deepEqual(numbers, Object.fromEntries(NUMBERS.map(name => [name, 0])))
    assert.deepEqual(topics, [])
    assert.ok(limitations.length > 0)
    expectStatus(await call(app.url, 'GET', '/api/activity'), 200)
  }
})

test('every action raises exactly its own numbers', async () => {
  const { token } = await newActor(app.url)
  const other = await newEntry(app.url, (await newActor(app.url)).token)
  let entry!: Entry
  assert.deepEqual(await risesBy(() => newActor(app.url)), { observedActors: 1 })
  assert.deepEqual(
    await risesBy(async () => {
      entry = await newEntry(app.url, token)
    }),
    { externalInteractions: 1, entries: 1, revisions: 1 },
  )
  const path = `/api/entries/${entry.slug}`
  const judged = { revisionId: entry.currentRevisionId, rationale: 'r' }
  const verdict = { ...judged, result: 'SUPPORTED', confidence: 1 }
  const link = { sourceEntryId: entry.id, targetEntryId: other.id, relationType: 'CONNECT', rationale: 'r' }
  const revising = risesBy(() => post(`${path}/revisions`, revisionOf(entry), token))
  // The second observation of the actor makes it recurrent, no later one does again.
  assert.deepEqual(await revising, { externalInteractions: 1, revisions: 1, recurrentActors: 1 })
  const writes: [string, object, Partial<Numbers>][] = [
    [`${path}/verify`, verdict, { externalInteractions: 1, verifications: 1 }],
    [`${path}/verify`, verdict, { externalInteractions: 1, verifications: 1 }],
    [`${path}/contradict`, judged, { externalInteractions: 1, contradictions: 1 }],
    ['/api/relations', link, { externalInteractions: 1, relations: 1 }],
  ]
  for (const [address, body, rise] of writes) assert.deepEqual(await risesBy(() => post(address, body, token)), rise)
  for (const part of ['', '/revisions', '/evidence', '/relations', '/timeline']) {
    const reading = risesBy(() => get(path + part, 'any', token))
    assert.deepEqual(await reading, { externalInteractions: 1 }, part)
  }
  for (const search of ['/api/entries', '/api/search?q=x']) {
    assert.deepEqual(await risesBy(() => get(search, 'any', token)), { externalInteractions: 1 }, search)
  }
})

test('anonymous readers are observed once each, and are recurrent from their second observation on', async () => {
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token)
  const path = `/api/entries/${entry.slug}`
  assert.deepEqual(await risesBy(() => get(path, 'agent/1')), { externalInteractions: 1, observedActors: 1 })
  assert.deepEqual(await risesBy(() => get(path, 'agent/1')), { externalInteractions: 1, recurrentActors: 1 })
  assert.deepEqual(await risesBy(() => get('/api/search', 'agent/1')), { externalInteractions: 1 })
  const twice = risesBy(() => Promise.all([get(path, 'agent/2'), get(path, 'agent/2')]))
  assert.deepEqual(await twice, { externalInteractions: 2, observedActors: 1, recurrentActors: 1 })
  // A token identifies its actor with any User-Agent.
  assert.deepEqual(await risesBy(() => get(path, 'agent/3', token)), { externalInteractions: 1, recurrentActors: 1 })
  assert.deepEqual(await risesBy(() => get('/api/stats', 'agent/4')), {})
})

test('concurrent actions are counted exactly', async () => {
  const { token } = await newActor(app.url)
  const rise = await risesBy(() =>
    Promise.all([
      ...Array.from({ length: 40 }, () => newEntry(app.url, token)),
      ...Array.from({ length: 60 }, () => get('/api/entries', 'crowd/1', token)),
    ]),
  )
  assert.deepEqual(rise, { externalInteractions: 100, entries: 40, revisions: 40, recurrentActors: 1 })
})

test('topics are the fifty tags that most entries have, by their first spelling', async () => {
  const { token } = await newActor(app.url)
  await newEntry(app.url, token, { tags: ['First Spelling'] })
  await newEntry(app.url, token, { tags: ['FIRST  spelling', 'first spelling'] })
  await newEntry(app.url, token, { tags: [' first spelling '] })
  assert.equal(await topic('First Spelling'), 3)
  for (let n = 0; n < 60; n++) {
    const tags = [`rare ${n}`, ...(n < 55 ? [`often ${n}`] : [])]
    await newEntry(app.url, token, { tags })
    if (n < 49) await newEntry(app.url, token, { tags: [`often ${n}`] })
  }
  const { topics } = await stats()
  assert.equal(topics.length, 50)
  assert.deepEqual(topics[0], { tag: 'First Spelling', count: 3 })
  const rest = topics.slice(1)
  assert.deepEqual(new Set(rest.map(({ tag }) => tag)), new Set(Array.from({ length: 49 }, (_, n) => `often ${n}`)))
  for (const { count } of rest) assert.equal(count, 2)
  for (const one of topics) assert.deepEqual(Object.keys(one), ['tag', 'count'])
})
