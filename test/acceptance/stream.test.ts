import assert from 'node:assert/strict'
import { Server } from 'node:http'
import { type TestContext, test } from 'node:test'
import { STREAMS } from '../../src/contract/limits.ts'
import type { Activity, Entry } from '../../src/contract/resources.ts'
import { startApp, useApp } from '../support/app.ts'
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
import { ENGINE } from '../support/engine.ts'
import { moderate } from '../support/moderation.ts'
import { eventually } from '../support/process.ts'
import { assertInOrder, openStream, openStreams, type Stream, type StreamOptions } from '../support/streams.ts'

let token: string
let origins = 0
const app = useApp({ TRUSTED_PROXIES: '127.0.0.1' }, async () => {
  ;({ token } = await newActor(app.url))
})

/** A stream from a network of its own, closed with the test. */
async function open(t: TestContext, options: StreamOptions = {}): Promise<Stream> {
  origins += 1
  const stream = await openStream(app.url, { from: `203.0.113.${origins}`, ...options })
  t.after(() => stream.close())
  return stream
}
const feed = (): Promise<Activity[]> => allPages<Activity>(app.url, '/api/activity')
const newest = async (): Promise<string> => (await feed())[0]?.sequence ?? '0'

test('a stream begins now, sends its position at once, and shows a write as the feed does', async t => {
  const stream = await open(t)
  assert.equal(stream.status, 200)
  const { headers } = stream
  assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-accel-buffering'], 'no')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['content-encoding'], undefined)
  await stream.until('it sends its position', () => stream.lastId() !== '')
  const { id } = await newEntry(app.url, token)
  await stream.until('it shows the entry', events => events.length > 0)
  const [event] = stream.events
  assert.equal(event?.data.entryId, id)
  assert.deepEqual(
    event?.data,
    (await feed()).find(({ sequence }) => sequence === event?.id),
  )
})

test('HEAD returns the fields and ends, and a page of another site may send Last-Event-ID', async t => {
  const head = await open(t, { method: 'HEAD' })
  assert.equal(await head.ended, true)
  assert.equal(head.status, 200)
  assert.equal(head.headers['content-type'], 'text/event-stream; charset=utf-8')
  const asked = { origin: 'https://a.example', 'access-control-request-method': 'GET' }
  const preflight = await call(app.url, 'OPTIONS', '/api/activity/stream', { headers: asked })
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /\bLast-Event-ID\b/)
})

/** A consumer that is cut off repeatedly and continues after the last id that it received. */
async function cutAgainAndAgain(t: TestContext, from: string, done: () => boolean): Promise<Stream['events']> {
  const events: Stream['events'] = []
  let lastEventId = from
  for (let last = false; ; ) {
    last = done()
    const stream = await open(t, { lastEventId, from: '198.51.100.1' })
    const wanted = 1 + (events.length % 7)
    if (last) await stream.until('all that is in the feed', () => stream.lastId() === finalId)
    else await stream.until('some more', seen => seen.length >= wanted || done())
    stream.close()
    await stream.ended
    events.push(...stream.events)
    lastEventId = stream.lastId()
    if (last) return events
  }
}
let finalId = ''

test('under load every stream has every row once and in order, after any number of interruptions', async t => {
  const from = await newest()
  const steady = await open(t, { lastEventId: from })
  const early = await open(t, { after: '0' })
  const lagging = await open(t, { lastEventId: from })
  lagging.pause()
  let writing = true
  const cut = cutAgainAndAgain(t, from, () => !writing)
  const write = async (writer: number): Promise<void> => {
    const own = (await newActor(app.url)).token
    let entry = await newEntry(app.url, own)
    for (let n = 0; n < 12; n += 1) {
      const stale = n % 4 === writer % 4
      const body = revisionOf(entry, stale ? { previousRevisionId: entry.id } : {})
      const answer = await call<Entry>(app.url, 'POST', `/api/entries/${entry.id}/revisions`, { body, token: own })
      assert.equal(answer.status, stale ? 409 : 201)
      if (!stale) entry = answer.body
      if (n % 5 === 0) expectStatus(await call(app.url, 'GET', `/api/entries/${entry.slug}`, { token: own }), 200)
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)))
  const rows = (await feed()).reverse()
  finalId = rows.at(-1)?.sequence ?? ''
  writing = false
  lagging.resume()
  for (const [stream, above] of [
    [steady, from],
    [lagging, from],
    [early, '0'],
  ] as const) {
    await stream.until('all that is in the feed', () => stream.lastId() === finalId)
    assertInOrder(stream.events)
    assert.deepEqual(
      columnOf(stream.events, 'data'),
      rows.filter(({ sequence }) => BigInt(sequence) > BigInt(above)),
    )
  }
  assert.deepEqual(
    columnOf(await cut, 'data'),
    rows.filter(({ sequence }) => BigInt(sequence) > BigInt(from)),
  )
})

