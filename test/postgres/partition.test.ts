import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Activity, Entry } from '../../src/contract/resources.ts'
import { partitionActivity } from '../../src/postgres/partitions/activity.ts'
import { withPartitionSessions } from '../../src/postgres/partitions/maintenance.ts'
import { SEQUENCE_GAP } from '../../src/store/head.ts'
import { startApp } from '../support/app.ts'
import { allPages, call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { withClient } from '../support/cluster.ts'
import { databaseWithTables, NO_POSTGRES } from '../support/engine.ts'
import { createClient } from '../support/load.ts'
import { assertSound, withNodes, writeThrough } from '../support/nodes.ts'
import { spawnService } from '../support/process.ts'

const skip = NO_POSTGRES
const HOUR = 3_600_000
const KILLS = 4
/** How long the division may need on a slow machine, in milliseconds. */
const PATIENCE = 150_000

const divide = (database: string) => spawnService(['partition'], { env: { DATABASE_URL: database } })

const countIn = (database: string, table: string, condition = 'true'): Promise<number> =>
  withClient(database, async client => {
    const { rows } = await client.query(`SELECT count(*)::int AS n FROM ${table} WHERE ${condition}`)
    return rows[0].n
  })

/** Reads the feed and entries through every node until \`stop\`, which returns the statuses. */
function readThrough(urls: readonly string[]) {
  let stopping = false
  const statuses = new Map<number, number>()
  const reading = urls.map(async url => {
    const client = createClient(url, 2)
    while (!stopping) {
      const feed = await client.send('GET', '/api/activity?limit=20')
      statuses.set(feed.status, (statuses.get(feed.status) ?? 0) + 1)
      const { items } = JSON.parse(feed.text) as { items: Activity[] }
      const named = items.find(({ entryId }) => entryId !== null)
      for (const path of named === undefined
        ? []
        : [`/api/entries/${named.entryId}`, `/api/entries/${named.entryId}/timeline`]) {
        const { status } = await client.send('GET', path)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
      await setTimeout(5)
    }
    client.close()
  })
  return async (): Promise<Map<number, number>> => {
    stopping = true
    await Promise.all(reading)
    return statuses
  }
}

test(
  'a store is divided while two nodes write and read, also after kills, and nothing is lost, doubled or refused',
  {
    skip,
  },
  () =>
    withNodes({ count: 2, shared: true }, async nodes => {
      const writing = writeThrough(nodes.urls, 4, 'divided')
      const reading = readThrough(nodes.urls)
      for (let n = 0; n < KILLS; n++) {
        const killed = divide(nodes.database)
        await setTimeout(400 + 150 * n)
        killed.child.kill('SIGKILL')
        await killed.ended
      }
      let end = await divide(nodes.database).ended
      // The session of a killed command may still have its lock, and other transactions are in the way: then it asks to be run again.
      const late = performance.now() + PATIENCE
      while (end.code !== 0 && performance.now() < late) {
        await setTimeout(1_000)
        end = await divide(nodes.database).ended
      }
      assert.equal(end.code, 0, end.stderr)
      assert.match(end.stdout, /^The activity is divided/)
      await withClient(nodes.database, client => client.query(`UPDATE head SET sequence = sequence + ${SEQUENCE_GAP}`))
      const deadline = performance.now() + 60_000
      while ((await countIn(nodes.database, 'activity_expiring')) < 10 && performance.now() < deadline)
        await setTimeout(200)
      const sent = await writing.stop()
      const statuses = await reading()
      assert.deepEqual([...statuses.keys()], [200])
      const refused = sent.filter(({ kind, status }) => status !== (kind === 'stale' ? 409 : 201))
      assert.deepEqual(refused, [])
      await assertSound(nodes.database, sent, 1)
      assert.ok((await countIn(nodes.database, 'activity_expiring')) >= 10)
      assert.ok((await countIn(nodes.database, 'activity_kept')) > 0)
      assert.equal(await countIn(nodes.database, 'activity_kept', 'hour IS NOT NULL'), 0)
      assert.equal(await countIn(nodes.database, 'pg_constraint', `conname = 'number_fence'`), 0)
      const again = await divide(nodes.database).ended
      assert.equal(again.code, 0, again.stderr)
      assert.match(again.stdout, /^The activity is divided\.$/m)
      await withClient(nodes.database, client => client.query('CREATE EXTENSION IF NOT EXISTS amcheck'))
      const check = await spawnService(['check'], { env: { DATABASE_URL: nodes.database } }).ended
      assert.equal(check.code, 0, check.stderr)
      assert.match(check.stdout, /all B-trees were checked/)
    }),
)

/** Advances the numbers of a store without writes past the limit of its open part. */
const passLimit = (database: string): Promise<unknown> =>
  withClient(database, client => client.query('UPDATE head SET sequence = sequence + 30000'))

test('the reads of each day are in a part of their own, which is dropped when all of them have expired', {
  skip,
}, async () => {
  const DATABASE_URL = await databaseWithTables('parts of days')
  const app = await startApp({ DATABASE_URL, ACTIVITY_RETENTION_DAYS: '3', OBSERVATION_FLUSH_SECONDS: '0' })
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token)
  const read = async (): Promise<void> => {
    const answer = await call<Entry>(app.url, 'GET', `/api/entries/${entry.slug}`, { token })
    expectStatus(answer, 200)
  }
  const reads = async (): Promise<number> =>
    (await allPages<Activity>(app.url, '/api/activity')).filter(({ action }) => action === 'READ').length
  await read()
  assert.equal(await reads(), 1)
  const role = `reader_${randomBytes(6).toString('hex')}`
  await withClient(DATABASE_URL, client =>
    client.query(`CREATE ROLE ${role}; GRANT SELECT, INSERT ON activity TO ${role}`),
  )
  const first = await withPartitionSessions(DATABASE_URL, sessions => partitionActivity(sessions, Date.now()))
  await withClient(DATABASE_URL, async client => {
    const rights = `SELECT has_table_privilege('${role}', 'activity', 'SELECT, INSERT') AS has, has_table_privilege('${role}', 'activity', 'DELETE') AS more`
    assert.deepEqual((await client.query(rights)).rows, [{ has: true, more: false }])
    await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })
  assert.ok(first !== undefined)
  await passLimit(DATABASE_URL)
  await read()
  assert.equal(await reads(), 1, 'the hour of the division has one row of the read')
  const parts = (): Promise<string[]> =>
    withClient(DATABASE_URL, async client => {
      const of = `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'activity_expiring'::regclass ORDER BY inhrelid`
      return (await client.query(of)).rows.map(({ name }) => name)
    })
  for (let day = 1; day <= 3; day++) {
    app.advance(24 * HOUR)
    await read()
    await read()
    assert.equal(await reads(), day + 1)
    await app.sweep(0)
    await passLimit(DATABASE_URL)
  }
  const [oldest, ...later] = await parts()
  assert.ok(later.length > 0)
  app.advance(72 * HOUR)
  await app.sweep(0)
  const left = await parts()
  assert.ok(!left.includes(String(oldest)), `${left}`)
  assert.equal(await reads(), 1, 'the read of the last three days is there')
})

const hasBoundCheck = async (database: string): Promise<boolean> =>
  (await countIn(database, 'pg_constraint', `conname = 'number_fence'`)) > 0

test('a division that a long transaction is in the way of changes nothing, and a node removes what a killed one left', {
  skip,
}, async () => {
  const DATABASE_URL = await databaseWithTables('divided in vain')
  const app = await startApp({ DATABASE_URL })
  const { token } = await newActor(app.url)
  await newEntry(app.url, token)
  await withClient(DATABASE_URL, async client => {
    await client.query('BEGIN; SELECT count(*) FROM activity')
    await assert.rejects(
      withPartitionSessions(DATABASE_URL, sessions => partitionActivity(sessions, Date.now()), 500),
      /Other transactions/,
    )
    await newEntry(app.url, token)
    await client.query('COMMIT')
    assert.equal(await hasBoundCheck(DATABASE_URL), false)
    await client.query('ALTER TABLE activity ADD CONSTRAINT number_fence CHECK (sequence < 1000000) NOT VALID')
    // No session may be in the way when writes come close to the limit.
    await client.query('UPDATE head SET sequence = 999000')
  })
  const reader = withClient(DATABASE_URL, async client => {
    await client.query('BEGIN; SELECT count(*) FROM activity')
    await setTimeout(20_000, undefined, { ref: false })
  }).catch(() => {})
  await setTimeout(200)
  await app.sweep(0)
  assert.equal(await hasBoundCheck(DATABASE_URL), false)
  await newEntry(app.url, token)
  void reader
})
