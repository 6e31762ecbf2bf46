import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Activity, Entry, Stats } from '../../src/contract/resources.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { type Answer, call, expectProblem, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

/** The clock does not advance: no quota is restored and no hour ends during a test. */
const at = Date.now()

let app: TestApp
let token: string
before(async () => {
  const settings = { READ_LIMIT_PER_MINUTE: '60', WRITE_LIMIT_PER_MINUTE: '1000', TRUSTED_PROXIES: '127.0.0.0/8' }
  app = await startApp(settings, { now: () => at })
  token = (await newActor(app.url)).token
})
after(() => app.close())

const get = (path: string, headers: Record<string, string> = {}) => call(app.url, 'GET', path, { headers })
const FROM_ELSEWHERE = { 'x-forwarded-for': '203.0.113.1' }
const OWN = ['x-request-id', 'date', 'ratelimit']

test('an entry has the same answer after any number of reads, with any other request fields', async () => {
  const { slug } = await newEntry(app.url, token, { content: 'Zwölf Boxkämpfer ❤ 漢字 \u{1f600} "quoted"\n' })
  const answers = []
  for (const headers of [{}, {}, {}, { 'if-none-match': '"other"' }, { 'x-actor-token': token }] as Record<
    string,
    string
  >[]) {
    answers.push(await get(`/api/entries/${slug}`, headers))
  }
  const [first, ...others] = answers
  assert.ok(first)
  expectStatus(first, 200)
  for (const answer of others) {
    expectStatus(answer, 200)
    assert.equal(answer.text, first.text)
    const fields = (one: Answer): [string, string][] =>
      [...one.headers].filter(([name]) => !OWN.includes(name) && name !== 'ratelimit-policy')
    assert.deepEqual(fields(answer), fields(first))
  }
  assert.equal(new Set(answers.map(answer => answer.headers.get('x-request-id'))).size, answers.length)
})

test('a list of the newest entries has the same answer after any number of reads, and the same refusals', async () => {
  for (let n = 0; n < 3; n++) await newEntry(app.url, token)
  const comparable = ({ status, headers, text }: Answer) => ({
    status,
    text: text.replace(/"requestId":"[^"]*"/, ''),
    headers: Object.fromEntries([...headers].filter(([name]) => !OWN.includes(name))),
  })
  const limits = [
    '',
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
  for (const path of [...limits.map(limit => `/api/entries${limit}`), '/api/entries/', '/api/entriesx']) {
    const from = { 'x-forwarded-for': `198.51.100.${path.length}` }
    // An ETag that never existed does not change the answer.
    const expected = comparable(await get(path, { ...from, 'if-none-match': '"never"' }))
    for (let time = 0; time < 3; time++) assert.deepEqual(comparable(await get(path, from)), expected, path)
  }
})

test('a read that finds nothing is charged once', async () => {
  const from = { 'x-forwarded-for': '198.51.100.77' }
  const left: number[] = []
  for (let time = 0; time < 4; time++) {
    const answer = await get('/api/entries/never-written', from)
    expectProblem(answer, 404, 'ENTRY_NOT_FOUND')
    left.push(Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]))
  }
  assert.deepEqual(left, [59, 58, 57, 56])
})

test('each change is in the next read, at every address', async () => {
  let entry: Entry = await newEntry(app.url, token)
  const shown = async (): Promise<Entry> => {
    const bodies: Entry[] = []
    for (const address of [entry.slug, entry.id, entry.slug])
      bodies.push((await get(`/api/entries/${address}`)).body as Entry)
    assert.deepEqual(bodies[1], bodies[0])
    assert.deepEqual(bodies[2], bodies[0])
    return bodies[0] as Entry
  }
  await shown()
  for (let n = 0; n < 3; n++) {
    const answer = await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, {
      token,
      body: { ...revisionOf(entry), title: `Title ${n}` },
    })
    expectStatus(answer, 201)
    entry = answer.body as Entry
    assert.deepEqual(await shown(), entry)
    const list = (await get('/api/entries?limit=1')).body as { items: Entry[] }
    assert.deepEqual(list.items, [entry])
  }
  await moderate(app.url, 'ENTRY', entry.id, 'BLOCK')
  assert.equal((await shown()).status, 'LOCKED')
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  for (const address of [entry.slug, entry.id])
    expectProblem(await get(`/api/entries/${address}`), 410, 'ENTRY_WITHDRAWN')
  const list = (await get('/api/entries?limit=1')).body as { items: Entry[] }
  assert.notEqual(list.items[0]?.id, entry.id)
  await moderate(app.url, 'ENTRY', entry.id, 'RESTORE')
  assert.equal((await shown()).status, 'LOCKED')
})

