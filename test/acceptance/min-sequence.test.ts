import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { MIN_SEQUENCE } from '../../src/contract/limits.ts'
import type { Activity, Entry } from '../../src/contract/resources.ts'
import { openCopy } from '../cli/mirror/copy.ts'
import { startApp, type TestApp } from '../support/app.ts'
import {
  type Answer,
  call,
  callPatiently,
  expectProblem,
  expectStatus,
  newActor,
  newEntry,
  revisionOf,
} from '../support/client.ts'
import { databaseWithTables, ENGINE } from '../support/engine.ts'
import { signedCheckpoint } from '../support/logged-world.ts'

let app: TestApp
/** Another node over the same PostgreSQL; on one machine the service itself. */
let other: TestApp
let token: string
before(async () => {
  const database = ENGINE === 'postgres' ? { DATABASE_URL: await databaseWithTables('min-sequence') } : {}
  app = await startApp({ TLOG_INTERVAL_SECONDS: '0.05', ...database })
  other = ENGINE === 'postgres' ? await startApp(database) : app
  ;({ token } = await newActor(app.url))
})
after(async () => {
  await app.close()
  await other.close()
})

const read = (url: string, path: string, sequence: number | string, headers: Record<string, string> = {}) =>
  call(url, 'GET', path, { headers: { ...headers, 'min-sequence': String(sequence) } })
const revise = (entry: Entry, headers: Record<string, string> = {}): Promise<Answer<Entry>> =>
  callPatiently<Entry>(app.url, 'POST', `/api/entries/${entry.id}/revisions`, {
    token,
    body: revisionOf(entry),
    headers,
  })
const sequenceOf = ({ headers }: Answer<unknown>): number => Number(headers.get('sequence'))

test('a write names its sequence, a retry too, and reads with that sequence include the write', async () => {
  const entry = await newEntry(app.url, token)
  const key = { 'idempotency-key': crypto.randomUUID() }
  const written = await revise(entry, key)
  expectStatus(written, 201)
  const sequence = sequenceOf(written)
  const { items } = (await call<{ items: Activity[] }>(app.url, 'GET', `/api/entries/${entry.id}/timeline`)).body
  assert.equal(items.find(({ action }) => action === 'EXPAND')?.sequence, String(sequence))
  assert.equal(sequenceOf(await revise(entry, key)), sequence)
  assert.match(written.headers.get('access-control-expose-headers') ?? '', /\bSequence\b/)
  for (const url of [app.url, other.url]) {
    for (const path of [`/api/entries/${entry.slug}`, `/api/entries/${entry.slug}`, '/api/entries?limit=1']) {
      const answer = await read(url, path, sequence)
      expectStatus(answer, 200)
      assert.ok(answer.text.includes(written.body.currentRevisionId), path)
      assert.doesNotMatch(answer.headers.get('vary') ?? '', /min-sequence/i)
    }
  }
})

test('a read of a sequence that is not written yet waits for it', async () => {
  const entry = await newEntry(other.url, token)
  const sequence = sequenceOf(await revise(entry))
  const latest = (await call<Entry>(app.url, 'GET', `/api/entries/${entry.id}`)).body
  // Observations take sequences too, so that the next write may have a later one.
  const waiting = ['', '/revisions?limit=1', '/evidence'].map(under =>
    read(other.url, `/api/entries/${entry.slug}${under}`, sequence + 1),
  )
  const written = await revise(latest)
  assert.ok(sequenceOf(written) > sequence)
  for (const answer of await Promise.all(waiting)) expectStatus(answer, 200)
  const after = await read(other.url, `/api/entries/${entry.slug}`, sequenceOf(written))
  assert.equal((after.body as Entry).currentRevisionId, written.body.currentRevisionId)
})

test('a read of a sequence that is not reached is refused after a wait, and a malformed one at once', async () => {
  const { slug } = await newEntry(app.url, token)
  const never = '9'.repeat(19)
  const etag = (await call(app.url, 'GET', `/api/entries/${slug}`)).headers.get('etag') ?? ''
  const refused = await Promise.all([
    read(app.url, `/api/entries/${slug}`, never),
    read(app.url, '/api/search?q=number', never),
    read(app.url, `/api/entries/${slug}`, never, { 'if-none-match': etag }),
  ])
  for (const answer of refused) {
    expectProblem(answer, 503, 'NOT_READY')
    assert.equal(answer.headers.get('retry-after'), '1')
  }
  for (const wrong of ['', '-1', '1.5', 'x', '1'.repeat(20), '1, 2']) {
    expectProblem(await read(app.url, `/api/entries/${slug}`, wrong), 400, 'INVALID_MIN_SEQUENCE')
  }
  // Operations that are not charged do not wait.
  expectStatus(await read(app.url, '/health', never), 200)
  assert.equal(MIN_SEQUENCE.seconds, 2)
})

test('a mirror answers a read once it has followed its original to that sequence', async () => {
  const entry = await newEntry(app.url, token)
  await signedCheckpoint(app)
  await using mirror = await openCopy(app.url)
  await mirror.catchUp()
  const written = await revise(entry)
  expectProblem(await read(mirror.app.url, `/api/entries/${entry.slug}`, sequenceOf(written)), 503, 'NOT_READY')
  const patient = callPatiently<Entry>(mirror.app.url, 'GET', `/api/entries/${entry.slug}`, {
    headers: { 'min-sequence': String(sequenceOf(written)) },
  })
  await mirror.catchUp()
  assert.equal((await patient).body.currentRevisionId, written.body.currentRevisionId)
  const known = await read(mirror.app.url, `/api/entries/${entry.slug}`, sequenceOf(written))
  assert.equal((known.body as Entry).currentRevisionId, written.body.currentRevisionId)
})
