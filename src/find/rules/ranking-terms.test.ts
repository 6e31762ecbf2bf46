import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rankingTermsOf } from './ranking-terms.ts'

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
