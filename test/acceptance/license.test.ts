import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OPERATIONS, type Operation } from '../../src/contract/operations.ts'
import { type Discovery, type Entry, NAMED_RESOURCES } from '../../src/contract/resources.ts'
import { shareApp, startApp, type TestApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'

const LICENCE = 'https://spdx.org/licenses/CC-BY-4.0.html'
const LINK = `<${LICENCE}>; rel="license"`

let app: TestApp
let entry: Entry
let token: string
const plain = shareApp({}, async () => {
  app = await startApp({ CONTENT_LICENSE: 'CC-BY-4.0' })
  token = (await newActor(app.url)).token
  entry = await newEntry(app.url, token)
  for (let count = 0; count < 2; count++) await newEntry(app.url, token)
})
after(() => app.close())

const linkOf = async (at: Pick<TestApp, 'url'>, path: string, headers: Record<string, string> = {}) => {
  const answer = await call(at.url, 'GET', path, { headers })
  assert.ok(answer.status === 200 || answer.status === 304, `${path} ${answer.status}`)
  return answer.headers.get('link') ?? ''
}

/** Members whose values are texts of entries, judgements or relations. */
const TEXTS = ['title', 'summary', 'content', 'text', 'rationale']
type Schema = { properties?: Record<string, Schema>; items?: Schema; anyOf?: readonly Schema[] }
const hasTexts = ({ properties = {}, items, anyOf = [] }: Schema): boolean =>
  Object.keys(properties).some(name => TEXTS.includes(name)) ||
  [...Object.values(properties), ...anyOf, ...(items === undefined ? [] : [items])].some(hasTexts)

test('a public read whose answer has texts of others is licensed', () => {
  const reads = (Object.entries(OPERATIONS) as [string, Operation][]).filter(
    ([, { kind, access }]) => kind !== 'write' && access === 'anyone',
  )
  const namesOf = (list: typeof reads): string[] => list.map(([name]) => name)
  assert.deepEqual(
    namesOf(reads.filter(([, { licensed }]) => licensed)),
    namesOf(reads.filter(([, { response }]) => hasTexts(NAMED_RESOURCES[response] as Schema))),
  )
})

test('every answer with content links to the licence, on each path of the code', async () => {
  const one = `/api/entries/${entry.slug}`
  const revision = `/revisions/${entry.currentRevisionId}`
  const paths = [
    ...['/api/entries', '/api/entries?limit=1', '/api/search?q=entry', '/api/find?q=entry', '/api/work', '/api/export'],
    ...[
      one,
      `${one}/revisions`,
      `${one}${revision}`,
      `${one}/evidence`,
      `${one}/relations`,
      `${one}/blame`,
      `${one}/standing`,
    ],
    ...[
      '/',
      '/search?q=entry',
      `/entries/${entry.slug}`,
      `/entries/${entry.slug}${revision}`,
      `/entries/${entry.slug}.md`,
    ],
  ]
  for (const path of [...paths, ...paths]) {
    for (const headers of [{}, { 'x-actor-token': token }] as unknown as Record<string, string>[])
      assert.ok((await linkOf(app, path, headers)).includes(LINK), path)
    assert.ok(!(await linkOf(plain, path.replaceAll(/entries\/.*/g, 'entries'))).includes('license'), path)
  }
  const list = await linkOf(app, '/api/entries?limit=1')
  assert.match(list, /rel="next"/)
  const etag = (await call(app.url, 'GET', one)).headers.get('etag') ?? ''
  assert.ok((await linkOf(app, one, { 'if-none-match': etag })).includes(LINK), '304')
})

test('answers without content have no licence, and discovery and pages name it', async () => {
  for (const path of ['/health', '/ready', '/api/stats', '/api/discovery', '/agents.md'])
    assert.ok(!(await linkOf(app, path)).includes('license'), path)
  const missing = await call(app.url, 'GET', '/api/entries/nothing')
  assert.ok(!(missing.headers.get('link') ?? '').includes('license'))
  const discovery = async (at: Pick<TestApp, 'url'>) =>
    expectStatus(await call<Discovery>(at.url, 'GET', '/api/discovery'), 200).contentLicense
  assert.equal(await discovery(app), LICENCE)
  assert.equal(await discovery(plain), undefined)
  const foot = `<a rel="license" href="${LICENCE}">`
  assert.ok((await call(app.url, 'GET', `/entries/${entry.slug}`)).text.includes(foot))
  assert.ok(!(await call(plain.url, 'GET', '/')).text.includes('rel="license"'))
})
