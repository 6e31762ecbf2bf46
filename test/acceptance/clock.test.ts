import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Entry, Revision } from '../../src/contract/resources.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { type Answer, call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { AS_ADMIN } from '../support/moderation.ts'
import { eventually } from '../support/process.ts'

const MINUTE = 60_000
const YEAR = 365 * 24 * 60 * MINUTE

test('a jump of the clock by more than a minute is logged and counted, in both directions', async t => {
  const { app } = await start(t)
  const counted = async (): Promise<string | undefined> => {
    const { text } = await call(app.url, 'GET', '/metrics', { headers: AS_ADMIN })
    return /^palimpsest_clock_jumps_total (\d+)$/m.exec(text)?.[1]
  }
  const logged = (): string[] => app.log().match(/"seconds":-?\d+,"msg":"the clock jumped/g) ?? []
  assert.equal(await counted(), '0')
  app.advance(MINUTE / 2)
  app.advance(2 * MINUTE)
  await eventually('the first jump', 60_000, async () => (await counted()) === '1' || undefined)
  app.advance(-2 * MINUTE)
  await eventually('the second jump', 60_000, async () => (await counted()) === '2' || undefined)
  assert.deepEqual(
    logged().map(line => Math.sign(Number(/-?\d+/.exec(line)?.[0]))),
    [1, -1],
  )
})

/** A service of its own, with an actor. */
async function start(t: TestContext): Promise<{ app: TestApp; token: string }> {
  const app = await startApp()
  t.after(() => app.close())
  return { app, token: (await newActor(app.url)).token }
}

/** Asserts that a time of the service is that of this machine, as far as a slow machine allows. */
function assertNow(time: string): void {
  const ahead = Date.parse(time) - Date.now()
  assert.ok(Math.abs(ahead) < 10 * MINUTE, `${time} is ${Math.round(ahead / MINUTE)} minutes ahead of the clock`)
}

test('after the clock was a year ahead, writes have its time again, and times of an entry never decrease', async t => {
  const { app, token } = await start(t)
  const revise = async (entry: Entry): Promise<Entry> => {
    const path = `/api/entries/${entry.slug}/revisions`
    return expectStatus(await call<Entry>(app.url, 'POST', path, { token, body: revisionOf(entry) }), 201)
  }
  const untouched = await newEntry(app.url, token)
  app.advance(YEAR)
  const ahead = await newEntry(app.url, token)
  assert.ok(Date.parse(ahead.createdAt) - Date.now() > YEAR - 10 * MINUTE, ahead.createdAt)
  app.advance(-YEAR)
  assertNow((await newEntry(app.url, token)).createdAt)
  assertNow((await revise(untouched)).updatedAt)
  assertNow((await newActor(app.url)).actor.observed.firstSeenAt)
  const again = await revise(ahead)
  assert.ok(again.updatedAt >= ahead.updatedAt, `${again.updatedAt} comes after ${ahead.updatedAt}`)
  const { body } = await call<{ items: Revision[] }>(app.url, 'GET', `/api/entries/${ahead.slug}/revisions`)
  const times = body.items.map(({ createdAt }) => createdAt)
  assert.deepEqual(times, times.toSorted().toReversed())
})

test('after the clock is set back by a few seconds, times of commits still rise', async t => {
  const { app, token } = await start(t)
  const first = await newEntry(app.url, token)
  app.advance(-5_000)
  const second = await newEntry(app.url, token)
  app.advance(5_000)
  assert.ok(second.createdAt >= first.createdAt, `${second.createdAt} comes after ${first.createdAt}`)
})

test('a keyed write is recognised after the clock jumped a year ahead, and after it jumped back', async t => {
  const { app, token } = await start(t)
  const body = { title: 'Written once', content: 'Content', summary: 'Summary' }
  const headers = { 'idempotency-key': randomUUID() }
  const write = (): Promise<Answer> => call(app.url, 'POST', '/api/entries', { token, body, headers })
  const first = await write()
  expectStatus(first, 201)
  for (const jump of [YEAR, -YEAR]) {
    app.advance(jump)
    await app.sweep(MINUTE)
    const again = await write()
    assert.equal(again.text, first.text)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
  }
})
