import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Problem } from '../../contract/problem.ts'
import { assertLatest, assertReadable, assertWritable, isPublic, statusOf } from './rules.ts'

const flag = fc.constantFrom(0, 1)
const standing = fc.record({
  hidden: flag,
  quarantined: flag,
  blocked: flag,
  author_quarantined: flag,
  origin_quarantined: flag,
})
const entry = {
  title: 'Fox',
  hidden: 0,
  slug: 'fox',
  withdrawn: 0,
  blocked: 0,
  revision_id: '01990000-0000-7000-8000-00000000000a',
}

test('QUARANTINED before HIDDEN before LOCKED before ACTIVE', () => {
  const none = { hidden: 0, quarantined: 0, blocked: 0, author_quarantined: 0, origin_quarantined: 0 }
  assert.equal(statusOf(none), 'ACTIVE')
  assert.equal(statusOf({ ...none, blocked: 1 }), 'LOCKED')
  assert.equal(statusOf({ ...none, blocked: 1, hidden: 1 }), 'HIDDEN')
  for (const cause of ['quarantined', 'author_quarantined', 'origin_quarantined']) {
    assert.equal(statusOf({ ...none, blocked: 1, hidden: 1, [cause]: 1 }), 'QUARANTINED')
    assert.equal(statusOf({ ...none, [cause]: 1 }), 'QUARANTINED')
  }
})

test('an entry is public exactly if it is not withdrawn', () => {
  fc.assert(
    fc.property(standing, one => {
      const withdrawn = one.hidden || one.quarantined || one.author_quarantined || one.origin_quarantined
      assert.equal(isPublic(statusOf(one)), !withdrawn)
    }),
  )
})

test('no entry is 404, a withdrawn one 410 before it is called locked, a locked one 403 to writers only', () => {
  assert.throws(() => assertReadable(undefined), new Problem('ENTRY_NOT_FOUND'))
  assert.throws(() => assertWritable(undefined), new Problem('ENTRY_NOT_FOUND'))
  for (const blocked of [0, 1]) {
    assert.throws(() => assertReadable({ ...entry, withdrawn: 1, blocked }), new Problem('ENTRY_WITHDRAWN'))
    assert.throws(() => assertWritable({ ...entry, withdrawn: 1, blocked }), new Problem('ENTRY_WITHDRAWN'))
  }
  assert.throws(() => assertReadable({ ...entry, withdrawn: 1, hidden: 1, title: '' }), new Problem('ERASED'))
  // A mirror empties the text of an entry that can return.
  assert.throws(() => assertReadable({ ...entry, withdrawn: 1, title: '' }), new Problem('ENTRY_WITHDRAWN'))
  const locked = { ...entry, blocked: 1 }
  assert.equal(assertReadable(locked), locked)
  assert.throws(() => assertWritable(locked), new Problem('ENTRY_LOCKED'))
  assert.equal(assertWritable(entry), entry)
})

test('a revision names the latest, in either case; a stale one gets the latest id', () => {
  assertLatest(entry, entry.revision_id)
  assertLatest(entry, entry.revision_id.toUpperCase())
  assert.throws(
    () => assertLatest(entry, '01990000-0000-7000-8000-00000000000b'),
    new Problem('STALE_REVISION', { latest: { slug: 'fox', revisionId: entry.revision_id } }),
  )
})
