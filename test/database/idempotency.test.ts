import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Reader, sql } from '../../src/engine/database.ts'
import { migrate } from '../../src/engine/migrate.ts'
import { openSqlite, transact } from '../../src/engine/sqlite.ts'
import { forgetStoredAnswers, insertStoredAnswer } from '../../src/memory/idempotency/rows.ts'
import { idempotencyKeyOf } from '../../src/memory/idempotency/rules.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { type BareStore, openEmbedded, openPostgres } from './bare-store.ts'

const ORIGIN = { id: 'origin', day: '2026-01-01', networkKey: 'network', voice: 'origin' }

const kept = (reader: Reader) =>
  reader.all<{ number: number; id: string; answer: string }>(sql`SELECT number, id, answer FROM retry ORDER BY number`)

const TITLE = 'a stored answer is small, contains no text of its request, and opens only for its own caller'
test(TITLE, async t => keepOne(await openEmbedded(t)))
test(`${TITLE}, on PostgreSQL`, { skip: NO_POSTGRES }, async t => keepOne(await openPostgres(t)))

async function keepOne(store: BareStore): Promise<void> {
  const caller = { requestId: 'r', actor: null, origin: ORIGIN }
  await store.write('createActor', { params: {}, body: {}, caller })
  const content = 'x'.repeat(20_000)
  const body = { title: 'T', summary: 'S', content }
  const idempotency = { ...idempotencyKeyOf('secret', 'actor 1', 'key'), request: 'request' }
  const request = { params: {}, body, caller: { ...caller, actor: 1 }, idempotency }
  const [first, again] = [await store.write('createEntry', request), await store.write('createEntry', request)]
  assert.deepEqual(again, { ...first, replayed: true })
  assert.equal((first.body as { content: string }).content, content)
  const [row, ...others] = await kept(store.reader)
  assert.equal(others.length, 0)
  assert.ok(row !== undefined && row.answer.length < 2_000, `${row?.answer.length} characters`)
  // Another body under the same key and digest is impossible: the sealed answer is bound to both.
  const foreign = {
    ...request,
    idempotency: { ...idempotency, seal: idempotencyKeyOf('secret', 'actor 2', 'key').seal },
  }
  await assert.rejects(store.write('createEntry', foreign))
  assert.equal((await kept(store.reader)).length, 1)
}

test('the oldest stored answers are deleted first, a bounded number at a time: the expired ones, and those past the maximum', async t => {
  const store = openSqlite(':memory:', 'write')
  t.after(() => store.close())
  migrate(store, 1)
  const forget = (before: number, most: number, limit: number) =>
    transact(store, tx => forgetStoredAnswers(tx, before, most, limit))
  const left = async () => (await kept(store)).map(({ number }) => number)
  assert.equal(await forget(1, 0, 10), 0)
  await transact(store, async tx => {
    for (let at = 1; at <= 10; at++)
      await insertStoredAnswer(tx, { id: `${at}`, request: 'r', answer: 'a', created_at: 0, served: at })
  })
  assert.equal(await forget(1, 10, 100), 0)
  assert.equal(await forget(5, 10, 3), 3)
  assert.equal(await forget(5, 10, 3), 1)
  assert.deepEqual(await left(), [5, 6, 7, 8, 9, 10])
  assert.equal(await forget(0, 4, 1), 1)
  assert.equal(await forget(0, 4, 100), 1)
  assert.deepEqual(await left(), [7, 8, 9, 10])
})
