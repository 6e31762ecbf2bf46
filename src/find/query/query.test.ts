import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type IndexedState, putEntries } from '../index/changes.ts'
import { openIndex, saveIndexedRecord } from '../index/file.ts'
import { searchIndex } from './query.ts'

const ENTRIES = 2_100
/** The newest entries that a search by relevance ranks. */
const WINDOW = 2_000

/** Every 10th title says the word twice; always three entries have one time, and their ids descend by number. */
const entryOf = (n: number): IndexedState => ({
  ...{ entry: n, revision: n, change: n, revisions: 1, withdrawn: 0, tags: [], summary: '', content: '' },
  ...{ id: `id ${9_999 - n}`, updated_at: Math.floor(n / 3), title: n % 10 === 0 ? 'otter otter' : 'otter' },
})

test('a search by relevance ranks the newest matches, then lists the older ones, each once', () => {
  const directory = mkdtempSync(join(tmpdir(), 'palimpsest-query-'))
  const index = openIndex(join(directory, 'index.db'), { storeId: 'store', record: 0, storeEpoch: 0 })
  try {
    const all = Array.from({ length: ENTRIES }, (_, at) => entryOf(at + 1))
    index.step('BEGIN IMMEDIATE')
    putEntries(index, all)
    saveIndexedRecord(index, ENTRIES)
    index.step('COMMIT')
    const listed: number[] = []
    for (let more = true; more; ) {
      const page = searchIndex(index, { q: 'otter', tag: null, sort: 'relevance', limit: 90, offset: listed.length })
      listed.push(...page.entries)
      more = page.more
    }
    const newest = all.toReversed()
    const byTime = (a: IndexedState, b: IndexedState): number => b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1)
    const twice = ({ title }: IndexedState): number => Number(title !== 'otter')
    const expected = [
      ...newest.slice(0, WINDOW).toSorted((a, b) => twice(b) - twice(a) || byTime(a, b)),
      ...newest.slice(WINDOW).toSorted(byTime),
    ]
    assert.deepEqual(
      listed,
      expected.map(({ entry }) => entry),
    )
  } finally {
    index.close()
    rmSync(directory, { recursive: true })
  }
})
