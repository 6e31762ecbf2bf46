import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distinctTerms, pairsOf } from './pairs.ts'
import { rankingTermsOf } from './ranking-terms.ts'

const pairs = (text: string): number[] => pairsOf(distinctTerms(rankingTermsOf(text)))

test('texts with the same terms have the same pairs in any order and form, and short texts few', () => {
  assert.deepEqual(pairs('Leaking file handles').sort(), pairs('file HANDLES leak').sort())
  assert.deepEqual(
    ['!?', 'Daemon', 'Kiwi daemon', 'one two three four five six seven eight nine ten'].map(text => pairs(text).length),
    [0, 1, 1, 10],
  )
  for (const pair of pairs('Kiwi daemon of 2026')) assert.equal(pair, pair | 0)
})