let readers = 0
type Answers = Record<string, Record<string, unknown>>
const lengthOf = (answers: Answers, path: string, list: string): unknown =>
  (answers[path] as Record<string, unknown[]>)[list]?.length

/** The bodies of all that is read of an entry, the same at each of several reads. */
async function readAll(slug: string, revision: string): Promise<Answers> {
  readers += 1
  const from = { 'x-forwarded-for': `198.51.100.${readers}` }
  const paths = ['', '/revisions', `/revisions/${revision}`, '/relations', '/evidence', '/standing']
  const read = async (path: string): Promise<Record<string, unknown>> => {
    const { text } = await get(`/api/entries/${slug}${path}`, from)
    return JSON.parse(text.replace(/,"requestId":"[^"]*"/, ''))
  }
  const found: [string, Record<string, unknown>][] = []
  for (const path of paths) found.push([path, await read(path)])
  for (const [path, body] of found) assert.deepEqual(await read(path), body, path)
  return Object.fromEntries(found)
}

test('each change is in the next read of revisions, relations, evidence and standing', async () => {
  const { actor, token: judge } = await newActor(app.url, { declaredName: 'Judge' })
  const entry = await newEntry(app.url, token)
  const other = await newEntry(app.url, token)
  const first = entry.currentRevisionId
  const write = async (path: string, body: object, as = judge) =>
    expectStatus(await call(app.url, 'POST', path, { token: as, body }), 201)
  const own = `/api/entries/${entry.slug}`
  const read = () => readAll(entry.slug, first)
  const page = () => get(`/entries/${entry.slug}`, { accept: 'text/html', ...FROM_ELSEWHERE })
  const unjudged = (await page()).text
  assert.equal((await page()).text, unjudged)
  const before = await read()

  await write(`${own}/verify`, { revisionId: first, result: 'SUPPORTED', confidence: 1, rationale: 'Tried.' })
  const verified = await read()
  assert.equal(lengthOf(verified, '/evidence', 'verifications'), 1)
  assert.match((await page()).text, /Evidence *<span class="number">1</)
  assert.notDeepEqual(verified['/standing'], before['/standing'])
  assert.deepEqual(verified['/revisions'], before['/revisions'])

  const ends = { sourceEntryId: entry.id, targetEntryId: other.id }
  await write('/api/relations', { ...ends, relationType: 'CONNECT', rationale: 'They belong together.' })
  assert.equal(lengthOf(await read(), '/relations', 'items'), 1)

  await write(`${own}/revisions`, revisionOf(entry, { title: 'Another title' }), token)
  const revised = await read()
  assert.equal(lengthOf(revised, '/revisions', 'items'), 2)
  assert.match((await page()).text, /Revision 2 by /)
  assert.notEqual(revised['/standing']?.revisionId, first)
  assert.deepEqual(revised[`/revisions/${first}`], before[`/revisions/${first}`])

  const nameOf = (answers: Answers) =>
    (answers['/evidence'] as { verifications: { actor: { declared: { name: string } } }[] }).verifications[0]?.actor
      .declared.name
  assert.equal(nameOf(revised), 'Judge')
  await moderate(app.url, 'ACTOR', actor.id, 'HIDE')
  assert.equal(nameOf(await read()), null)
  await moderate(app.url, 'ACTOR', actor.id, 'RESTORE')
  assert.deepEqual(await read(), revised)

  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  for (const [path, { error }] of Object.entries(await read()))
    assert.equal((error as { code: string } | undefined)?.code, 'ENTRY_WITHDRAWN', path)
  assert.equal((await page()).status, 410)
  await moderate(app.url, 'ENTRY', entry.id, 'RESTORE')
  assert.deepEqual(await read(), revised)
})

test('reads from memory are charged and observed like all others', async () => {
  const { slug, id } = await newEntry(app.url, token)
  const before = (await call<Stats>(app.url, 'GET', '/api/stats', { headers: FROM_ELSEWHERE })).body
  let admitted = 0
  let left: number | undefined
  for (;;) {
    const answer = await get(`/api/entries/${slug}`)
    if (answer.status === 429) break
    const now = Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
    if (left !== undefined) assert.equal(now, left - 1)
    left = now
    admitted++
  }
  assert.equal(left, 0)
  // The rest of the hour's reads are counted without rows of their own.
  const after = (await call<Stats>(app.url, 'GET', '/api/stats', { headers: FROM_ELSEWHERE })).body
  assert.equal(after.externalInteractions - before.externalInteractions, admitted)
  const timeline = await call<{ items: Activity[] }>(app.url, 'GET', `/api/entries/${id}/timeline`, {
    headers: FROM_ELSEWHERE,
  })
  assert.equal(timeline.body.items.filter(({ action }) => action === 'READ').length, 2)
})
