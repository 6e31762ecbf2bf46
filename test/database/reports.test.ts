import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPEN_REPORTS } from '../../src/contract/limits.ts'
import type { Problem } from '../../src/contract/problem.ts'
import { sql } from '../../src/engine/database.ts'
import type { SqliteConnection } from '../../src/engine/sqlite.ts'
import { countOpenReports } from '../../src/memory/moderation/report-rows.ts'
import { openEmbedded } from './bare-store.ts'

test('open reports of all targets together have a maximum', async t => {
  const store = await openEmbedded(t)
  const origin = { id: 'origin', day: '2026-11-21', networkKey: 'network', voice: 'origin' }
  const caller = { requestId: '01990000-0000-7000-8000-000000000009', actor: null, origin }
  const write = (name: Parameters<typeof store.write>[0], body: object, actor: number | null = null) =>
    store.write(name, { params: {}, body, caller: { ...caller, actor } })
  await write('createActor', {})
  const { id } = (await write('createEntry', { title: 'T', content: 'C', summary: 'S' }, 1)).body as { id: string }
  ;(store.reader as SqliteConnection).run(sql`
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${OPEN_REPORTS.inAll - 1})
    INSERT INTO report (id, target_type, target_id, entry, secret_hash, reason, request_id, created_at)
    SELECT 'report ' || i, 'ENTRY', 'target ' || i, 1, '', 'SPAM', 'request', 1 FROM n`)
  const report = { targetType: 'ENTRY', targetId: id, reason: 'SPAM' }
  await write('createReport', report)
  assert.equal(await countOpenReports(store.reader), OPEN_REPORTS.inAll)
  await write('createReport', { ...report, reason: 'ABUSE' })
  const other = (await write('createEntry', { title: 'U', content: 'C', summary: 'S' }, 1)).body as { id: string }
  await assert.rejects(write('createReport', { ...report, targetId: other.id }), (problem: Problem) => {
    assert.equal(problem.code, 'OVERLOADED')
    assert.ok((problem.detail.retryAfter ?? 0) >= 60)
    return true
  })
  ;(store.reader as SqliteConnection).run(sql`UPDATE report SET resolved_at = 2 WHERE number = 1`)
  await write('createReport', { ...report, targetId: other.id })
})
