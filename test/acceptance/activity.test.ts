import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Actor, Stats } from '../../src/contract/resources.ts'
import { TRUST } from '../../src/contract/vocabulary.ts'
import { useApp } from '../support/app.ts'
import { allPages, call, columnOf, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'

const HOUR = 3_600_000
const MEMBERS = [
  'action',
  'actorId',
  'actorName',
  'causality',
  'contentTrust',
  'dataClass',
  'entryId',
  'id',
  'identityTrust',
  'metadata',
  'requestId',
  'revisionId',
  'sequence',
  'timestamp',
]

let token: string
let actor: Actor
const app = useApp({}, async () => {
  app.advance(HOUR - (Date.now() % HOUR))
  ;({ token, actor } = await newActor(app.url, { declaredName: 'Observed' }))
})

type Page = { items: Activity[]; nextCursor: string | null }
const feed = async (query = ''): Promise<Page> =>
  expectStatus(await call<Page>(app.url, 'GET', `/api/activity${query}`), 200)
const get = async (path: string, by?: string) => {
  const answer = await call(app.url, 'GET', path, by === undefined ? {} : { token: by })
  expectStatus(answer, 200)
  return answer
}
const interactions = async (): Promise<number> =>
  expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200).externalInteractions
const rowsOf = async (actorId: string): Promise<Activity[]> =>
  (await allPages<Activity>(app.url, '/api/activity')).filter(row => row.actorId === actorId)

test('an answered write is the newest row', async () => {
  const body = { title: 'In the feed', content: 'c', summary: 's' }
  const answer = await call<{ id: string; slug: string; currentRevisionId: string; createdAt: string }>(
    app.url,
    'POST',
    '/api/entries',
    { body, token },
  )
  const made = expectStatus(answer, 201)
  const [newest] = (await feed('?limit=1')).items
  assert.deepEqual(Object.keys(newest ?? {}).sort(), MEMBERS)
  const { id: _, sequence, ...rest } = newest as Activity
  assert.match(sequence, /^[0-9]{1,19}$/)
  assert.deepEqual(rest, {
    actorId: actor.id,
    actorName: 'Observed',
    action: 'CREATE',
    entryId: made.id,
    revisionId: made.currentRevisionId,
    timestamp: made.createdAt,
    requestId: answer.headers.get('x-request-id'),
    metadata: { slug: made.slug, title: 'In the feed' },
    dataClass: 'EXTERNAL',
    ...TRUST,
  })
})

