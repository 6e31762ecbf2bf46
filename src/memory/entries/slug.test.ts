import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isUuid } from '../values.ts'
import { slugCandidates, slugOf } from './rules.ts'

const ID = '01990000-0000-7000-8000-0123456789ab'

test('any title has a clean slug that fits a path', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 180 }), title => {
      assert.match(slugOf(title), /^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/)
      const candidates = slugCandidates(title, ID)
      assert.equal(new Set(candidates).size, 8)
      for (const slug of candidates) {
        assert.match(slug, /^[a-z0-9]+(?:-[a-z0-9]+)*$/)
        assert.ok(slug.length <= 120 && !isUuid(slug))
      }
    }),
  )
})

test('candidates: the plain slug first, then with ever more of the id; an unreadable title goes by its id', () => {
  assert.deepEqual(slugCandidates('Fox', ID).slice(0, 2), ['fox', 'fox-456789ab'])
  assert.equal(slugCandidates('Fox', ID).at(-1), `fox-${ID.replaceAll('-', '')}`)
  assert.deepEqual(slugCandidates('東京', ID).slice(0, 2), ['entry-89ab', 'entry-456789ab'])
})
