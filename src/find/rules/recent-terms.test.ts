import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentTerms } from './ranking-terms.ts'

const termsOf = (term: string) => [{ term, word: term, derived: false, role: undefined }]

test('one place stores two chunks; a third replaces the one that was found less recently', () => {
  const recent = new RecentTerms(1)
  recent.add(1, 1, termsOf('one'))
  recent.add(2, 2, termsOf('two'))
  assert.deepEqual(recent.find(1, 1), termsOf('one'))
  recent.add(3, 3, termsOf('three'))
  assert.deepEqual(recent.find(1, 1), termsOf('one'))
  assert.deepEqual(recent.find(3, 3), termsOf('three'))
  assert.equal(recent.find(2, 2), undefined)
})

test('a chunk is found by both hashes only', () => {
  const recent = new RecentTerms()
  recent.add(5, 6, termsOf('one'))
  assert.deepEqual(recent.find(5, 6), termsOf('one'))
  assert.equal(recent.find(5, 7), undefined)
  assert.equal(recent.find(4, 6), undefined)
})
