import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isCleanText } from './values.ts'

test('clean text survives UTF-8', () => {
  const unit = fc.nat(0xffff).map(code => String.fromCharCode(code))
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 20 }), text => {
      const survives = Buffer.from(text, 'utf8').toString('utf8') === text
      assert.equal(isCleanText(text), survives && !text.includes('\u0000'))
    }),
  )
})
