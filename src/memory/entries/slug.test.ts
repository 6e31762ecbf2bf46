import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isUuid } from '../values.ts'
import { slugCandidates, slugOf } from './rules.ts'

const ID = '01990000-0000-7000-8000-0123456789ab'

test('a slug is the title in ASCII', () => {
  assert.equal(slugOf('Foxes of the North'), 'foxes-of-the-north')
  assert.equal(slugOf('Über Straßen & Éclairs'), 'ueber-strassen-and-eclairs')
  assert.equal(slugOf('  --C++: fast?!  '), 'c-fast')
  assert.equal(slugOf('東京'), '')
})

test('a long title is cut at a word edge, at most 80 characters', () => {
  const slug = slugOf('word '.repeat(36))
  assert.equal(slug, Array.from({ length: 16 }, () => 'word').join('-'))
  assert.equal(slugOf('x'.repeat(180)), 'x'.repeat(80))
})

test('a slug is never shaped like an id', () => {
  assert.equal(slugOf(ID), `entry-${ID}`)
  assert.equal(slugOf(ID.toUpperCase()), `entry-${ID}`)
  assert.ok(!isUuid(slugOf('00000000-0000-0000-0000-000000000000')))
  assert.ok(!isUuid(slugOf('ffffffff ffff ffff ffff ffffffffffff')))
})

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
