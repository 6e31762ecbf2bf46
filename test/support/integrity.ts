import assert from 'node:assert/strict'
import { damageOfTotals } from '../../src/cli/check/rows.ts'
import { type Reader, sql } from '../../src/engine/database.ts'
import { listRevisions, toRevision } from '../../src/memory/entries/rows.ts'
import { evidenceHash } from '../../src/memory/entries/rules.ts'
import { SEQUENCE_GAP } from '../../src/memory/head-rows.ts'
import { columnOf } from './client.ts'
import type { Sent } from './load.ts'

const count = async (store: Reader, from: string): Promise<number> =>
  (await store.one<{ n: number }>({ text: `SELECT count(*) AS n FROM ${from}`, values: [] }))?.n ?? 0

/**
 * Asserts that the store contains nothing incomplete: numbers are dense, chains are complete, and every write has exactly one activity row.
 * After each of `failovers`, the sequence has the documented gap.
 */
export async function assertWhole(store: Reader, failovers = 0): Promise<void> {
  if ('raw' in store) {
    const integrity = await store.all<{ integrity_check: string }>(sql`PRAGMA integrity_check`)
    assert.deepEqual(columnOf(integrity, 'integrity_check'), ['ok'])
    assert.deepEqual(await store.all(sql`PRAGMA foreign_key_check`), [])
  }
  const head = await store.one<Record<string, number>>(sql`SELECT * FROM head`)
  assert.ok(head)
  const gaps = failovers * SEQUENCE_GAP
  assert.equal((await count(store, 'activity')) + gaps, head.sequence, 'sequences are dense')
  const steps = '(SELECT sequence - lag(sequence) OVER (ORDER BY sequence) AS step FROM activity) steps'
  assert.equal(await count(store, `${steps} WHERE (step - 1) % ${SEQUENCE_GAP} <> 0`), 0, 'gaps are those of failovers')
  const last = await store.one<{ n: number }>(sql`SELECT coalesce(max(sequence), 0) AS n FROM activity`)
  assert.equal(last?.n, head.sequence)
  const records = ['revision', 'evidence', 'relation', 'moderation']
  const numbers = records.map(table => `SELECT number FROM ${table}`).join(' UNION ')
  assert.equal(await count(store, `(${numbers}) numbers`), head.record, 'records are dense')
  assert.equal(await damageOfTotals(store), undefined)
  assert.equal(
    await count(
      store,
      'revision r WHERE (SELECT count(*) FROM activity a WHERE a.revision = r.number AND a.action = r.change_type) <> 1',
    ),
    0,
    'every revision has its one activity row',
  )
  assert.equal(
    await count(
      store,
      'evidence v WHERE (SELECT count(*) FROM activity a WHERE a.subject = v.number AND a.action = v.kind) <> 1',
    ),
    0,
    'every piece of evidence has its one activity row',
  )
  await assertChains(store)
}

async function assertChains(store: Reader): Promise<void> {
  const entries = await store.all<{ number: number; revision: number; revisions: number; evidence: number }>(
    sql`SELECT number, revision, revisions, evidence FROM entry`,
  )
  for (const entry of entries) {
    const rows = [...(await listRevisions(store, entry.number, Number.MAX_SAFE_INTEGER, 100_000))].reverse()
    assert.equal(rows.at(-1)?.number, entry.revision, 'the latest revision is the head')
    assert.equal(rows.length, entry.revisions)
    let previous: string | null = null
    for (const [index, row] of rows.entries()) {
      assert.equal(row.ordinal, index + 1)
      assert.equal(row.previous_id, rows[index - 1]?.id ?? null)
      const { evidenceHash: kept, ...unhashed } = toRevision(row)
      assert.equal(kept, evidenceHash(unhashed, previous))
      previous = kept
    }
    assert.equal(await count(store, `evidence WHERE entry = ${entry.number}`), entry.evidence)
  }
}

/**
 * Asserts that every acknowledged write is stored exactly once, as acknowledged, and that the store contains no duplicates and no unsent
 * writes.
 */
export async function assertKept(store: Reader, sent: readonly Sent[]): Promise<void> {
  const kept = new Map<string, string[]>()
  const note = (mark: string, id: string): unknown => kept.set(mark, [...(kept.get(mark) ?? []), id])
  for (const row of await store.all<{ id: string; content: string }>(sql`SELECT id, content FROM revision`))
    note(row.content, row.id)
  for (const row of await store.all<{ id: string; rationale: string }>(sql`SELECT id, rationale FROM evidence`))
    note(row.rationale, row.id)
  for (const { mark, status, id, unknown } of sent) {
    const ids = kept.get(mark) ?? []
    kept.delete(mark)
    if (status === 201) assert.deepEqual(ids, [id], `${mark} was acknowledged`)
    else if (status !== undefined && !unknown) assert.deepEqual(ids, [], `${mark} was refused with ${status}`)
    else assert.ok(ids.length <= 1, `${mark} is there twice`)
  }
  assert.deepEqual([...kept.keys()], [], 'everything there was sent')
}
