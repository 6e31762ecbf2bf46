import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from '../../engine/database.ts'
import type { ChangedEntryRow } from '../../memory/entries/rows.ts'
import { openIndex, putEntries, saveIndexedRecord } from '../index/file.ts'
import { termsOf } from '../rules/words.ts'
import { allNewest, partFor } from './query.ts'

const ENTRIES = 1_000
const READ = 200
const TAG = 'even'

/** Every entry has `every` and `all`, each second one `second` and the tag, each 100th one `rare`. */
const entryOf = (n: number): ChangedEntryRow => ({
  ...{ number: n, revision: n, change: n, revisions: 1, withdrawn: 0, updated_at: n, id: `id ${n}`, content: '' },
  tags: JSON.stringify(n % 2 === 0 ? [TAG] : []),
  title: `every all ${n % 2 === 0 ? 'second' : ''}`,
  summary: n % 100 === 0 ? 'rare' : '',
})

test('a search for a phrase of frequent words reads the newest part of a large index, any other reads all', () => {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-newest-'))
  const index = openIndex(join(directory, 'index.db'), { storeId: 'store', record: 0, storeEpoch: 0 })
  try {
    index.run(sql`BEGIN IMMEDIATE`)
    putEntries(
      index,
      Array.from({ length: ENTRIES }, (_, at) => entryOf(at + 1)),
    )
    saveIndexedRecord(index, ENTRIES)
    index.run(sql`COMMIT`)
    const extent = { entries: ENTRIES, newest: ENTRIES }
    const readOf = (q: string, tag: string | null = null, most = READ): number =>
      ENTRIES - partFor(index, termsOf(q), tag, extent, most).above
    assert.equal(readOf('"every all"'), READ)
    assert.equal(readOf('rare "every all"'), READ)
    assert.equal(readOf('"every all" "all every"'), READ / 2)
    // Of the rarest word so many entries are read; the estimate is from 64 of them.
    assert.ok(Math.abs(readOf('"every second"') - 2 * READ) < 10)
    assert.equal(readOf('every all', TAG), ENTRIES)
    for (const q of ['every all', 'every all more', 'every rare', '"every rare"', 'every', ''])
      assert.equal(readOf(q), ENTRIES, q)
    assert.equal(readOf('"every all"', null, ENTRIES / 2.5), ENTRIES)
    const isSparse = (q: string): boolean => partFor(index, termsOf(q), null, extent, READ).isSparse
    assert.deepEqual([isSparse('"all every"'), isSparse('"rare all"')], [true, false])
    const numbers = allNewest(index, { match: '"all second"', above: 990, isSparse: true }, 999)
    assert.deepEqual(numbers, [998, 996, 994, 992])
  } finally {
    index.close()
    rmSync(directory, { recursive: true })
  }
})
