import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { quantile } from '../../bench/numbers.ts'
import { KINDS, readCollection } from '../../bench/search/collection.ts'
import { isFound, ndcg, pairedInterval } from '../../bench/search/metrics.ts'
import { withTypos } from '../../bench/search/typos.ts'

const JUDGED = join(import.meta.dirname, '../../bench/search/judged')
const near = (value: number, expected: number): void =>
  assert.ok(Math.abs(value - expected) < 1e-9, `${value} is not ${expected}`)

test('the measures of an order agree with values computed by hand', () => {
  const relevant = new Map([
    ['exact', 2],
    ['related', 1],
  ])
  near(ndcg(['exact', 'related'], relevant), 1)
  near(ndcg(['other', 'related', 'exact'], relevant), (1 / Math.log2(3) + 3 / 2) / (3 + 1 / Math.log2(3)))
  near(ndcg([], relevant), 0)
  assert.equal(isFound(['related', 'a', 'b', 'exact'], relevant, 3), false)
  assert.equal(isFound(['related', 'a', 'exact'], relevant, 3), true)
  assert.equal(quantile([5, 1, 4, 2, 3], 0.5), 3)
  assert.equal(quantile([5, 1, 4, 2, 3], 0.99), 5)
})

test('the paired interval contains the difference of the means, and 0 only if there is none', () => {
  const better = Array.from({ length: 100 }, (_, n) => 0.6 + (n % 5) / 10)
  const worse = better.map((value, n) => value - 0.1 - (n % 3) / 20)
  const { low, high } = pairedInterval(better, worse)
  assert.ok(low > 0 && low < 0.15 && high > 0.13 && high < 0.25, `${low} to ${high}`)
  assert.deepEqual(pairedInterval(better, better), { low: 0, high: 0 })
})

test('every generated typing error changes one word, the same in every run', () => {
  const { questions } = readCollection(JUDGED)
  const plain = questions.filter(({ kind }) => kind === 'question')
  const made = withTypos(plain)
  assert.ok(made.length > 30)
  assert.deepEqual(withTypos(plain), made)
  for (const { text, twin } of made) {
    const clean = plain.find(({ id }) => id === twin)?.text.split(' ') ?? []
    assert.equal(text.split(' ').filter((word, at) => word !== clean[at]).length, 1, text)
  }
})

test('the judged set has every kind, enough of each, and a correct twin for every faulty question', () => {
  const { entries, questions } = readCollection(JUDGED)
  assert.ok(entries.length >= 120, `${entries.length} entries`)
  assert.ok(questions.length >= 160, `${questions.length} questions`)
  for (const kind of KINDS) {
    const some = questions.filter(question => question.kind === kind)
    assert.ok(some.length >= 12, `${kind}: ${some.length}`)
    if (kind === 'typo' || kind === 'forms') assert.ok(some.every(({ twin }) => twin !== undefined))
  }
  for (const { id, text } of questions) assert.ok([...text].length <= 2_000, `${id} is longer than a question may be`)
  const alike = new Set(questions.map(({ text }) => text.toLowerCase()))
  assert.equal(alike.size, questions.length, 'two questions are the same')
})