test('no stream shows withdrawn rows once the moderation is answered', async t => {
  const from = await newest()
  const entry = await newEntry(app.url, token)
  const live = await open(t, { lastEventId: from })
  await live.until('the entry is seen', events => events.some(({ data }) => data.entryId === entry.id))
  const spammer = await newActor(app.url)
  const about = await newEntry(app.url, token)
  const body = { revisionId: about.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Buy!' }
  expectStatus(await call(app.url, 'POST', `/api/entries/${about.id}/verify`, { body, token: spammer.token }), 201)
  await live.until('what the other wrote is seen', events => events.at(-1)?.data.actorId === spammer.actor.id)
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  await moderate(app.url, 'ACTOR', spammer.actor.id, 'QUARANTINE')
  const later = await newEntry(app.url, token)
  const resumed = await open(t, { lastEventId: from })
  await resumed.until('the later entry is seen', events => events.some(({ data }) => data.entryId === later.id))
  const shown = (await feed()).filter(({ sequence }) => BigInt(sequence) > BigInt(from)).reverse()
  assert.deepEqual(columnOf(resumed.events, 'data'), shown)
  assert.ok(!JSON.stringify(shown).includes(entry.title) && !JSON.stringify(shown).includes(spammer.actor.id))
  await live.until('the later entry is seen', events => events.some(({ data }) => data.entryId === later.id))
  assertInOrder(live.events)
})

test('an id in the future means now, the header takes precedence over the query, and a malformed id is refused', async t => {
  const now = await newest()
  for (const options of [
    { lastEventId: '9'.repeat(19) },
    { after: '9'.repeat(19) },
    { lastEventId: now, after: '0' },
  ]) {
    const stream = await open(t, options)
    await stream.until('it sends its position', () => stream.lastId() !== '')
    assert.deepEqual([stream.lastId(), stream.events.length], [now, 0], JSON.stringify(options))
  }
  for (const id of ['', 'x', '-1', '1.0', '1, 2', '1'.repeat(20)]) {
    const headers = { 'last-event-id': id }
    expectProblem(await call(app.url, 'GET', '/api/activity/stream', { headers }), 400, 'INVALID_EVENT_ID')
  }
  for (const [search, code] of [
    ['after=', 'INVALID_AFTER'],
    ['after=x', 'INVALID_AFTER'],
    ['after=1&after=2', 'REPEATED_PARAMETER'],
    ['before=1', 'UNKNOWN_PARAMETER'],
  ] as const) {
    expectProblem(await call(app.url, 'GET', `/api/activity/stream?${search}`), 400, code)
  }
})

test('a network has a maximum of open streams; one more is refused with a wait and not charged', async t => {
  const headers = { 'x-forwarded-for': '192.0.2.1' }
  const streams = await openStreams(app.url, STREAMS.perOrigin, { from: '192.0.2.1' })
  t.after(() => {
    for (const stream of streams) stream.close()
  })
  const left = (answer: { headers: Headers }): number =>
    Number(/"read-origin";r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
  const ask = () => call(app.url, 'GET', '/api/activity/stream', { headers })
  const before = left(await call(app.url, 'GET', '/api/stats', { headers }))
  const refused = expectProblem(await ask(), 429, 'TOO_MANY_STREAMS')
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  // A node of many leases reads in pieces, which lapse: only a node by itself counts them one by one.
  if (ENGINE === 'embedded') assert.equal(left(refused), before)
  assert.equal((await open(t)).status, 200, 'another network')
  streams[0]?.close()
  const again = await eventually('a place is free', 60_000, async () => {
    const stream = await openStream(app.url, { from: '192.0.2.1' })
    if (stream.status === 200) return stream
    stream.close()
    return undefined
  })
  streams.push(again)
  const after = Number(/r=(\d+)/.exec(String(again.headers.ratelimit))?.[1])
  if (ENGINE === 'embedded') assert.equal(after, before - 1, 'opening is one read')
})

test('a stop ends every stream cleanly, also one whose client does not read', async t => {
  await using own = await startApp()
  const streams = await openStreams(own.url, 4)
  streams[0]?.pause()
  // A stop calls this function if it has waited too long for connections.
  const gaveUp = t.mock.method(Server.prototype, 'closeAllConnections')
  await own.close()
  assert.equal(gaveUp.mock.callCount(), 0)
  for (const stream of streams.slice(1)) assert.equal(await stream.ended, true)
})
