import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { distinctTags, tagKey } from './rules.ts'

const tag = fc.string({ unit: fc.constantFrom('a', 'A', 'Ａ', 'ß', 'ẞ', 's', 'S', ' ', '-', 'é', '字'), maxLength: 6 })

test('the key of a key is the key', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), text => tagKey(tagKey(text)) === tagKey(text)))
})

test('distinct tags: the first spelling stays, in the order sent, and spaces alone are none', () => {
  assert.deepEqual(distinctTags(['Sea', 'sea ', 'Fox', ' ', 'SEA', 'fox']), ['Sea', 'Fox'])
  fc.assert(
    fc.property(fc.array(tag, { maxLength: 8 }), tags => {
      const kept = distinctTags(tags)
      const keys = kept.map(tagKey)
      assert.equal(new Set(keys).size, keys.length)
      assert.deepEqual(new Set(keys), new Set(tags.map(tagKey).filter(key => key !== '')))
      for (const one of kept)
        assert.equal(
          one,
          tags.find(other => tagKey(other) === tagKey(one)),
        )
      assert.deepEqual(distinctTags(kept), kept)
    }),
  )
})
