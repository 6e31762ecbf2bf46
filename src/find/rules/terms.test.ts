import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { distinctTerms, pairsOf, RecentTerms, rankingTermsOf } from './terms.ts'

const piece = fc.oneof(
  fc.constantFrom(
    '.net',
    '.NET',
    'C++',
    'F#',
    'HTTP/2',
    'v1.2',
    "don't",
    'fooBar',
    'the',
    '.',
    "'s",
    '-',
    '_',
    '\0',
    '3.12',
  ),
  fc.string({ unit: fc.constantFrom(..."abN1_'.-+#/ \0"), maxLength: 50 }),
)

test('ASCII text has the same terms as in a text with other characters, for any text read before', () => {
  fc.assert(
    fc.property(fc.array(piece), fc.constantFrom('', ' '), (pieces, gap) => {
      const text = pieces.join(gap)
      assert.deepEqual(rankingTermsOf(text), rankingTermsOf(`${text} §`))
      assert.deepEqual(rankingTermsOf(text), rankingTermsOf(text))
    }),
  )
})

test('a text longer than all before has all of its terms', () => {
  const words = Array.from({ length: 20_000 }, (_, n) => `word${n}x`)
  assert.deepEqual(
    rankingTermsOf(words.join(' '))
      .filter(({ derived }) => !derived)
      .map(({ term }) => term),
    words,
  )
})

test('a version of thousands of numbers has the terms of its beginning', () => {
  const terms = rankingTermsOf('1.'.repeat(10_000)).map(({ term }) => term)
  assert.deepEqual([terms.length, terms.at(0)?.length, terms.at(-1)], [32, 63, '1'])
})

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

const pairs = (text: string): string[] => pairsOf(distinctTerms(rankingTermsOf(text)))

test('texts with the same terms have the same pairs in any order and form, and short texts few', () => {
  assert.deepEqual(pairs('Leaking file handles').sort(), pairs('file HANDLES leak').sort())
  assert.deepEqual(
    ['!?', 'Daemon', 'Kiwi daemon', 'one two three four five six seven eight nine ten'].map(text => pairs(text).length),
    [0, 1, 1, 10],
  )
  for (const pair of pairs('Kiwi daemon of 2026')) assert.match(pair, /^:[0-9a-z]{1,7}$/)
})
