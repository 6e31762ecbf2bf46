import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChangeKey, isChosen, pageOfRuns } from './rules.ts'

const keyOf = (sequence: number, more: Partial<ChangeKey> = {}): ChangeKey => ({
  ...{ sequence, action: 'CREATE', actor: 1, entry: 10, target: null, shown: true },
  ...more,
})
const sequences = (keys: readonly ChangeKey[]) => keys.map(({ sequence }) => sequence)

test('every member of a filter must fit', () => {
  const key = keyOf(1, { action: 'CONNECT', entry: 10, target: 20 })
  assert.ok(isChosen({}, key))
  assert.ok(isChosen({ entries: new Set([10]), actors: new Set([1]), actions: new Set(['CONNECT']) }, key))
  assert.ok(isChosen({ entries: new Set([20]) }, key), 'a relation belongs to its target, too')
  assert.ok(!isChosen({ entries: new Set([30]) }, key))
  assert.ok(!isChosen({ actors: new Set([2]) }, key))
  assert.ok(!isChosen({ actions: new Set(['VERIFY']) }, key))
  assert.ok(!isChosen({}, { ...key, shown: false }))
})

test('a withdrawal has no actor: no filter by actor selects it', () => {
  const key = keyOf(1, { action: 'WITHDRAW', actor: null })
  assert.ok(isChosen({ entries: new Set([10]) }, key))
  assert.ok(!isChosen({ actors: new Set([1]) }, key))
})

test('a page goes up to the newest place when every run is whole', () => {
  const runs = [
    { keys: [keyOf(1), keyOf(5)], whole: true },
    { keys: [keyOf(3), keyOf(5)], whole: true },
  ]
  const { keys, place } = pageOfRuns(runs, {}, { limit: 9, newest: 8 })
  assert.deepEqual([sequences(keys), place], [[1, 3, 5], 8])
  assert.deepEqual(pageOfRuns([], {}, { limit: 9, newest: 8 }), { keys: [], place: 8 })
})

test('a page ends where the shortest run ends', () => {
  const runs = [
    { keys: [keyOf(1), keyOf(4)], whole: false },
    { keys: [keyOf(2), keyOf(6)], whole: false },
    { keys: [keyOf(3), keyOf(7)], whole: true },
  ]
  const { keys, place } = pageOfRuns(runs, {}, { limit: 9, newest: 8 })
  assert.deepEqual([sequences(keys), place], [[1, 2, 3, 4], 4])
})

test('a page that passes over every key still moves on', () => {
  const runs = [{ keys: [keyOf(1), keyOf(4)], whole: false }]
  const { keys, place } = pageOfRuns(runs, { actions: new Set(['VERIFY']) }, { limit: 9, newest: 8 })
  assert.deepEqual([keys, place], [[], 4])
})

test('a full page ends at its last key', () => {
  const runs = [{ keys: [keyOf(1), keyOf(2), keyOf(3)], whole: true }]
  assert.equal(pageOfRuns(runs, {}, { limit: 2, newest: 8 }).place, 2)
  assert.equal(pageOfRuns(runs, {}, { limit: 3, newest: 8 }).place, 8)
})
