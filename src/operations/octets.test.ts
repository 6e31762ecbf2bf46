import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { objectOf, octetsOf } from './octets.ts'

test('what is kept as octets is the UTF-8 of its JSON, and says what it said', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', 'ÿ', '€', '中', '👍', '"', '\\', '\u0000') })
  fc.assert(
    fc.property(fc.dictionary(text, text), said => {
      const object = { ...said }
      const json = JSON.stringify(object)
      const octets = octetsOf(json)
      assert.deepEqual(Buffer.from(octets, 'latin1'), Buffer.from(json))
      assert.deepEqual(objectOf(octets), object)
      assert.deepEqual(objectOf(Buffer.from(json)), object)
    }),
  )
})
