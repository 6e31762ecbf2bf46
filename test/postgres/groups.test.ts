import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Client } from 'pg'
import { Problem } from '../../src/contract/problem.ts'
import type { Entry } from '../../src/contract/resources.ts'
import { sql, type Transaction } from '../../src/engine/database.ts'
import { connectPostgres } from '../../src/engine/postgres.ts'
import type { Observation } from '../../src/memory/activity/observe.ts'
import { runWorks } from '../../src/stores/postgres/group-session.ts'
import { startApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { databaseWithTables, NO_POSTGRES } from '../support/engine.ts'
import { eventually } from '../support/process.ts'

const skip = NO_POSTGRES
const PATIENCE = 60_000
const LOCK = 'SELECT one FROM head FOR UPDATE'
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

/** Blocks all writes until `during` is done. */
async function withWritesBlocked<T>(client: Client, during: () => Promise<T>): Promise<T> {
  await client.query('BEGIN')
  await client.query(LOCK)
  try {
    return await during()
  } finally {
    await client.query('COMMIT')
  }
}

/** Makes statements of one kind on a table fail with an error of the server if `when` is true. */
const failing = (client: Client, table: string, on: 'INSERT' | 'UPDATE', code: string, when = 'true') =>
  client.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF ${when} THEN RAISE EXCEPTION 'refused here' USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER refuse BEFORE ${on} ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`)

test('within an entry times never decrease, in either order of two waiting writes', { skip }, async () => {
  const DATABASE_URL = await databaseWithTables('times of a group')
  const { url } = await startApp({ DATABASE_URL })
  const author = await newActor(url)
  const entry = await newEntry(url, author.token)
  const verifiers = [await newActor(url), await newActor(url), await newActor(url), await newActor(url)]
  await withClient(DATABASE_URL, async client => {
    const written = await withWritesBlocked(client, async () => {
      const sent = []
      for (const [n, { token }] of verifiers.entries()) {
        // A write with a key reads the store once more, which delays it.
        const headers: Record<string, string> = n % 2 === 0 ? { 'idempotency-key': `key-of-${n}` } : {}
        const rationale = 'It was used as it stands, and came out as it says, on a machine like that of its author.'
        const body = { revisionId: entry.currentRevisionId, result: 'SUPPORTED', confidence: 0.9, rationale }
        sent.push(call(url, 'POST', `/api/entries/${entry.slug}/verify`, { token, body, headers }))
        await setTimeout(40)
      }
      while ((await client.query(WAITING)).rows.length === 0);
      return sent
    })
    for (const answer of await Promise.all(written)) expectStatus(answer, 201)
  })
  const { body } = await call<{ items: { sequence: number; timestamp: string }[] }>(
    url,
    'GET',
    `/api/entries/${entry.slug}/timeline?limit=50`,
  )
  const inOrder = body.items.toSorted((a, b) => a.sequence - b.sequence).map(({ timestamp }) => timestamp)
  assert.deepEqual(inOrder, inOrder.toSorted())
})

test('a refused report from a new address leaves the writes of its group in one commit', {
  skip,
}, async () => {
  const DATABASE_URL = await databaseWithTables('refused with others')
  const { url, store } = await startApp({ DATABASE_URL, TRUSTED_PROXIES: '127.0.0.1' })
  const { token } = await newActor(url)
  const body = { targetType: 'ENTRY', targetId: '00000000-0000-0000-0000-000000000000', reason: 'SPAM' }
  const headers = { 'x-forwarded-for': '203.0.113.7' }
  const writes = 20
  const before = (await store.metrics()).commits
  const answers = await withClient(DATABASE_URL, client =>
    withWritesBlocked(client, async () => {
      const refused = call(url, 'POST', '/api/reports', { body, headers })
      const written = Array.from({ length: writes }, (_, n) =>
        call(url, 'POST', '/api/entries', { token, body: { title: `Entry ${n}`, summary: 'S', content: 'C' } }),
      )
      while ((await store.metrics()).writesWaiting <= writes) await setTimeout(10)
      return [refused, ...written]
    }),
  )
  const [refused, ...written] = await Promise.all(answers)
  assert.equal(refused?.status, 404)
  for (const answer of written) expectStatus(answer, 201)
  // One commit for the writes that waited when the lock was requested, one for the later ones.
  const commits = (await store.metrics()).commits - before
  assert.ok(commits <= 2, `${commits} commits`)
})

test('an unfinished statement of a refused work throws, and the group stores nothing of it', { skip }, async t => {
  const url = await databaseWithTables('stray of a refused work')
  const app = await startApp({ DATABASE_URL: url })
  // A first write is answered once the database has its schema and its head.
  await newActor(app.url)
  const connection = await connectPostgres({ url, name: 'test', statementTimeout: 5_000, idleTimeout: 5_000 })
  t.after(() => connection.close())
  await connection.exec('CREATE TABLE note (text TEXT NOT NULL); BEGIN')
  let stray: Promise<unknown> | undefined
  const { outcomes } = await runWorks(connection, new Map(), [
    async tx => {
      stray = setTimeout(20).then(() => tx.run(sql`INSERT INTO note (text) VALUES ('stray')`))
      throw new Problem('TARGET_NOT_FOUND')
    },
    async tx => {
      await Promise.allSettled([setTimeout(50), stray])
      await tx.run(sql`INSERT INTO note (text) VALUES ('kept')`)
    },
  ])
  await connection.exec('COMMIT')
  await assert.rejects(stray ?? Promise.resolve(), /has ended/)
  assert.deepEqual(
    outcomes.map(outcome => 'error' in outcome),
    [true, false],
  )
  const [found] = await connection.send([{ text: 'SELECT text FROM note', values: [] }])
  assert.deepEqual(
    found?.rows.map(({ text }) => text),
    ['kept'],
  )
})

test('unfinished statements of a failed work store nothing', { skip }, async () => {
  const DATABASE_URL = await databaseWithTables('stray statements')
  const { store } = await startApp({ DATABASE_URL })
  const now = Date.now()
  const seen = (origin: string, userAgent: string): Observation => ({
    actor: null,
    origin: { id: origin, day: new Date(now).toISOString().slice(0, 10), networkKey: origin, voice: origin },
    userAgent,
    requestId: 'request',
    at: now,
    lastAt: now,
    times: 1,
    counted: false,
    action: 'SEARCH',
    entry: null,
    revision: null,
    metadata: { resultCount: 0, tag: null, sort: 'recent' },
  })
  const keep = (...userAgents: [string, string]) =>
    store.maintain('recordObservations', [seen('one', userAgents[0]), seen('two', userAgents[1])], {
      at: now,
      cooldown: 0,
      dataClass: 'EXTERNAL',
    })
  await keep('first', 'second')
  await withClient(DATABASE_URL, async client => {
    const actors = async () => (await client.query('SELECT count(*)::int AS n FROM actor')).rows[0].n as number
    const before = await actors()
    await failing(client, 'origin', 'UPDATE', '53100', "NEW.id = 'two'")
    await assert.rejects(keep('third', 'fourth'))
    await setTimeout(500)
    assert.equal(await actors(), before)
  })
})

/** Longer than a statement waits for a lock. */
const HELD = 4_000

test('a write is not refused together with an earlier one of its group that has waited for 5 s', { skip }, async () => {
  const DATABASE_URL = await databaseWithTables('patience of a group')
  const { url, store } = await startApp({ DATABASE_URL })
  const { token } = await newActor(url)
  const write = (title: string) =>
    call(url, 'POST', '/api/entries', { token, body: { title, summary: 'S', content: 'C' } })
  await withClient(DATABASE_URL, async client => {
    await failing(client, 'writer', 'INSERT', '40001')
    const first = write('The first')
    await eventually(
      'the first write waits',
      PATIENCE,
      async () => (await store.metrics()).writesWaiting === 1 || undefined,
    )
    await setTimeout(2_500)
    const second = write('The second')
    expectStatus(await first, 503)
    await client.query(
      'CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    )
    expectStatus(await second, 201)
  })
})

test('a commit whose answer was lost is found once the lock is free, after any time', { skip }, async t => {
  const direct = new URL(await databaseWithTables('lost and locked'))
  const proxy = await startCuttingProxy(Number(direct.port))
  t.after(() => proxy.close())
  const through = new URL(direct)
  through.hostname = '127.0.0.1'
  through.port = String(proxy.port)
  const { url } = await startApp({ DATABASE_URL: through.href })
  const { token } = await newActor(url)
  const body = { title: 'Lost', summary: 'Its answer was', content: 'It is stored.' }
  await withClient(direct.href, async client => {
    await client.query(`CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NEW; END $$;
      CREATE TRIGGER linger BEFORE INSERT ON entry FOR EACH ROW EXECUTE FUNCTION linger()`)
    const written = call<Entry>(url, 'POST', '/api/entries', { token, body })
    while (
      (
        await client.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
        )
      ).rows.length === 0
    );
    // The next commit is that of the write: the limiter's came before it.
    const cut = proxy.cut('commit')
    // A write that waits for the lock gets it as soon as that commit is durable.
    await withWritesBlocked(client, async () => {
      await cut
      await setTimeout(HELD)
    })
    expectStatus(await written, 201)
  })
  const { body: list } = await call<{ items: Entry[] }>(url, 'GET', '/api/entries')
  assert.equal(list.items.length, 1)
})

/** Works of a group, and the time in milliseconds that each takes before its first statement: more than works of one turn have. */
const COSTLY_WORKS = 8
const COSTLY = 2

test('costly works of one group begin in turns of their own, and share one transaction', { skip }, async t => {
  const url = await databaseWithTables('costly works of a group')
  const app = await startApp({ DATABASE_URL: url })
  await newActor(app.url)
  const connection = await connectPostgres({ url, name: 'test', statementTimeout: 5_000, idleTimeout: 5_000 })
  t.after(() => connection.close())
  await connection.exec('CREATE TABLE note (text TEXT NOT NULL); BEGIN')
  let turns = 0
  const count = (): void => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const beganIn: number[] = []
  const works = Array.from({ length: COSTLY_WORKS }, () => async (tx: Transaction) => {
    beganIn.push(turns)
    const until = performance.now() + COSTLY
    while (performance.now() < until);
    await tx.run(sql`INSERT INTO note (text) VALUES ('kept')`)
  })
  const { outcomes } = await runWorks(connection, new Map(), works)
  clearImmediate(next)
  await connection.exec('COMMIT')
  assert.equal(new Set(beganIn).size, COSTLY_WORKS, beganIn.join())
  assert.equal(outcomes.filter(outcome => 'result' in outcome).length, COSTLY_WORKS)
})
