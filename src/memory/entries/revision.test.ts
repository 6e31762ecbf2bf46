import assert from 'node:assert/strict'
import { test } from 'node:test'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import type { Revision } from '../../contract/resources.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import { canonicalForm, evidenceHash } from './rules.ts'

const REVISION: Omit<Revision, 'evidenceHash'> = {
  id: '01990000-0000-7000-8000-000000000002',
  entryId: '01990000-0000-7000-8000-000000000001',
  previousRevisionId: null,
  actorId: '01990000-0000-7000-8000-000000000003',
  title: 'Foxes',
  summary: 'Where they live.',
  content: 'In the north. € "quoted" \u0001 \u{1f98a}',
  changeType: 'CREATE',
  rationale: 'Initial revision',
  createdAt: '2026-11-21T00:00:00.000Z',
  sources: [{ entryId: '01990000-0000-7000-8000-000000000004', revisionId: '01990000-0000-7000-8000-000000000005' }],
  ...TRUST,
}

test('known vectors of another implementation', () => {
  assert.equal(evidenceHash(REVISION, null), '5d019568c93cedfd21d5d31450a954da7f234f0aff1096636c1713ed4ee5d88f')
  assert.equal(
    evidenceHash(REVISION, '0'.repeat(64)),
    '23980d5bc04006af5e502cbbb923842af646172c5c8626d133fd1f7de81be279',
  )
})

test('the order of members does not matter, and every member does', () => {
  const known = evidenceHash(REVISION, null)
  const reversed = Object.fromEntries(Object.entries(REVISION).reverse()) as typeof REVISION
  assert.equal(evidenceHash(reversed, null), known)
  for (const member of Object.keys(REVISION)) {
    assert.notEqual(evidenceHash({ ...REVISION, [member]: 'changed' }, null), known, member)
  }
})

test('different texts have different hashes, and no text breaks it', () => {
  const text = fc.string({ unit: 'binary', maxLength: 50 })
  fc.assert(
    fc.property(text, text, (one, other) => {
      const [first, second] = [one, other].map(content => evidenceHash({ ...REVISION, content }, null))
      assert.match(first ?? '', /^[0-9a-f]{64}$/)
      assert.equal(first === second, one === other)
    }),
  )
})

const name = fc.string({ unit: 'binary', maxLength: 6 }).filter(text => text !== '__proto__')
const text = fc.string({ unit: 'binary', maxLength: 30 })
const leaf = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null))
const { record } = fc.letrec<{ record: Parameters<typeof canonicalForm>[0] }>(tie => ({
  record: fc.dictionary(name, fc.oneof({ maxDepth: 3 }, leaf, tie('record'), fc.array(leaf), fc.array(tie('record')))),
}))

test('the form of a record is that of RFC 8785', () => {
  fc.assert(fc.property(record, value => assert.equal(canonicalForm(value), canonicalize(value))))
  assert.equal(canonicalForm({ b: undefined, a: 1e21, B: ['x'] }), '{"B":["x"],"a":1e+21}')
})
