import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Actor, Entry } from '../../src/contract/resources.ts'
import { TRUST } from '../../src/contract/vocabulary.ts'
import { useApp } from '../support/app.ts'
import { type Answer, call, columnOf, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const HOUR = 3_600_000

let token: string
let actor: Actor
const app = useApp({}, async () => {
  // The start of an hour: nothing falls into another hour than the test means.
  app.advance(HOUR - (Date.now() % HOUR))
  ;({ token, actor } = await newActor(app.url, { declaredName: 'Observed' }))
})

type Page = { items: Activity[]; nextCursor: string | null }
const post = async <T>(path: string, body: object): Promise<Answer<T>> => {
  const answer = await call<T>(app.url, 'POST', path, { body, token })
  expectStatus(answer, 201)
  return answer
}
const timeline = async (entry: Entry, query = '', by = token): Promise<Page> =>
  expectStatus(await call<Page>(app.url, 'GET', `/api/entries/${entry.slug}/timeline${query}`, { token: by }), 200)
const actions = ({ items }: Page): string[] => items.map(({ action }) => action)

test('the read of a timeline is its newest row', async () => {
  const entry = await newEntry(app.url, token)
  const answer = await call<Page>(app.url, 'GET', `/api/entries/${entry.id}/timeline`, { token })
  const { items, nextCursor } = expectStatus(answer, 200)
  assert.equal(nextCursor, null)
  const [read, created] = items as [Activity, Activity]
  assert.equal(items.length, 2)
  const { id, sequence, timestamp, ...rest } = read
  assert.match(id, UUID_V7)
  assert.match(sequence, /^[0-9]{1,19}$/)
  assert.match(timestamp, TIME)
  assert.ok(BigInt(sequence) > BigInt(created.sequence))
  assert.deepEqual(rest, {
    actorId: actor.id,
    actorName: 'Observed',
    action: 'READ',
    entryId: entry.id,
    revisionId: entry.currentRevisionId,
    requestId: answer.headers.get('x-request-id'),
    metadata: {},
    dataClass: 'EXTERNAL',
    ...TRUST,
  })
  assert.equal(created.action, 'CREATE')
})

test('every kind of write has a row with its request, revision and metadata, and nothing else', async () => {
  const [entry, other] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  const path = `/api/entries/${entry.slug}`
  const created = { slug: entry.slug, title: entry.title }
  const rows: [string, string | null, string, object][] = []
  let latest = entry
  for (const changeType of ['EXPAND', 'CORRECT', 'SYNTHESIZE']) {
    const body = revisionOf(latest, { title: `Title after ${changeType}`, changeType })
    const revised = await post<Entry>(`${path}/revisions`, body)
    const metadata = { previousRevisionId: latest.currentRevisionId }
    latest = revised.body
    rows.push([changeType, latest.currentRevisionId, revised.headers.get('x-request-id') ?? '', metadata])
  }
  const revisionId = entry.currentRevisionId
  const judged = { revisionId, rationale: 'r' }
  const verdict = { ...judged, result: 'INCONCLUSIVE', confidence: 0.25 }
  const verified = await post<{ id: string }>(`${path}/verify`, verdict)
  rows.push([
    'VERIFY',
    revisionId,
    verified.headers.get('x-request-id') ?? '',
    { verificationId: verified.body.id, result: 'INCONCLUSIVE', confidence: 0.25 },
  ])
  for (const source of [null, other.id]) {
    const body = source === null ? judged : { ...judged, sourceEntryId: source }
    const contradicted = await post<{ id: string }>(`${path}/contradict`, body)
    const metadata = { contradictionId: contradicted.body.id, sourceEntryId: source }
    rows.push(['CONTRADICT', revisionId, contradicted.headers.get('x-request-id') ?? '', metadata])
  }
  const ends = { sourceEntryId: entry.id, targetEntryId: other.id }
  const connected = await post<{ id: string }>('/api/relations', { ...ends, relationType: 'REUSES', rationale: 'r' })
  const metadata = { relationId: connected.body.id, relationType: 'REUSES', targetEntryId: other.id }
  rows.push(['CONNECT', null, connected.headers.get('x-request-id') ?? '', metadata])

  const { items } = await timeline(entry)
  const [read, ...writes] = items
  assert.equal(read?.action, 'READ')
  const first = writes.pop()
  assert.deepEqual([first?.action, first?.revisionId, first?.metadata], ['CREATE', revisionId, created])
  assert.deepEqual(
    writes.reverse().map(row => [row.action, row.revisionId, row.requestId, row.metadata]),
    rows,
  )
  for (const row of items) {
    assert.deepEqual([row.entryId, row.actorId, row.actorName], [entry.id, actor.id, 'Observed'])
    assert.equal(row.dataClass, 'EXTERNAL')
  }
})

test('a relation is in the timeline of its source only', async () => {
  const [source, target] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  const ends = { sourceEntryId: source.id, targetEntryId: target.id }
  await post('/api/relations', { ...ends, relationType: 'CONNECT', rationale: 'r' })
  assert.deepEqual(actions(await timeline(source)), ['READ', 'CONNECT', 'CREATE'])
  assert.deepEqual(actions(await timeline(target)), ['READ', 'CREATE'])
})

test('reads of an entry and of its resources are one row per actor and hour, with the first read', async () => {
  const entry = await newEntry(app.url, token)
  const path = `/api/entries/${entry.slug}`
  const reader = await newActor(app.url)
  const read = async (address: string, by?: string): Promise<string> => {
    const answer = await call(app.url, 'GET', address, by === undefined ? {} : { token: by })
    expectStatus(answer, 200)
    return answer.headers.get('x-request-id') ?? ''
  }
  const revision = `${path}/revisions/${entry.currentRevisionId}`
  const first = await read(path, reader.token)
  for (const part of ['/revisions', '/evidence', '/relations', '/timeline']) await read(path + part, reader.token)
  await read(revision, reader.token)
  await read(path)
  const early = (await timeline(entry)).items.filter(({ action }) => action === 'READ')
  assert.equal(early.length, 3)
  assert.deepEqual(
    columnOf(
      early.filter(({ actorId }) => actorId === reader.actor.id),
      'requestId',
    ),
    [first],
  )
  app.advance(HOUR)
  const second = await read(revision, reader.token)
  const late = (await timeline(entry)).items.filter(({ actorId }) => actorId === reader.actor.id)
  assert.deepEqual(columnOf(late, 'requestId'), [second, first])
})
