import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notBefore } from '../engine/group-commit.ts'
import { servedSince } from './values.ts'

const NOW = 1_700_000_000_000
const MINUTE = 60_000
const YEAR = 365 * 24 * 60 * MINUTE

test('a time up to a minute ahead of the clock is awaited, one further ahead is ignored', () => {
  assert.equal(notBefore(NOW - 1, NOW), NOW)
  assert.equal(notBefore(NOW + MINUTE, NOW), NOW + MINUTE)
  assert.equal(notBefore(NOW + MINUTE + 1, NOW), NOW)
})

test('a clock that jumps counts no more service than the process ran', () => {
  assert.equal(servedSince(NOW, NOW + MINUTE, MINUTE), MINUTE)
  assert.equal(servedSince(NOW, NOW + YEAR, MINUTE), MINUTE)
  assert.equal(servedSince(NOW, NOW - YEAR, MINUTE), 0)
  assert.equal(servedSince(0, NOW, MINUTE), MINUTE)
})

test('nodes count each moment once, also where one has a clock that is an hour ahead', () => {
  for (const ahead of [0, 60 * MINUTE]) {
    let [served, countedAt] = [0, NOW]
    const count = (clock: number): void => {
      served += servedSince(countedAt, clock, MINUTE)
      countedAt = clock
    }
    for (let minute = 1; minute <= 100; minute++) {
      count(NOW + minute * MINUTE)
      count(NOW + minute * MINUTE + MINUTE / 2 + ahead)
    }
    assert.ok(served >= 99 * MINUTE && served <= 102 * MINUTE, `${served / MINUTE} minutes of 100.5`)
  }
})
