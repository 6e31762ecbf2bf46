import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { startApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { databaseWithTables, NO_POSTGRES } from '../support/engine.ts'
import { eventually } from '../support/process.ts'

const skip = NO_POSTGRES
/** The guaranteed times, with a margin for a busy machine, in milliseconds. */
const NOT_READY_WITHIN = 2_000
const ANSWERED_WITHIN = 5_000
const ROOM = 3_000

/** A database, and a way to it that can be frozen. */
async function proxied(t: TestContext, name: string) {
  const direct = new URL(await databaseWithTables(name))
  const proxy = await startCuttingProxy(Number(direct.port))
  t.after(() => proxy.close())
  const through = new URL(direct)
  through.hostname = '127.0.0.1'
  through.port = String(proxy.port)
  return { direct: direct.href, through: through.href, proxy }
}

test('a node that is cut off from PostgreSQL is not ready within 2 s, answers waiting requests within 5 s, and serves again afterwards', {
  skip,
}, async t => {
  const { through, proxy } = await proxied(t, 'cut off')
  const { url } = await startApp({ DATABASE_URL: through })
  const { token } = await newActor(url)
  const entry = await newEntry(url, token)
  const ready = async () => (await call(url, 'GET', '/ready')).status
  await eventually('it is ready', 60_000, async () => (await ready()) === 200 || undefined)

  proxy.freeze()
  const cutAt = performance.now()
  const text = { title: 'Cut off', summary: 'S', content: 'C' }
  const reads = [
    '/api/entries',
    `/api/entries/${entry.slug}/revisions`,
    '/api/search?q=cut',
    '/api/stats',
    '/api/activity',
  ]
  const waiting = [
    ...reads.map(path => call(url, 'GET', path)),
    call(url, 'GET', `/api/entries/${entry.slug}`, { token }),
    call(url, 'POST', '/api/entries', { token, body: text }),
    call(url, 'POST', '/api/actors', { body: {} }),
  ].map(async sent => ({ status: (await sent).status, after: performance.now() - cutAt }))
  await eventually('it is not ready', NOT_READY_WITHIN + ROOM, async () => (await ready()) === 503 || undefined)
  for (const { status, after } of await Promise.all(waiting)) {
    assert.equal(status, 503)
    assert.ok(after < ANSWERED_WITHIN + ROOM, `answered after ${after} ms`)
  }
  const refusedAt = performance.now()
  assert.equal((await call(url, 'GET', '/api/entries')).status, 503)
  assert.ok(performance.now() - refusedAt < ANSWERED_WITHIN)

  proxy.thaw()
  await eventually('it is ready again', 60_000, async () => (await ready()) === 200 || undefined)
  await newEntry(url, token)
})

test('a write whose commit was not confirmed when the node was cut off gets OUTCOME_UNKNOWN, and a retry finds it', {
  skip,
}, async t => {
  const { direct, through, proxy } = await proxied(t, 'cut off in a commit')
  const { url } = await startApp({ DATABASE_URL: through })
  const { token } = await newActor(url)
  const send = () => {
    const body = { title: 'Unknown', summary: 'S', content: 'C' }
    return call<Entry>(url, 'POST', '/api/entries', { token, body, headers: { 'idempotency-key': 'of-the-unknown' } })
  }
  await withClient(direct, async client => {
    await client.query(`CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER linger AFTER INSERT ON entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION linger()`)
    const written = send()
    const sleeping = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`
    while ((await client.query(sleeping)).rows.length === 0);
    proxy.freeze()
    expectProblem((await written) as never, 503, 'OUTCOME_UNKNOWN')
    assert.equal((await client.query('SELECT count(*)::int AS n FROM entry')).rows[0].n, 1)
  })
  proxy.thaw()
  await eventually('the same again is answered', 60_000, async () => (await send()).status === 201 || undefined)
  expectStatus(await send(), 201)
  const { body: list } = await call<{ items: Entry[] }>(url, 'GET', '/api/entries')
  assert.equal(list.items.length, 1)
})
