import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN, shareApp, startApp, type TestApp } from '../support/app.ts'
import { type Answer, call, newActor, newEntry } from '../support/client.ts'

const FIELDS = ['cdn-cache-control', 'surrogate-control', 'cache-tag', 'surrogate-key']
let app: TestApp
const made: { token: string; actor: string; entry: Entry }[] = []
const plain = shareApp({}, async () => {
  app = await startApp({ SHARED_CACHE_SECONDS: '60' })
  for (const { url } of [app, plain]) {
    const { token, actor } = await newActor(url)
    made.push({ token, actor: actor.id, entry: await newEntry(url, token) })
  }
})
after(() => app.close())

const [FIRST, PLAIN] = [0, 1]
const world = (index: number) => made[index] as (typeof made)[number]
const fieldsOf = ({ headers }: Answer): (string | null)[] => FIELDS.map(name => headers.get(name))
const tagsOf = ({ headers }: Answer): string[] => (headers.get('surrogate-key') ?? '').split(' ').filter(Boolean)

const addressesOf = ({ entry, actor }: (typeof made)[number]): Record<string, string[]> => ({
  entry: [
    `/api/entries/${entry.slug}`,
    `/api/entries/${entry.id}/revisions/${entry.currentRevisionId}`,
    ...['revisions', 'relations', 'evidence', 'standing', 'blame'].map(part => `/api/entries/${entry.slug}/${part}`),
    `/entries/${entry.slug}`,
  ],
  list: [
    '/api/entries',
    '/api/entries?limit=5',
    '/api/search?q=entry',
    '/api/find?q=entry',
    '/api/stats',
    '/search?q=a',
    '/',
  ],
  actor: [`/api/actors/${actor}`, `/actors/${actor}`],
})

test('the fields for caches of the operator have the lifetime of an answer and its tags', async () => {
  const { entry, list, actor } = addressesOf(world(FIRST))
  const tagged = { entry: /^e (?:m )?e\d+$|^e e\d+(?: m)?$/, list: /^l(?: m)?$/, actor: /^m a-[\da-f-]{36}$/ }
  for (const [kind, paths] of Object.entries({ entry, list, actor })) {
    for (const path of paths ?? []) {
      const answer = await call(app.url, 'GET', path)
      const [control, surrogate, tag, key] = fieldsOf(answer)
      assert.equal(control, 'max-age=60', path)
      assert.equal(surrogate, 'max-age=60', path)
      assert.match(key ?? '', tagged[kind as keyof typeof tagged], path)
      assert.equal(tag, (key ?? '').replaceAll(' ', ','), path)
      // Every other cache revalidates as before.
      assert.match(answer.headers.get('cache-control') ?? '', /^(?:public, no-cache|no-store)$/, path)
    }
  }
})

test('answers from memory, from the store and to a condition have the same fields', async () => {
  const path = `/api/entries/${world(FIRST).entry.slug}`
  const [first, again] = [await call(app.url, 'GET', path), await call(app.url, 'GET', path)]
  const routed = await call(app.url, 'GET', `${path}?`)
  const unchanged = await call(app.url, 'GET', path, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
  assert.equal(unchanged.status, 304)
  for (const answer of [again, routed, unchanged]) assert.deepEqual(fieldsOf(answer), fieldsOf(first))
})

test('without the setting no answer has a field for shared caches', async () => {
  const { token } = world(PLAIN)
  for (const path of Object.values(addressesOf(world(PLAIN))).flat()) {
    for (const options of [{}, { token }]) {
      const answer = await call(plain.url, 'GET', path, options)
      assert.deepEqual(fieldsOf(answer), [null, null, null, null], path)
      assert.match(answer.headers.get('cache-control') ?? '', /^(?:public, no-cache|no-store)$/, path)
    }
  }
})

test('an answer to a request with a token is stored by no shared cache', async () => {
  const { token } = world(FIRST)
  for (const path of Object.values(addressesOf(world(FIRST))).flat()) {
    for (const headers of [{ 'x-actor-token': token }, { authorization: `Bearer ${ADMIN_TOKEN}` }]) {
      const answer = await call(app.url, 'GET', path, { headers: headers as unknown as Record<string, string> })
      assert.deepEqual(fieldsOf(answer), [null, null, null, null], path)
      assert.match(answer.headers.get('cache-control') ?? '', /^(?:private, no-cache|no-store)$/, path)
    }
  }
})

test('answers that are private, show reads, or are problems have no field for shared caches', async () => {
  const { entry } = world(FIRST)
  const authorization = `Bearer ${ADMIN_TOKEN}`
  const paths = [
    '/api/activity',
    `/api/entries/${entry.slug}/timeline`,
    '/api/work',
    '/health',
    '/ready',
    '/api/entries/none',
  ]
  for (const path of [...paths, '/api/activity/changes?after=0', '/api/export?from=1', '/admin', '/nowhere']) {
    assert.deepEqual(fieldsOf(await call(app.url, 'GET', path)), [null, null, null, null], path)
  }
  for (const path of ['/api/admin/snapshot', '/api/admin/reports']) {
    const answer = await call(app.url, 'GET', path, { headers: { authorization } })
    assert.deepEqual(fieldsOf(answer), [null, null, null, null], path)
  }
})

test('an answer with many entries has only the tags that it needs, in less than a kibibyte', async () => {
  const { token } = world(FIRST)
  const slugs: string[] = []
  for (let count = 0; count < 50; count++) slugs.push((await newEntry(app.url, token)).slug)
  const batch = await call(app.url, 'GET', `/api/batch?ids=${slugs.join()}`)
  assert.equal(tagsOf(batch).length, 52)
  assert.ok((batch.headers.get('surrogate-key') ?? '').length < 1_024)
  assert.deepEqual(tagsOf(await call(app.url, 'GET', '/api/entries?limit=50')), ['l'])
})
