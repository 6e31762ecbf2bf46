import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { call, newActor, newEntry } from '../support/client.ts'
import type { Server } from '../support/cluster.ts'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { eventually, makeDirectory, startServer } from '../support/process.ts'
import { caughtUp, type Replicated, replicated, run } from './replicated.ts'

const skip = NO_POSTGRES
const PATIENCE = 60_000
/** How long a read may wait for a silent standby, with a margin for a busy machine, in milliseconds. */
const ANSWERED_WITHIN = 8_000

/** A node that reads at these addresses, and a path of it that is read from a standby. */
async function readingNode(t: TestContext, database: Replicated, readUrls: readonly string[]) {
  const { url, standbys, urlAt } = database
  const directory = makeDirectory()
  const env = { DATABASE_URL: url, DATABASE_READ_URL: readUrls.join() }
  const node = await startServer(directory.path, { env })
  t.after(async () => {
    assert.equal((await node.stop()).code, 0)
    directory.remove()
  })
  const ready = async () => (await call(node.url, 'GET', '/ready')).status === 200 || undefined
  await eventually('the node is ready', PATIENCE, ready)
  const { token } = await newActor(node.url)
  const publish = () => newEntry(node.url, token)
  const { slug } = await publish()
  for (const standby of standbys) await caughtUp(url, urlAt(standby))
  return { publish, node: node.url, path: `/api/entries/${slug}/revisions` }
}

/** A node with two standbys. Its list has the primary too. */
async function twoStandbys(t: TestContext) {
  const database = await replicated(t, 2)
  const { url, standbys, urlAt } = database
  const [one, other] = standbys
  assert.ok(one !== undefined && other !== undefined)
  return { database, one, other, ...(await readingNode(t, database, [url, urlAt(one), urlAt(other)])) }
}

/** Pauses the replay of a standby. PostgreSQL answers at once and pauses later, before the next record. */
async function pauseReplay(url: string): Promise<void> {
  await run(url, 'SELECT pg_wal_replay_pause()')
  await eventually('the replay is paused', PATIENCE, async () => {
    const { rows } = await run(url, "SELECT pg_get_wal_replay_pause_state() = 'paused' AS paused")
    return rows[0]?.paused || undefined
  })
}

/** The standbys that answer this read now. */
async function answering({ standbys, urlAt }: Replicated, read: () => Promise<unknown>): Promise<Server[]> {
  const since = Date.now()
  await read()
  const found = await Promise.all(standbys.map(standby => run(urlAt(standby), answered(since)).catch(() => undefined)))
  return standbys.filter((_, n) => found[n]?.rows[0]?.answered)
}
const answered = (since: number): string => `SELECT count(*) > 0 AS answered FROM pg_stat_activity
  WHERE application_name = 'palimpsest standby reader' AND query LIKE '%revision%'
    AND state_change >= to_timestamp(${since} / 1000.0)`

test('reads leave a standby that stops, none fails, and they return when it is back', { skip }, async t => {
  const { database, one, other, node, path } = await twoStandbys(t)
  const read = () => call(node, 'GET', path)
  const isRead = (wanted: Server) => async () => (await answering(database, read)).includes(wanted) || undefined
  const statuses = new Map<number, number>()
  let going = true
  const reading = Promise.all(
    Array.from({ length: 3 }, async () => {
      for (; going; await setTimeout(20)) {
        const { status } = await read()
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }),
  )
  t.after(() => {
    going = false
  })
  const [used = one] = await eventually('a standby is read', PATIENCE, async () => {
    const servers = await answering(database, read)
    return servers.length > 0 ? servers : undefined
  })
  const left = used === one ? other : one
  await used.stop('immediate')
  await eventually('the other standby is read', PATIENCE, isRead(left))
  await used.start()
  await left.stop('immediate')
  await eventually('the first standby is read again', PATIENCE, isRead(used))
  await used.stop('immediate')
  for (let n = 0; n < 20; n++) assert.equal((await read()).status, 200, 'the primary is read')
  going = false
  await reading
  assert.deepEqual([...statuses.keys()], [200])
})

test('reads leave a standby that no longer replays, and return when it does', { skip }, async t => {
  const { database, one, other, publish, node, path } = await twoStandbys(t)
  const { urlAt } = database
  const read = () => call(node, 'GET', path)
  for (const [paused, wanted] of [
    [one, other],
    [other, one],
  ] as const) {
    await pauseReplay(urlAt(paused))
    // Only later reads have something to wait for.
    const { slug } = await publish()
    let asked = 0
    for (let n = 0; n < 20; n++) {
      const { body } = await call<{ slug: string }>(node, 'GET', `/api/entries/${slug}`)
      assert.equal(body.slug, slug)
      if ((await answering(database, read)).includes(paused)) asked++
    }
    // The first read that is sent to it waits in vain.
    assert.ok(asked <= 1, `the standby that no longer replays was asked for ${asked} reads`)
    await eventually(
      'the other standby is read',
      PATIENCE,
      async () => (await answering(database, read)).includes(wanted) || undefined,
    )
    await run(urlAt(paused), 'SELECT pg_wal_replay_resume()')
    await caughtUp(database.url, urlAt(paused))
  }
})

test('a node that is cut off from its standby alone stays ready and reads from the primary', { skip }, async t => {
  const database = await replicated(t, 1)
  const [standby] = database.standbys
  assert.ok(standby !== undefined)
  const proxy = await startCuttingProxy(standby.port)
  t.after(() => proxy.close())
  const through = new URL(database.urlAt(standby))
  through.port = String(proxy.port)
  const { node, path } = await readingNode(t, database, [through.href])
  const read = () => call(node, 'GET', path)
  await eventually(
    'the standby is read',
    PATIENCE,
    async () => (await answering(database, read)).length > 0 || undefined,
  )
  proxy.freeze()
  const frozenAt = performance.now()
  for (const asked of [path, '/api/entries', '/ready']) assert.equal((await call(node, 'GET', asked)).status, 200)
  const after = performance.now() - frozenAt
  assert.ok(after < ANSWERED_WITHIN, `answered after ${after} ms`)
  proxy.thaw()
  await eventually(
    'the standby is read again',
    PATIENCE,
    async () => (await answering(database, read)).length > 0 || undefined,
  )
})
