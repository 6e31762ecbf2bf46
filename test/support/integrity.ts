import assert from 'node:assert/strict'
import { sql } from '../../src/database/sql.ts'
import { openSqlite, type SqliteConnection } from '../../src/database/sqlite.ts'
import { evidenceHash } from '../../src/domain/revision.ts'
import { storeFile } from '../../src/embedded/files.ts'
import { listRevisions, toRevision } from '../../src/store/revision.ts'
import type { Sent } from './load.ts'

const count = (store: SqliteConnection, from: string): number =>
  (store.raw.prepare(`SELECT count(*) AS n FROM ${from}`).get() as { n: number }).n

/** Runs `check` on the store in a data directory, through a connection of its own that only reads. */
export async function inspect<T>(dataDir: string, check: (store: SqliteConnection) => T | Promise<T>): Promise<T> {
  const store = openSqlite(storeFile(dataDir), 'read')
  try {
    return await check(store)
  } finally {
    store.close()
  }
}

/** Asserts that nothing in the store is half there: numbers are dense, chains whole, and every write has its one activity row. */
export async function assertWhole(store: SqliteConnection): Promise<void> {
  const integrity = store.raw.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
  assert.deepEqual(
    integrity.map(row => row.integrity_check),
    ['ok'],
  )
  assert.deepEqual(store.raw.prepare('PRAGMA foreign_key_check').all(), [])
  const head = store.one<Record<string, number>>(sql`SELECT * FROM head`)
  assert.ok(head)
  assert.equal(count(store, 'activity'), head.sequence, 'sequences are dense')
  assert.equal(store.one<{ n: number }>(sql`SELECT coalesce(max(sequence), 0) AS n FROM activity`)?.n, head.sequence)
  const records = ['revision', 'evidence', 'relation', 'moderation']
  const numbers = records.map(table => `SELECT number FROM ${table}`).join(' UNION ')
  assert.equal(count(store, `(${numbers})`), head.record, 'records are dense')
  for (const [total, from] of [
    ['entries', 'entry WHERE withdrawn = 0'],
    ['revisions', 'revision'],
    ['verifications', "evidence WHERE kind = 'VERIFY'"],
    ['contradictions', "evidence WHERE kind = 'CONTRADICT'"],
  ] as const) {
    assert.equal(head[total], count(store, from), total)
  }
  assert.equal(
    count(
      store,
      'revision r WHERE (SELECT count(*) FROM activity a WHERE a.revision = r.number AND a.action = r.change_type) <> 1',
    ),
    0,
    'every revision has its one activity row',
  )
  assert.equal(
    count(
      store,
      'evidence v WHERE (SELECT count(*) FROM activity a WHERE a.subject = v.number AND a.action = v.kind) <> 1',
    ),
    0,
    'every piece of evidence has its one activity row',
  )
  await assertChains(store)
}

async function assertChains(store: SqliteConnection): Promise<void> {
  const entries = store.all<{ number: number; revision: number; revisions: number; evidence: number }>(
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
    assert.equal(count(store, `evidence WHERE entry = ${entry.number}`), entry.evidence)
  }
}

/** Asserts that every acknowledged write is there exactly once, as acknowledged, and that nothing is there twice or was never sent. */
export function assertKept(store: SqliteConnection, sent: readonly Sent[]): void {
  const kept = new Map<string, string[]>()
  const note = (mark: string, id: string): unknown => kept.set(mark, [...(kept.get(mark) ?? []), id])
  for (const row of store.all<{ id: string; content: string }>(sql`SELECT id, content FROM revision`))
    note(row.content, row.id)
  for (const row of store.all<{ id: string; rationale: string }>(sql`SELECT id, rationale FROM evidence`))
    note(row.rationale, row.id)
  for (const { mark, status, id } of sent) {
    const ids = kept.get(mark) ?? []
    kept.delete(mark)
    if (status === 201) assert.deepEqual(ids, [id], `${mark} was acknowledged`)
    else if (status !== undefined) assert.deepEqual(ids, [], `${mark} was refused with ${status}`)
    else assert.ok(ids.length <= 1, `${mark} is there twice`)
  }
  assert.deepEqual([...kept.keys()], [], 'everything there was sent')
}
