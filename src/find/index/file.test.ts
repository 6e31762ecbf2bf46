import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { sql } from '../../engine/database.ts'
import { openSqlite, type SqliteConnection } from '../../engine/sqlite.ts'
import type { ChangedEntryRow } from '../../memory/entries/rows.ts'
import { tagKey } from '../../memory/entries/rules.ts'
import type { SearchRequest } from '../../memory/searching.ts'
import { searchIndex } from '../query/query.ts'
import { termsOf } from '../rules/words.ts'
import {
  deleteIndex,
  indexedRecord,
  openIndex,
  putEntries,
  saveIndexedRecord,
  tidyIndex,
  undoIndexing,
} from './file.ts'

const directory = mkdtempSync(join(tmpdir(), 'palimpsest-index-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const STORE = { storeId: 'store', record: 0, storeEpoch: 0 }
let made = 0
const freshPath = (): string => join(directory, `${made++}.db`)

/** An entry whose numbers all come from `n`: a larger one was changed later. */
const entryOf = (n: number, members: Partial<ChangedEntryRow> = {}): ChangedEntryRow => ({
  number: n,
  withdrawn: 0,
  id: `id-${String(n).padStart(4, '0')}`,
  revision: n,
  change: n,
  updated_at: n,
  revisions: 1,
  title: 'Title',
  summary: 'Summary',
  content: 'Content',
  tags: '[]',
  ...members,
})

function withIndex<T>(entries: readonly ChangedEntryRow[], work: (index: SqliteConnection) => T): T {
  const index = openIndex(freshPath(), STORE)
  try {
    putEntries(index, entries)
    return work(index)
  } finally {
    index.close()
  }
}

/** The entries that have all terms of a query. */
function find(index: SqliteConnection, q: string, request: Partial<SearchRequest> = {}): number[] {
  const found = searchIndex(index, { q, tag: null, sort: 'recent', limit: 50, offset: 0, ...request })
  return found.coverage === 'ALL' ? found.entries : []
}

test('no part of a query or tag is read as syntax', () => {
  withIndex([entryOf(1, { content: 'and or not near title' })], index => {
    for (const q of [
      'AND',
      'OR',
      'NOT',
      'NEAR(a b)',
      'title:and',
      'and*',
      '^and',
      '-and',
      '(and',
      '"and',
      "and'",
      'a+b',
    ]) {
      assert.doesNotThrow(() => find(index, q), q)
    }
    assert.deepEqual(find(index, 'AND OR NOT'), [1])
    const text = fc.string({ unit: 'binary', maxLength: 40 })
    fc.assert(
      fc.property(text, text, (q, tag) => {
        const key = tagKey(tag)
        if (termsOf(q).length > 0 || key !== '') find(index, q, { tag: key === '' ? null : key })
      }),
    )
  })
})

test('a text of a script without spaces is found exactly where it is a substring', () => {
  const unit = fc.constantFrom('山', '川', '日')
  const texts = fc.array(fc.string({ unit, minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(texts, fc.string({ unit, minLength: 1, maxLength: 3 }), (contents, q) => {
      const entries = contents.map((content, n) => entryOf(n + 1, { content }))
      const expected = entries.filter(({ content }) => content.includes(q)).map(({ number }) => number)
      withIndex(entries, index => assert.deepEqual(find(index, q), expected.reverse()))
    }),
    { numRuns: 40 },
  )
})

test('fifty revised entries that are put together make one segment of each table at most', () => {
  const entries = Array.from({ length: 50 }, (_, n) => entryOf(n + 1, { content: `word${n} badger` }))
  withIndex(entries, index => {
    const segments = (table: string): number =>
      Number(index.raw.prepare(`SELECT count(DISTINCT segid) AS n FROM ${table}_idx`).get()?.n)
    const before = { terms: segments('terms'), ranked: segments('ranked') }
    index.run(sql`BEGIN`)
    putEntries(
      index,
      entries.map(entry => ({ ...entry, revision: entry.revision + 100, title: 'Revised' })),
    )
    index.run(sql`COMMIT`)
    for (const table of ['terms', 'ranked'] as const) assert.ok(segments(table) <= before[table] + 1)
    assert.equal(find(index, 'revised badger').length, 50)
    assert.deepEqual(find(index, 'title'), [])
  })
})

test('an index is reused for its store, and rebuilt for another store, an earlier state, or after damage', () => {
  const path = freshPath()
  const reopen = (storeId: string, newest: number): { record: number; found: number[] } => {
    const index = openIndex(path, { storeId, record: newest, storeEpoch: 0 })
    const state = { record: indexedRecord(index), found: find(index, 'title') }
    putEntries(index, [entryOf(1)])
    saveIndexedRecord(index, 5)
    index.close()
    return state
  }
  const empty = { record: 0, found: [] }
  assert.deepEqual(reopen('one', 5), empty)
  assert.deepEqual(reopen('one', 5), { record: 5, found: [1] })
  assert.deepEqual(reopen('one', 4), empty)
  assert.deepEqual(reopen('two', 5), empty)
  writeFileSync(path, 'no database '.repeat(1_000))
  assert.deepEqual(reopen('two', 5), empty)
  deleteIndex(path)
  assert.ok(!existsSync(path))
})

test('a word whose first transaction was rolled back is found by its prefix', () => {
  const index = openIndex(freshPath(), STORE)
  const put = (n: number): void => {
    index.exec('BEGIN')
    putEntries(index, [entryOf(n, { title: 'Palimpsest' })])
    saveIndexedRecord(index, n)
  }
  put(1)
  undoIndexing(index)
  put(2)
  index.exec('COMMIT')
  assert.deepEqual(
    index.all(sql`SELECT word FROM word WHERE word = 'palimpsest'`).map(({ word }) => word),
    ['palimpsest'],
  )
  assert.deepEqual(find(index, 'palim'), [2])
  index.close()
})

test('a search sees one state of the index while entries are indexed', () => {
  const path = freshPath()
  const writer = openIndex(path, STORE)
  putEntries(writer, [entryOf(1, { title: 'Palimpsests' })])
  saveIndexedRecord(writer, 1)
  const reader = openSqlite(path, 'read')
  const steps = 3
  for (let step = 1; step <= steps; step++) {
    let left = step
    const slow: SqliteConnection = {
      ...reader,
      each(statement) {
        if (--left === 0)
          putEntries(writer, [entryOf(1, { revision: 1 + step, title: step === 2 ? 'Palimpsests' : 'Palimpsest' })])
        return reader.each(statement)
      },
    }
    assert.deepEqual(find(slow, 'palimpsest', { sort: 'relevance' }), [1], `changed before step ${step}`)
  }
  reader.close()
  writer.close()
})

test('a prefix with very many words is found', () => {
  const entries = Array.from({ length: 30 }, (_, n) =>
    entryOf(n + 1, { content: `long${String(n).padEnd(2_000, 'x')}` }),
  )
  withIndex(entries, index => assert.equal(find(index, 'long').length, entries.length))
})

test('an index in many segments is merged step by step, and finds the same entries', () => {
  withIndex([], index => {
    for (let n = 1; n <= 60; n++) {
      index.exec('BEGIN')
      putEntries(index, [entryOf(n, { title: `Badger ${n}`, content: `word${n} badger burrow` })])
      index.exec('COMMIT')
    }
    const before = find(index, 'badger')
    let steps = 0
    while (tidyIndex(index, 1)) steps++
    assert.ok(steps > 0 && steps < 1_000, `${steps} steps`)
    assert.deepEqual(find(index, 'badger'), before)
  })
})
