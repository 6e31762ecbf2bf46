import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from '../../engine/database.ts'
import type { ChangedEntryRow } from '../../memory/entries/rows.ts'
import { openIndex, putEntries, saveIndexedRecord } from '../index/file.ts'
import { prefetch, searchIndex } from './query.ts'

const ENTRIES = 2_100
/** The newest entries that a search by relevance ranks. */
const WINDOW = 2_000

/** Every 10th title says the word twice; always three entries have one time, and their ids descend by number. */
const entryOf = (n: number): ChangedEntryRow => ({
  ...{ number: n, revision: n, change: n, revisions: 1, withdrawn: 0, tags: '[]', summary: '', content: '' },
  ...{ id: `id ${9_999 - n}`, updated_at: Math.floor(n / 3), title: n % 10 === 0 ? 'otter otter' : 'otter' },
})

const all = Array.from({ length: ENTRIES }, (_, at) => entryOf(at + 1))
const newest = all.toReversed()
const twice = ({ title }: ChangedEntryRow): number => Number(title !== 'otter')

const directory = mkdtempSync(join(tmpdir(), 'palimpsest-query-'))
const index = openIndex(join(directory, 'index.db'), { storeId: 'store', record: 0, storeEpoch: 0 })
after(() => {
  index.close()
  rmSync(directory, { recursive: true })
})
index.run(sql`BEGIN IMMEDIATE`)
putEntries(index, all)
saveIndexedRecord(index, ENTRIES)
index.run(sql`COMMIT`)

/** The entries of all pages of a search. */
function listed(sort: 'relevance' | 'fit'): number[] {
  const entries: number[] = []
  for (let more = true; more; ) {
    const page = searchIndex(index, { q: 'otter', tag: null, sort, limit: 90, offset: entries.length })
    entries.push(...page.entries)
    more = page.more
  }
  return entries
}

test('a search by relevance ranks the newest matches, then lists the older ones, each once', () => {
  const byTime = (a: ChangedEntryRow, b: ChangedEntryRow): number =>
    b.updated_at - a.updated_at || (a.id < b.id ? 1 : -1)
  const expected = [
    ...newest.slice(0, WINDOW).toSorted((a, b) => twice(b) - twice(a) || byTime(a, b)),
    ...newest.slice(WINDOW).toSorted(byTime),
  ]
  assert.deepEqual(
    listed('relevance'),
    expected.map(({ number }) => number),
  )
})

test('each page of a search by fit for one word has the next best entries, of equal ones the newest first', () => {
  assert.deepEqual(
    listed('fit'),
    newest.toSorted((a, b) => twice(b) - twice(a)).map(({ number }) => number),
  )
})

/** Prefetches entries of which some are in memory and one may be unreadable. Returns the entries that were read. */
function readAheadOf(entries: readonly number[], inMemory: readonly number[], broken?: number): number[] {
  const read: number[] = []
  let time = 0
  const one = (entry: number): void => {
    read.push(entry)
    if (entry === broken) throw new Error('disk I/O error')
    time += inMemory.includes(entry) ? 0.01 : 0.2
  }
  prefetch(entries, one, { now: () => time })
  return read
}

test('entries are read from the last on until one is in memory', () => {
  assert.deepEqual(readAheadOf([5, 9, 3, 7], []), [7, 3, 9, 5])
  assert.deepEqual(readAheadOf([5, 9, 3, 7], [5, 9]), [7, 3, 9])
})

test('if the last entry is in memory no other is read, and without results none is', () => {
  assert.deepEqual(readAheadOf([5, 9, 3, 7], [7]), [7])
  assert.deepEqual(readAheadOf([], []), [])
})

test('a row that cannot be read ends the prefetch without an error', () => {
  assert.deepEqual(readAheadOf([5, 9, 3, 7], [], 3), [7, 3])
})

test('a search that may read few postings reads first those of a word in titles, not those of a rarer word in texts', t => {
  const other = openIndex(join(directory, 'titles.db'), { storeId: 'store', record: 0, storeEpoch: 0 })
  t.after(() => other.close())
  const letters = [...'abcdefghijklmno']
  const filler = letters.flatMap(one => letters.map(two => `q${one}${two}`)).join(' ')
  const [titled, others] = [80, 620]
  const entries = Array.from({ length: titled + others }, (_, at) => ({
    ...entryOf(at + 1),
    title: at < titled ? 'birch' : 'willow',
    content: `${filler} ${at < titled || at % 2 === 0 ? 'birch' : 'alder'}`,
  }))
  other.run(sql`BEGIN IMMEDIATE`)
  putEntries(other, entries)
  saveIndexedRecord(other, entries.length)
  other.run(sql`COMMIT`)
  const found = searchIndex(other, {
    q: 'alder birch',
    tag: null,
    sort: 'fit',
    limit: titled,
    offset: 0,
    postings: titled,
  })
  assert.deepEqual(
    found.entries,
    Array.from({ length: titled }, (_, at) => titled - at),
  )
})
