import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startApp } from '../support/app.ts'
import { call, callPatiently, columnOf, expectStatus, newActor, newEntry } from '../support/client.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { eventually } from '../support/process.ts'
import { caughtUp, replicated, run } from './replicated.ts'

const skip = NO_POSTGRES
const PATIENCE = 60_000
/** Longer than a statement of a write may take, in milliseconds. */
const LONGER = 4_000

test('a write whose commit was not confirmed by the synchronous standby is acknowledged only when it is', {
  skip,
}, async t => {
  const { standbys, url } = await replicated(t, 1)
  const [standby] = standbys
  await using app = await startApp({ DATABASE_URL: url, TLOG_INTERVAL_SECONDS: '3600' })
  const { token } = await newActor(app.url)
  await run(url, "ALTER SYSTEM SET synchronous_standby_names = '*'")
  await run(url, 'SELECT pg_reload_conf()')
  await newEntry(app.url, token)
  // Commits of the start, such as those of housekeeping, would wait before the write, and a node that connects again commits too.
  const quiet = `SELECT FROM pg_stat_activity WHERE application_name = 'palimpsest writer' AND state = 'idle' AND state_change < now() - interval '3 s'`
  await eventually(
    'the node has no more to commit',
    PATIENCE,
    async () => (await run(url, quiet)).rowCount || undefined,
  )

  await standby?.stop('fast')
  const body = { title: 'Unconfirmed', summary: 'S', content: 'C' }
  const written = `SELECT FROM revision WHERE title = '${body.title}'`
  let answered: number | undefined
  // Another commit of the node may wait first. When its session is ended, the write behind it is refused, and is sent again.
  const headers = { 'idempotency-key': randomUUID() }
  const writing = callPatiently(app.url, 'POST', '/api/entries', { token, body, headers }).then(answer => {
    answered = answer.status
    return answer
  })
  const waits = `FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'palimpsest writer'`
  await eventually('the commit waits', PATIENCE, async () => (await run(url, `SELECT ${waits}`)).rowCount || undefined)
  await setTimeout(LONGER)
  assert.equal(answered, undefined, 'no limit of a statement ends the wait')
  // A transaction whose session is ended while it waits is visible on the primary, and on no other server.
  await eventually('it is visible', PATIENCE, async () => {
    await run(url, `SELECT pg_terminate_backend(pid) ${waits}`)
    await setTimeout(100)
    return (await run(url, written)).rowCount || undefined
  })
  await setTimeout(LONGER)
  assert.equal(answered, undefined)
  await standby?.start()
  assert.equal((await writing).status, 201)
  assert.equal((await run(url, written)).rowCount, 1)
})

test('a standby with another history than the primary is not read', { skip }, async t => {
  const { cluster, standbys, url, urlAt } = await replicated(t, 2)
  const [next, other] = standbys
  assert.ok(next !== undefined && other !== undefined)
  const before = await startApp({ DATABASE_URL: url })
  const { token } = await newActor(before.url)
  const entry = await newEntry(before.url, token, { title: 'As it was' })
  await before.close()
  await caughtUp(url, urlAt(next))
  // Only the other standby receives this: more bytes than the next primary will write.
  await next.stop('fast')
  await run(url, 'CREATE TABLE lost AS SELECT repeat(md5(n::text), 100) FROM generate_series(1, 10000) n')
  await caughtUp(url, urlAt(other))
  await cluster.stop('immediate')
  await next.start()
  await next.promote()

  await using app = await startApp({ DATABASE_URL: urlAt(next), DATABASE_READ_URL: urlAt(other) })
  const body = { title: 'As it is', summary: 'S', content: 'C', changeType: 'CORRECT', rationale: 'R' }
  expectStatus(
    await call(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, {
      token,
      body: { ...body, previousRevisionId: entry.currentRevisionId },
    }),
    201,
  )
  const { body: list } = await call<{ items: { title: string }[] }>(
    app.url,
    'GET',
    `/api/entries/${entry.slug}/revisions`,
  )
  assert.deepEqual(columnOf(list.items, 'title'), ['As it is', 'As it was'])
})
