import assert from 'node:assert/strict'
import { test } from 'node:test'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { canonicalRecord } from './canonical-record.ts'

const name = fc.string({ unit: 'binary', maxLength: 6 }).filter(text => !/^\d/.test(text) && text !== '__proto__')
const text = fc.string({ unit: 'binary', maxLength: 30 })
const leaf = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null))
const { record } = fc.letrec<{ record: Parameters<typeof canonicalRecord>[0] }>(tie => ({
  record: fc.dictionary(name, fc.oneof({ maxDepth: 3 }, leaf, tie('record'), fc.array(leaf), fc.array(tie('record')))),
}))

test('the form of a record is that of RFC 8785', () => {
  fc.assert(fc.property(record, value => assert.equal(canonicalRecord(value), canonicalize(value))))
  assert.equal(canonicalRecord({ b: undefined, a: 1e21, B: ['x'] }), '{"B":["x"],"a":1e+21}')
})
