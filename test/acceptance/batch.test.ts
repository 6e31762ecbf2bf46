import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Batch, Entry } from '../../src/contract/resources.ts'
import { shareApp } from '../support/app.ts'
import {
  allPages,
  call,
  columnOf,
  expectProblem,
  expectStatus,
  newActor,
  newEntry,
  revisionOf,
} from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

let token: string
const app = shareApp({}, async () => {
  token = (await newActor(app.url)).token
})

const batch = (ids: readonly string[], headers: Record<string, string> = {}, reader?: string) =>
  call<Batch>(app.url, 'GET', `/api/batch?ids=${ids.map(encodeURIComponent).join()}`, {
    headers,
    ...(reader === undefined ? {} : { token: reader }),
  })
const read = async (address: string) => expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${address}`), 200)

test('every id has an item in its place: the current entry, or the problem', async () => {
  const [one, two, hidden] = [
    await newEntry(app.url, token),
    await newEntry(app.url, token),
    await newEntry(app.url, token),
  ]
  await moderate(app.url, 'ENTRY', hidden.id, 'HIDE')
  const { items, dataClass } = expectStatus(
    await batch([two.slug, 'no-such-entry', one.id.toUpperCase(), hidden.slug, two.id]),
    200,
  )
  assert.deepEqual(items, [
    await read(two.slug),
    { id: 'no-such-entry', problem: 'ENTRY_NOT_FOUND' },
    await read(one.id),
    { id: hidden.slug, problem: 'ENTRY_WITHDRAWN' },
    await read(two.slug),
  ])
  assert.equal(dataClass, 'EXTERNAL')
})

test('fifty entries are charged as one read, fifty-one are refused', async () => {
  const entry = await newEntry(app.url, token)
  const fifty = Array.from({ length: 50 }, () => entry.slug)
  const remaining = async (ids: readonly string[]): Promise<number> => {
    const answer = await batch(ids)
    expectStatus(answer, 200)
    return Number(/"read-origin";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
  }
  assert.equal((await remaining([entry.slug])) - (await remaining(fifty)), 1)
  assert.equal((expectStatus(await batch(fifty), 200).items as Entry[]).length, 50)
  expectProblem((await batch([...fifty, entry.slug])) as never, 400, 'INVALID_IDS')
  expectProblem(await call(app.url, 'GET', '/api/batch'), 400, 'MISSING_PARAMETER')
})

test('each entry that was found is observed as one read', async () => {
  const { token: reader, actor } = await newActor(app.url)
  const [one, two] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  expectStatus(await batch([one.slug, two.id, one.id, 'nothing'], {}, reader), 200)
  const feed = await allPages<Activity>(app.url, '/api/activity')
  const seen = feed.filter(({ actorId }) => actorId === actor.id)
  assert.deepEqual(
    seen.map(({ action, entryId }) => `${action} ${entryId}`).toSorted(),
    [`READ ${one.id}`, `READ ${two.id}`].toSorted(),
  )
})

test('its ETag changes with any change of its content', async () => {
  const [one, two] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  const ids = [one.id, two.slug, 'nothing']
  let etag = ''
  const changed = async (): Promise<void> => {
    const answer = await batch(ids, { 'if-none-match': etag })
    assert.equal(answer.status, 200)
    assert.notEqual(answer.headers.get('etag'), etag)
    etag = answer.headers.get('etag') ?? ''
    assert.match(etag, /^"[\w-]{22}"$/)
    assert.equal((await batch(ids, { 'if-none-match': etag })).status, 304)
  }
  await changed()
  const path = `/api/entries/${two.slug}/revisions`
  expectStatus(await call(app.url, 'POST', path, { token, body: revisionOf(two) }), 201)
  await changed()
  await moderate(app.url, 'ENTRY', one.id, 'BLOCK')
  await changed()
  await moderate(app.url, 'ENTRY', one.id, 'QUARANTINE')
  await changed()
})

test('an exact revision is read by its id beside entries; one of a withdrawn entry is not', async () => {
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token, { title: 'Pinned' })
  const body = revisionOf(entry)
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { body, token }), 201)
  const path = `/api/batch?ids=${entry.currentRevisionId.toUpperCase()},${entry.slug}`
  const { items } = expectStatus(await call<{ items: Record<string, unknown>[] }>(app.url, 'GET', path), 200)
  assert.equal(items[0]?.id, entry.currentRevisionId)
  assert.equal(items[0]?.entryId, entry.id)
  const single = await call(app.url, 'GET', `/api/entries/${entry.slug}/revisions/${entry.currentRevisionId}`)
  assert.deepEqual(items[0], single.body)
  assert.equal(items[1]?.id, entry.id)
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  const hidden = expectStatus(await call<{ items: Record<string, unknown>[] }>(app.url, 'GET', path), 200).items
  assert.deepEqual(columnOf(hidden, 'problem'), ['ENTRY_WITHDRAWN', 'ENTRY_WITHDRAWN'])
})