test('the metadata of CREATE have the title of that time', async () => {
  const { actor: author, token: own } = await newActor(app.url)
  const entry = await newEntry(app.url, own, { title: 'Title then' })
  const body = revisionOf(entry, { title: 'Title now' })
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.id}/revisions`, { body, token: own }), 201)
  const [revised, created] = await rowsOf(author.id)
  assert.deepEqual(created?.metadata, { slug: entry.slug, title: 'Title then' })
  assert.deepEqual(revised?.metadata, { previousRevisionId: entry.currentRevisionId })
})

test('a reader sees its own read and search at once', async () => {
  const entry = await newEntry(app.url, token, { tags: ['Seen at once'] })
  const reader = await newActor(app.url)
  const read = await get(`/api/entries/${entry.slug}`, reader.token)
  assert.equal((await feed('?limit=1')).items[0]?.requestId, read.headers.get('x-request-id'))
  const search = await get('/api/search?q=secret+words&tag=Seen+at+once&sort=relevance', reader.token)
  const [row] = (await feed('?limit=1')).items
  assert.deepEqual(
    [row?.action, row?.requestId, row?.entryId, row?.revisionId],
    ['SEARCH', search.headers.get('x-request-id'), null, null],
  )
  assert.deepEqual(row?.metadata, { resultCount: 0, tag: 'Seen at once', sort: 'relevance' })
})

test('a tag that no entry can have is in no feed: it may be a token, or an advert', async () => {
  await newEntry(app.url, token)
  const { actor: seeker, token: own } = await newActor(app.url)
  for (const tag of [token, 'https://beans.example', 'a_b']) {
    for (const path of ['/api/search?', '/api/entries?', '/api/find?q=fox&', '/api/asof/1/find?q=fox&']) {
      app.advance(HOUR)
      expectStatus(await get(`${path}tag=${encodeURIComponent(tag)}`, own), 200)
      assert.partialDeepStrictEqual((await rowsOf(seeker.id))[0]?.metadata, { tag: null })
    }
  }
  assert.ok(!JSON.stringify(await allPages(app.url, '/api/activity')).includes(token))
})

test('the words of a query are in no feed and no log', async () => {
  await get('/api/search?q=xyzzyplugh')
  await get('/api/entries?q=xyzzyplugh')
  const everything = JSON.stringify(await allPages(app.url, '/api/activity'))
  assert.ok(!everything.includes('xyzzyplugh'))
  assert.ok(!app.log().includes('xyzzyplugh'))
})

test('lists and searches are one SEARCH row per actor and hour, with the first', async () => {
  const { actor: seeker, token: own } = await newActor(app.url)
  const first = await get('/api/entries?limit=2', own)
  for (const path of ['/api/search?q=fox', '/api/entries?offset=5&sort=evolution', '/api/search']) await get(path, own)
  const [row, ...others] = await rowsOf(seeker.id)
  assert.deepEqual(others, [])
  assert.equal(row?.requestId, first.headers.get('x-request-id'))
  assert.deepEqual(row?.metadata, { resultCount: 2, tag: null, sort: 'recent' })
  app.advance(HOUR)
  await get('/api/search?sort=evolution&limit=1', own)
  const later = await rowsOf(seeker.id)
  assert.equal(later.length, 2)
  assert.deepEqual(later[0]?.metadata, { resultCount: 1, tag: null, sort: 'evolution' })
})

test('rows are coalesced, counters are exact', async () => {
  const entry = await newEntry(app.url, token)
  const { actor: reader, token: own } = await newActor(app.url)
  const earlier = await interactions()
  await Promise.all(Array.from({ length: 40 }, () => get(`/api/entries/${entry.slug}`, own)))
  await Promise.all(Array.from({ length: 7 }, () => get('/api/search?q=fox', own)))
  assert.equal(await interactions(), earlier + 47)
  const rows = await rowsOf(reader.id)
  assert.deepEqual(rows.map(({ action }) => action).sort(), ['READ', 'SEARCH'])
})

test('only answers 2xx are observed; feed, stats, discovery and guides are not', async () => {
  const entry = await newEntry(app.url, token)
  const path = `/api/entries/${entry.slug}`
  const earlier = { count: await interactions(), newest: (await feed('?limit=1')).items }
  for (const free of [
    '/api/activity',
    '/api/stats',
    '/api/discovery',
    '/health',
    '/ready',
    '/agents.md',
    '/llms.txt',
  ]) {
    await get(free, token)
  }
  const refused = [
    await call(app.url, 'GET', '/api/entries/none', { token }),
    await call(app.url, 'GET', '/api/search?limit=0', { token }),
    await call(app.url, 'GET', path, { token: 'bad' }),
    await call(app.url, 'GET', path, { headers: { 'if-none-match': '*' } }),
    await call(app.url, 'GET', `${path}/revisions/${entry.id}`),
    await call(app.url, 'POST', '/api/entries', { body: {}, token }),
    await call(app.url, 'POST', `${path}/revisions`, {
      body: revisionOf(entry, { previousRevisionId: entry.id }),
      token,
    }),
  ]
  assert.deepEqual(columnOf(refused, 'status'), [404, 400, 401, 304, 404, 400, 409])
  assert.equal(await interactions(), earlier.count)
  assert.deepEqual((await feed('?limit=1')).items, earlier.newest)
})

test('concurrent writes are in the feed in one order, each once', async () => {
  const { actor: author, token: own } = await newActor(app.url)
  const made = await Promise.all(Array.from({ length: 60 }, () => newEntry(app.url, own)))
  const rows = await rowsOf(author.id)
  assert.deepEqual(rows.map(({ entryId }) => entryId).sort(), made.map(({ id }) => id).sort())
  const sequences = rows.map(({ sequence }) => Number(sequence))
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => b - a),
  )
})

test('the feed survives a restart, and its numbers continue', async () => {
  const earlier = await allPages<Activity>(app.url, '/api/activity')
  await app.restart()
  assert.deepEqual(await allPages<Activity>(app.url, '/api/activity'), earlier)
  await newEntry(app.url, token)
  const [newest] = (await feed('?limit=1')).items
  assert.equal(Number(newest?.sequence), Number(earlier[0]?.sequence) + 1)
})
