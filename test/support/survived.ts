import assert from 'node:assert/strict'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { sql } from '../../src/engine/database.ts'
import type { SqliteConnection } from '../../src/engine/sqlite.ts'
import { openEngine } from '../../src/engine.ts'
import { ADMIN_TOKEN } from './app.ts'
import { assertKept, assertWhole } from './integrity.ts'
import type { Sent } from './load.ts'

/** Everything acknowledged or shown before a fault: the ids of new records, and the sequence of each request. */
export type Shown = { ids: Set<string>; sequences: Map<string, string> }

/**
 * Opens a data directory after a fault, as a start would, and asserts that everything acknowledged or shown before is completely stored.
 */
export async function assertSurvived(dataDir: string, sent: readonly Sent[], shown: Shown): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir, ADMIN_TOKEN, ORIGIN_KEY: undefined })
  const engine = await openEngine(config, pino({ level: 'silent' }), Date.now)
  try {
    const { store } = engine
    const known = sent.map(one => {
      const { status, ...unanswered } = one
      return status !== 201 || shown.ids.has(String(one.id)) ? one : unanswered
    })
    await assertKept(store.reader, known)
    await assertWhole(store.reader)
    const rows = await store.reader.all<{ sequence: number; request_id: string }>(
      sql`SELECT sequence, request_id FROM activity`,
    )
    const requests = new Map(rows.map(row => [String(row.sequence), row.request_id]))
    for (const [sequence, request] of shown.sequences) {
      assert.equal(requests.get(sequence), request, `activity ${sequence} was shown`)
    }
    const found = await store.search({ q: 'note', tag: null, sort: 'recent', limit: 10_000, offset: 0 })
    const entries = (store.reader as SqliteConnection).all<{ number: number }>(
      sql`SELECT number FROM entry ORDER BY number`,
    )
    const numbers = found.matches.map(({ entry }) => entry).toSorted((a, b) => a - b)
    assert.deepEqual(
      numbers,
      entries.map(({ number }) => number),
      'the search index has the entries of the store',
    )
  } finally {
    await engine.limiter.close()
    await engine.store.close()
  }
}
