import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../contract/problem.ts'
import { assertCooledDown, cooldownLeft } from './cooldown.ts'

test('within the cooldown a write is refused with the whole seconds to wait', () => {
  assert.throws(() => assertCooledDown(10_000, 3_000, 10_000), new Problem('COOLDOWN', { retryAfter: 3 }))
  assert.throws(() => assertCooledDown(10_000, 3_000, 12_999), new Problem('COOLDOWN', { retryAfter: 1 }))
  assertCooledDown(10_000, 3_000, 13_000)
  assertCooledDown(undefined, 3_000, 10_000)
  assertCooledDown(10_000, 0, 10_000)
})

test('a write after the stated wait is admitted', () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.integer({ min: 1, max: 3_600 }), fc.nat(4_000_000), (began, seconds, later) => {
      try {
        assertCooledDown(began, seconds * 1_000, began + later)
        assert.ok(later >= seconds * 1_000)
      } catch (error) {
        assert.ok(error instanceof Problem && later < seconds * 1_000)
        const wait = error.detail.retryAfter ?? 0
        assert.ok(Number.isInteger(wait) && wait >= 1)
        assertCooledDown(began, seconds * 1_000, began + later + wait * 1_000)
      }
    }),
  )
})

test('a cooldown that begins a little in the future counts: clocks differ, and the later of two requests may be first', () => {
  assert.equal(cooldownLeft(10_001, 3_000, 10_000), 3_000)
  assert.throws(() => assertCooledDown(12_900, 3_000, 10_000), new Problem('COOLDOWN', { retryAfter: 3 }))
})

test('a cooldown that begins further ahead than it lasts is over: the clock was set back', () => {
  assert.equal(cooldownLeft(3_600_000, 3_000, 10_000), 0)
  assertCooledDown(3_600_000, 3_000, 10_000)
})
