import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Stats } from '../../src/contract/resources.ts'
import { startApp, useApp } from '../support/app.ts'
import { allPages, call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { databaseWithTables, ENGINE } from '../support/engine.ts'
import { snapshot, toNoon } from '../support/moderation.ts'
import { makeDirectory } from '../support/process.ts'

const DAY = 86_400_000
const ANONYMOUS_PER_DAY = 64
const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  toNoon(app)
})

let made = 0
const address = (): string => `192.0.2.${++made}`
const stats = async () => expectStatus(await call<Stats>(app.url, 'GET', '/api/stats'), 200)

/** Searches once for a unique tag. Returns the actor that the feed shows for it. */
async function actorSeen(origin: string, userAgent: string): Promise<{ actorId: string; actorName: string | null }> {
  const tag = `search ${++made}`
  const headers = { 'x-forwarded-for': origin, 'user-agent': userAgent }
  expectStatus(await call(app.url, 'GET', `/api/entries?tag=${encodeURIComponent(tag)}`, { headers }), 200)
  return rowOf(tag)
}
async function rowOf(tag: string): Promise<{ actorId: string; actorName: string | null }> {
  const rows = await allPages<Activity>(app.url, '/api/activity')
  const row = rows.find(({ metadata }) => (metadata as { tag?: string }).tag === tag)
  assert.ok(row !== undefined, tag)
  return row
}
/** The number of anonymous actors that administrators see for an origin's fingerprint. */
const anonymousOf = async (actorId: string): Promise<number> => {
  const { actors } = await snapshot(app.url)
  const { originId } = actors.find(({ id }) => id === actorId) ?? {}
  return actors.filter(actor => actor.anonymous && actor.originId === originId).length
}

test('one origin and one User-Agent are one anonymous actor for a day', async () => {
  const origin = address()
  const { actorId, actorName } = await actorSeen(origin, 'agent/1')
  assert.equal(actorName, null)
  // Rows of one hour are one; in the next hour the same actor is seen again.
  app.advance(3_600_000)
  const again = await actorSeen(origin, 'agent/1')
  assert.equal(again.actorId, actorId)
  const { actors } = await snapshot(app.url)
  const actor = actors.find(({ id }) => id === actorId)
  assert.partialDeepStrictEqual(actor, { anonymous: true, observations: 2, actorType: 'UNKNOWN' })
  assert.deepEqual(actor?.declared, { name: null, model: null, provider: null })
})

test('another User-Agent, another origin and another day are other actors', async () => {
  const origin = address()
  const { actorId } = await actorSeen(origin, 'agent/1')
  const others = [
    await actorSeen(origin, 'agent/2'),
    await actorSeen(origin, ''),
    await actorSeen(address(), 'agent/1'),
  ]
  app.advance(3_600_000)
  const mapped = await actorSeen(`::ffff:${origin}`, 'agent/2')
  assert.equal(mapped.actorId, others[0]?.actorId)
  app.advance(DAY)
  others.push(await actorSeen(origin, 'agent/1'))
  assert.equal(new Set([actorId, ...others.map(other => other.actorId)]).size, 5)
})

test('a restart retains the salt of the day, and so the anonymous actor', async () => {
  const origin = address()
  const { actorId } = await actorSeen(origin, 'agent/1')
  await app.restart()
  app.advance(3_600_000)
  assert.equal((await actorSeen(origin, 'agent/1')).actorId, actorId)
})

test('past 64 anonymous actors an origin has one shared record for the rest of the day', async () => {
  const origin = address()
  const first = await actorSeen(origin, 'crowd/0')
  const before = await stats()
  const read = (n: number) =>
    call(app.url, 'GET', '/api/entries', { headers: { 'x-forwarded-for': origin, 'user-agent': `crowd/${n}` } })
  for (let n = 0; n < 300; n += 50) await Promise.all(Array.from({ length: 50 }, (_, at) => read(n + at)))
  const after = await stats()
  assert.equal(await anonymousOf(first.actorId), ANONYMOUS_PER_DAY + 1)
  assert.equal(after.observedActors, before.observedActors + ANONYMOUS_PER_DAY)
  assert.equal(after.externalInteractions, before.externalInteractions + 300)

  app.advance(3_600_000)
  const shared = await actorSeen(origin, 'crowd/new one')
  expectStatus(await read(1_000), 200)
  const own = await actorSeen(origin, 'crowd/0')
  assert.equal(own.actorId, first.actorId)
  assert.notEqual(shared.actorId, first.actorId)
  assert.equal(await anonymousOf(first.actorId), ANONYMOUS_PER_DAY + 1)
  const elsewhere = await actorSeen(address(), 'crowd/new one')
  assert.notEqual(elsewhere.actorId, shared.actorId)
  assert.equal(await anonymousOf(elsewhere.actorId), 1)
})

test('a token identifies an actor over days and origins, an anonymous reader is not identified', async () => {
  const headers = { 'x-forwarded-for': address() }
  const issued = expectStatus(
    await call<{ token: string; actor: { id: string } }>(app.url, 'POST', '/api/actors', { body: {}, headers }),
    201,
  )
  for (const tag of ['with token 1', 'with token 2']) {
    const moved = { 'x-forwarded-for': address(), 'user-agent': tag }
    const path = `/api/entries?tag=${encodeURIComponent(tag)}`
    expectStatus(await call(app.url, 'GET', path, { headers: moved, token: issued.token }), 200)
    assert.equal((await rowOf(tag)).actorId, issued.actor.id)
    app.advance(DAY)
  }
})

test('a start whose origin key is lost or another one warns, and a start with the same key does not', async t => {
  const { path: DATA_DIR, remove } = makeDirectory()
  t.after(remove)
  const store = {
    DATA_DIR,
    ...(ENGINE === 'postgres' ? { DATABASE_URL: await databaseWithTables('origin keys') } : {}),
  }
  const [first, second] = ['the-key-of-the-first-starts', 'the-key-of-a-later-start']
  const starts = [
    [first, undefined],
    [first, undefined],
    [second, 'the origin key is another one: blocks'],
    [undefined, 'the origin key was lost and made anew: blocks'],
    [undefined, undefined],
  ]
  for (const [at, [key, warning]] of starts.entries()) {
    const started = await startApp({ ...store, ...(key === undefined ? {} : { ORIGIN_KEY: key }) })
    await newEntry(started.url, (await newActor(started.url)).token)
    const warned = started
      .log()
      .split('\n')
      .filter(line => line.includes('the origin key'))
    await started.close()
    assert.equal(warned.length, warning === undefined ? 0 : 1, `start ${at}: ${warned.join()}`)
    if (warning === undefined) continue
    assert.ok(warned[0]?.includes(`"level":40`) && warned[0].includes(warning), warned[0])
  }
})
