import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { offsetCursor, placeOf, sequenceOf } from './values.ts'

const STEP = 1_000_000_000
const size = fc.nat(STEP - 1)

test('a returned cursor leads back to its position', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: STEP - 1 }), size, size, (at, offset, grown) => {
      const cursor = offsetCursor({ size: at, offset })
      assert.match(cursor, /^\d{1,19}$/)
      assert.deepEqual(placeOf(cursor, at + grown), { size: at, offset })
    }),
  )
})

test('below 10^9 a cursor is a plain offset into the present list', () => {
  fc.assert(
    fc.property(size, size, (offset, now) => {
      assert.deepEqual(placeOf(String(offset), now), { size: now, offset })
    }),
  )
  assert.deepEqual(placeOf(undefined, 7), { size: 7, offset: 0 })
  assert.deepEqual(placeOf('0000000000000000003', 7), { size: 7, offset: 3 })
})

test('a size beyond the present is clamped', () => {
  assert.deepEqual(placeOf(offsetCursor({ size: 9, offset: 2 }), 5), { size: 5, offset: 2 })
})

test('any 1 to 19 digits have an answer in whole numbers', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 19 })
  fc.assert(
    fc.property(digits, size, (before, now) => {
      const place = placeOf(before, now)
      assert.ok(place.size >= 0 && place.size <= now)
      assert.ok(Number.isSafeInteger(place.offset) && place.offset >= 0 && place.offset < STEP)
      const sequence = sequenceOf(before)
      assert.ok(Number.isSafeInteger(sequence) && sequence >= 0)
    }),
  )
})

test('a sequence is read exactly; none at all is beyond every row', () => {
  assert.equal(sequenceOf('42'), 42)
  assert.equal(sequenceOf(undefined), Number.MAX_SAFE_INTEGER)
  assert.equal(sequenceOf('9'.repeat(19)), Number.MAX_SAFE_INTEGER)
})
