import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefetch } from './prefetch.ts'

/** Prefetches entries of which some are in memory and one may be unreadable. Returns the entries that were read. */
function readAheadOf(entries: readonly number[], inMemory: readonly number[], broken?: number): number[] {
  const read: number[] = []
  let time = 0
  const one = (entry: number): void => {
    read.push(entry)
    if (entry === broken) throw new Error('disk I/O error')
    time += inMemory.includes(entry) ? 0.01 : 0.2
  }
  prefetch(entries, one, () => time)
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
