import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Activity, Entry } from '../../src/contract/resources.ts'
import { startApp } from '../support/app.ts'
import { allPages, call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { databaseWithTables, NO_POSTGRES } from '../support/engine.ts'
import { eventually } from '../support/process.ts'

const skip = NO_POSTGRES
const DAY = 24 * 3_600_000
/** Rows with which the part of a small store is larger than 64 MiB. */
const MANY = 50_000

/** A service over a database of its own, which keeps reads for three days, so that a part has one day. */
async function startParted(name: string) {
  const DATABASE_URL = await databaseWithTables(name)
  const app = await startApp({ DATABASE_URL, ACTIVITY_RETENTION_DAYS: '3', OBSERVATION_FLUSH_SECONDS: '0' })
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token)
  const ask = (text: string) => withClient(DATABASE_URL, async client => (await client.query(text)).rows)
  return {
    ...{ app, ask, url: DATABASE_URL },
    async read(): Promise<void> {
      expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${entry.slug}`, { token }), 200)
    },
    /** Sweeps until the parts are as expected: another user of a table, such as autovacuum, delays a change of parts. */
    async sweepUntil(what: string, found: (parts: string[]) => boolean): Promise<string[]> {
      return eventually(what, 60_000, async () => {
        await app.sweep(0)
        const parts = await this.parts()
        return found(parts) ? parts : undefined
      })
    },
    /** The reads of the public feed, which waits for the rows of earlier reads. */
    reads: async (): Promise<number> =>
      (await allPages<Activity>(app.url, '/api/activity')).filter(({ action }) => action === 'READ').length,
    parts: async (): Promise<string[]> =>
      (
        await ask(`SELECT inhrelid::regclass::text AS name FROM pg_inherits
          WHERE inhparent = 'activity_reads'::regclass AND inhrelid <> 'activity_reads_rest'::regclass ORDER BY 1`)
      ).map(({ name }) => name),
    /** Stores so many old searches of the internal class that the store is large. */
    grow: () =>
      ask(`INSERT INTO activity (sequence, actor, action, request_id, metadata, data_class, created_at, hour)
        SELECT -g, 1, 'SEARCH', 'r', (SELECT string_agg(md5(n || '-' || g), '') FROM generate_series(1, 45) n), 'INTERNAL', 1, (SELECT max(hour) FROM activity) - g
        FROM generate_series(1, ${MANY}) g`),
  }
}

test('a small store has one part of reads, and a large one a part for each day, which is dropped when it has expired', {
  skip,
}, async () => {
  const store = await startParted('parts of days')
  const { app, ask, grow, parts, read, reads } = store
  await read()
  assert.equal(await reads(), 1)
  await app.sweep(0)
  assert.deepEqual(await parts(), [])
  await grow()
  const [first = ''] = await store.sweepUntil('a first part', found => found.length === 1)
  assert.equal(await reads(), 1)
  for (let day = 1; day <= 3; day++) {
    app.advance(DAY)
    await read()
    await read()
    assert.equal(await reads(), day + 1)
    await store.sweepUntil('a part for the next day', found => found.length === day + 1)
  }
  const inParts = "SELECT count(*)::int AS n FROM activity_reads WHERE tableoid <> 'activity_reads_rest'::regclass"
  assert.equal((await ask(inParts))[0]?.n, 3)
  await ask(`DELETE FROM activity WHERE data_class = 'INTERNAL'`)
  app.advance(3 * DAY)
  // The last two parts of the three days, and one for the present.
  await store.sweepUntil('without the expired parts', found => found.length === 3 && !found.includes(first))
  await app.sweep(0)
  await read()
  assert.equal(await reads(), 2, 'the read of the last three days and the present one')
})

test('while a long transaction uses the reads, no part begins and reads are served; then one begins', {
  skip,
}, async () => {
  const store = await startParted('parts and a dump')
  const { app, url, grow, parts, read, reads } = store
  await read()
  assert.equal(await reads(), 1)
  await grow()
  await withClient(url, async client => {
    await client.query('BEGIN; SELECT count(*) FROM activity')
    await app.sweep(0)
    await read()
    assert.deepEqual(await parts(), [])
    await client.query('COMMIT')
  })
  await store.sweepUntil('a first part', found => found.length === 1)
})
