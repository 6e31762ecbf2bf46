import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { objectOf, octetsOf } from './octets.ts'

const PLAIN = ['a', 'é', 'ÿ', '€', '中', '👍']
const ESCAPED = ['"', '\\', '\u0000']

test('what is kept as octets is the UTF-8 of its JSON, and says what it said', () => {
  // Once a key of JSON was a backslash, JSON.parse misreads other keys with escapes (https://github.com/nodejs/node/issues/63785).
  const key = fc.string({ unit: fc.constantFrom(...PLAIN) })
  const text = fc.string({ unit: fc.constantFrom(...PLAIN, ...ESCAPED) })
  fc.assert(
    fc.property(fc.dictionary(key, text), said => {
      const object = { ...said }
      const json = JSON.stringify(object)
      const octets = octetsOf(json)
      assert.deepEqual(Buffer.from(octets, 'latin1'), Buffer.from(json))
      assert.deepEqual(objectOf(octets), object)
      assert.deepEqual(objectOf(Buffer.from(json)), object)
    }),
  )
})
