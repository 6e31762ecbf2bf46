import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Change, Entry } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { allChanges, assertChanges } from '../support/changes.ts'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'
import { openStream, type Stream, type StreamOptions } from '../support/streams.ts'

let token: string
let origins = 0
const app = useApp({ TRUSTED_PROXIES: '127.0.0.1' }, async () => {
  ;({ token } = await newActor(app.url))
})

async function open(t: TestContext, changes: Record<string, string>, options: StreamOptions = {}): Promise<Stream> {
  origins += 1
  const stream = await openStream(app.url, { from: `203.0.113.${origins}`, changes, ...options })
  t.after(() => stream.close())
  await stream.until('it says its place', () => stream.lastId() !== '')
  return stream
}
const changesOf = ({ events }: Stream): Change[] => events.map(({ data }) => data as Change)
const named = (stream: Stream) => changesOf(stream).map(({ action, entryId }) => [action, entryId])
const read = async ({ slug }: Entry): Promise<void> => {
  expectStatus(await call(app.url, 'GET', `/api/entries/${slug}`), 200)
}

test('a stream has the rows of the list as events, each once and in order', async t => {
  const all = await open(t, {})
  const { sequence: from } = await allChanges(app.url)
  const entry = await newEntry(app.url, token)
  await read(entry)
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE', 'RESTORE', 'HIDE')
  const last = await newEntry(app.url, token)
  const isWhole = () => changesOf(all).some(({ entryId }) => entryId === last.id)
  await all.until('the last entry', isWhole)
  assertChanges(changesOf(all))
  for (const { id, event, data } of all.events) assert.deepEqual([event, data.sequence], ['change', id])
  const { items } = await allChanges(app.url, { after: from })
  assert.deepEqual(named(all).at(-1), ['CREATE', last.id])
  for (const item of items) assert.ok(changesOf(all).some(change => change.sequence === item.sequence))

  const late = await open(t, {}, { lastEventId: from })
  await late.until('what came before it', events => events.length === items.length)
  assert.deepEqual(changesOf(late), items)
})

test('a stream of some entries, an actor or an action has only their rows', async t => {
  const [one, two] = [await newEntry(app.url, token), await newEntry(app.url, token)]
  const other = await newActor(app.url)
  const streams = await Promise.all([
    open(t, { entry: `${one.slug},${one.id}` }),
    open(t, { actor: other.actor.id }),
    open(t, { action: 'WITHDRAW,RESTORE' }),
  ])
  const third = await newEntry(app.url, other.token)
  const body = { revisionId: one.currentRevisionId, rationale: 'It does not hold.' }
  const path = `/api/entries/${one.slug}/contradict`
  expectStatus(await call(app.url, 'POST', path, { body, token: other.token }), 201)
  const [ofEntry, ofActor, ofModeration] = streams as [Stream, Stream, Stream]
  // A withdrawal removes the rows that a stream has not read yet.
  await ofEntry.until('a row', events => events.length === 1)
  await ofActor.until('two rows', events => events.length === 2)
  await moderate(app.url, 'ENTRY', two.id, 'HIDE')
  await moderate(app.url, 'ENTRY', one.id, 'HIDE')
  await ofEntry.until('two rows', events => events.length === 2)
  await ofModeration.until('two rows', events => events.length === 2)
  // Skipped rows are recognised by the rows after them.
  assert.deepEqual(named(ofEntry), [
    ['CONTRADICT', one.id],
    ['WITHDRAW', one.id],
  ])
  assert.deepEqual(named(ofModeration), [
    ['WITHDRAW', two.id],
    ['WITHDRAW', one.id],
  ])
  await newEntry(app.url, other.token)
  await ofActor.until('three rows', events => events.length === 3)
  assert.deepEqual(named(ofActor).slice(0, 2), [
    ['CREATE', third.id],
    ['CONTRADICT', one.id],
  ])
  const late = await open(t, { entry: one.id }, { after: '0' })
  await late.until('what is left of it', events => events.length > 0)
  assert.deepEqual(named(late), [['WITHDRAW', one.id]])
})

test('a lagging stream skips the rows of others', async t => {
  const entry = await newEntry(app.url, token)
  const { sequence } = await allChanges(app.url)
  for (let n = 0; n < 120; n += 1) await newEntry(app.url, token)
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  const stream = await open(t, { entry: entry.id }, { lastEventId: sequence })
  await stream.until('the withdrawal', events => events.length === 1)
  assert.deepEqual(named(stream), [['WITHDRAW', entry.id]])
})

test('a stream with an unknown filter is refused, and does not count as open', async () => {
  const unknown = '019a9b1c-1f20-7b21-9c4d-3c9b62e1d002'
  const ask = (query: string) => call(app.url, 'GET', `/api/activity/changes/stream?${query}`)
  for (let n = 0; n < 10; n += 1) expectProblem(await ask('entry=no-such-entry'), 404, 'ENTRY_NOT_FOUND')
  expectProblem(await ask(`actor=${unknown}`), 404, 'ACTOR_NOT_FOUND')
  expectProblem(await ask('limit=1'), 400, 'UNKNOWN_PARAMETER')
  expectProblem(await ask('action=READ'), 400, 'INVALID_ACTION')
})
