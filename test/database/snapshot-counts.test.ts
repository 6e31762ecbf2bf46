import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/engine/database.ts'
import type { Reads } from '../../src/memory/operation.ts'
import { READS } from '../../src/memory/run.ts'
import { openEmbedded } from './bare-store.ts'

const ROWS = 100_000
/** Rows that are counted in one turn of the event loop, at most. */
const STEP = 5_000

test('a snapshot counts many rows exactly, and yields the event loop in between', async t => {
  const { reader, connection, write } = await openEmbedded(t)
  const caller = { requestId: 'r', actor: null, origin: null }
  await write('createActor', { params: {}, body: {}, caller })
  connection.run(sql`
    INSERT INTO activity (sequence, actor, action, request_id, data_class, created_at)
    WITH RECURSIVE row(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < ${ROWS})
    SELECT CASE WHEN n < ${ROWS / 2} THEN n ELSE n + 1000000000 END, 1, 'SEARCH', 'r', 'EXTERNAL', 1 FROM row`)
  let turns = 0
  let next: NodeJS.Immediate
  const turn = (): void => {
    turns += 1
    next = setImmediate(turn)
  }
  next = setImmediate(turn)
  t.after(() => clearImmediate(next))
  const unbounded = { flushObservations: async () => {}, yieldIfOverBudget: () => undefined }
  const reads = { reader, ...unbounded } as unknown as Reads
  const { body } = await READS.readAdminSnapshot(reads, { params: {}, query: {} as never })
  clearImmediate(next)
  const { activity, truncated } = body as { activity: unknown[]; truncated: Record<string, number> }
  assert.equal(activity.length, 500)
  assert.equal(truncated.activity, ROWS - 500)
  assert.ok(turns >= ROWS / STEP, `${turns} turns`)
})
