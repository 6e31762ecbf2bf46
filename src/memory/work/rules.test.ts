import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY } from '../values.ts'
import { byPriority, dueOf, inTurn, kindOf, type Waiting } from './rules.ts'

const entry = (number: number, of: Partial<Waiting> = {}): Waiting => ({
  ...{ number, due: 'UNCHECKED', contest: 0, readers: 0, confirmed_at: null },
  ...of,
})
const numbersOf = (rows: readonly Waiting[]): number[] => rows.map(({ number }) => number)

test('the standing of an entry determines the check that it needs', () => {
  assert.equal(dueOf(null), 'UNCHECKED')
  const due = (['SUPPORTED', 'PARTLY_SUPPORTED', 'DISPUTED', 'CONTRADICTED', 'ANSWERED', 'INCONCLUSIVE'] as const).map(
    state => dueOf({ state }),
  )
  assert.deepEqual(due, ['CONFIRMED', 'UNCHECKED', 'DISPUTED', 'DISPUTED', 'ANSWERED', 'UNCHECKED'])
})

test('a confirmed entry is STALE after 90 days, not before', () => {
  const now = 1_000 * DAY
  const confirmed = (days: number) => kindOf(entry(1, { due: 'CONFIRMED', confirmed_at: now - days * DAY }), now)
  assert.deepEqual([confirmed(90), confirmed(90.01)], [undefined, 'STALE'])
  assert.equal(kindOf(entry(1, { due: 'ANSWERED' }), now), 'ANSWERED')
})

test('entries of a kind are listed by priority, then the newest first, each once', () => {
  const now = 1_000 * DAY
  assert.deepEqual(numbersOf(byPriority([entry(1), entry(2, { readers: 5 }), entry(3), entry(2)], now)), [3, 2, 1])
  const stale = (number: number, days: number, readers: number) =>
    entry(number, { due: 'CONFIRMED', readers, confirmed_at: now - days * DAY })
  assert.deepEqual(numbersOf(byPriority([stale(1, 300, 0), stale(2, 100, 2), stale(3, 100, 3)], now)), [3, 2, 1])
})

test('lists take turns until there are enough', () => {
  assert.deepEqual(inTurn([['a', 'b', 'c'], [], ['x', 'y']], 4), ['a', 'x', 'b', 'y'])
  assert.deepEqual(inTurn([['a'], ['x', 'y', 'z']], 9), ['a', 'x', 'y', 'z'])
  assert.deepEqual(inTurn([], 9), [])
})
