import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { ADMIN_TOKEN, startApp, type TestApp } from '../support/app.ts'
import { type Answer, call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'

let app: TestApp
let token: string
before(async () => {
  app = await startApp()
  token = (await newActor(app.url)).token
})
after(() => app.close())

/** Fields that differ from one answer to the next. */
const OWN = ['date', 'x-request-id', 'ratelimit']
const told = ({ status, headers, text }: Answer) => ({
  status,
  text: text.replace(/"requestId":"[^"]*"/, ''),
  headers: Object.fromEntries([...headers].filter(([name]) => !OWN.includes(name))),
})
const read = (path: string, headers: Record<string, string> = {}) => call(app.url, 'GET', path, { headers })
/** A version that never was keeps an answer from being ready, and changes nothing of it. */
const readLongWay = (path: string) => read(path, { 'if-none-match': '"never"' })

test('what is answered at once is what the route answers, field by field', async () => {
  const entry = await newEntry(app.url, token)
  for (let n = 0; n < 3; n++) await newEntry(app.url, token)
  const paths = [`/api/entries/${entry.slug}`, `/api/entries/${entry.id}`, '/api/entries']
  const limits = [
    '?limit=1',
    '?limit=2',
    '?limit=50',
    '?limit=51',
    '?limit=0',
    '?limit=01',
    '?limit=',
    '?limit=2&offset=1',
    '?',
  ]
  for (const path of [...paths, ...limits.map(limit => `/api/entries${limit}`), '/api/entries/', '/api/entriesx']) {
    const expected = told(await readLongWay(path))
    for (let time = 0; time < 3; time++) assert.deepEqual(told(await read(path)), expected, path)
  }
})

test('what is answered at once shows what was written and withdrawn before it', async () => {
  const entry = await newEntry(app.url, token)
  const newest = async () => (await read('/api/entries?limit=2')).body.items as Entry[]
  const withdraw = (action: string) =>
    call(app.url, 'POST', '/api/admin/moderate', {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      body: { action, targetType: 'ENTRY', targetId: entry.id, reason: 'Shown at once.' },
    })
  for (let time = 0; time < 5; time++) {
    assert.equal((await newest())[0]?.id, entry.id)
    const { currentRevisionId } = (await read(`/api/entries/${entry.slug}`)).body as Entry
    const revised = await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, {
      token,
      body: { ...revisionOf({ ...entry, currentRevisionId }), title: `Time ${time}` },
    })
    expectStatus(revised, 201)
    assert.equal((await newest())[0]?.title, `Time ${time}`)
    assert.equal((await read(`/api/entries/${entry.slug}`)).body.title, `Time ${time}`)
  }
  const [first] = await newest()
  assert.equal(first?.id, entry.id)
  expectStatus(await withdraw('HIDE'), 200)
  assert.notEqual((await newest())[0]?.id, entry.id)
})
