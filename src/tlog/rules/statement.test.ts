import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatBundle, formatEntry, parseBundle, parseEntry } from '../verify/entry.js'
import { type Facts, leafOf, statementOf } from './statement.ts'

const ID = '0198f0c2-7a3b-7c11-8e43-5d2f8f0f6b10'
const acted = { record: '301', actorId: ID, sequence: '512', dataClass: 'EXTERNAL' }
const AT = '2026-01-02T03:04:05.678Z'

test('a statement is the RFC 8785 form of the members of its kind, and no others', () => {
  const facts: Facts['revision'] & { authorName: string } = {
    ...acted,
    entryRecord: '12',
    entryId: ID,
    evidenceHash: 'ab'.repeat(32),
    authorName: 'a declared name',
  }
  assert.equal(
    statementOf('revision', facts),
    `{"actorId":"${ID}","dataClass":"EXTERNAL","entryId":"${ID}","entryRecord":"12","evidenceHash":"${'ab'.repeat(32)}","kind":"revision","record":"301","sequence":"512"}`,
  )
  const first = JSON.parse(statementOf('revision', { ...facts, slug: 'tea', tags: ['b', 'a'] }))
  assert.deepEqual(first.tags, ['b', 'a'])
  assert.equal(first.slug, 'tea')
  const evidence = statementOf('evidence', {
    ...acted,
    id: ID,
    entryRecord: '12',
    entryId: ID,
    revisionId: ID,
    ordinal: 3,
    action: 'VERIFY',
    result: 'SUPPORTED',
    confidence: 0.9,
    rationale: 'Tried it.',
    sourceRecord: null,
    createdAt: AT,
  })
  assert.match(evidence, /"confidence":0.9,.*"ordinal":3,.*"sourceRecord":null/)
  const relation = statementOf('relation', {
    ...acted,
    id: ID,
    relationType: 'SUPPORTS',
    sourceEntryRecord: '1',
    targetEntryRecord: '2',
    rationale: null,
    createdAt: AT,
  })
  assert.equal(Object.keys(JSON.parse(relation)).length, 11)
  const moderation = { record: '301', id: ID, targetType: 'ENTRY', targetId: ID, action: 'HIDE', reason: 'Spam.' }
  assert.equal(
    statementOf('moderation', { ...moderation, changed: true, createdAt: AT }),
    `{"action":"HIDE","changed":true,"createdAt":"${AT}","id":"${ID}","kind":"moderation","reason":"Spam.","record":"301","targetId":"${ID}","targetType":"ENTRY"}`,
  )
  const previous = { record: '9', previousOrigin: 'example.com/log/0198f0c2', size: 8, checkpoint: 'a\n' }
  assert.deepEqual(JSON.parse(statementOf('continuation', previous)), { kind: 'continuation', ...previous })
})

test('an entry is three lines with the salted hash of the statement, and is read again', () => {
  const salt = Buffer.from('c5f689243fd65d64d35e3513f2a50b3c', 'hex')
  // By sha256sum over this salt and {}.
  const entry = formatEntry({ record: 301, ...leafOf('revision', salt, '{}') })
  assert.equal(
    Buffer.from(entry).toString(),
    'palimpsest-record/v1\n301 revision\nwCYRt46WbDj6ZClwX5F0Z2Nzh5BIOSNLni2OmnLFs+4=\n',
  )
  assert.equal(entry.length, 79)
  const { record, kind, commitment } = parseEntry(entry)
  assert.deepEqual([record, kind, commitment.length], [301, 'revision', 32])
})

test('an entry of another form is refused', () => {
  const good = Buffer.from(formatEntry({ record: 301, ...leafOf('revision', Buffer.alloc(16), '{}') })).toString()
  for (const bad of [
    '',
    good.slice(0, -1),
    `${good}\n`,
    good.replace('v1', 'v2'),
    good.replace('301', '0301'),
    good.replace('301', '99999999999999999'),
    good.replace('revision', 'Revision'),
    good.replace('revision', 'revision x'),
    good.replace('=', ''),
  ]) {
    assert.throws(() => parseEntry(Buffer.from(bad)), { name: 'MalformedError' }, JSON.stringify(bad))
  }
  assert.throws(() => parseEntry(Uint8Array.of(0xff, 0xfe)), { name: 'MalformedError' })
})

test('a bundle has each entry after its length, and can be parsed again', () => {
  const entries = [Uint8Array.of(), Uint8Array.of(1, 2), new Uint8Array(300).fill(3)]
  const bundle = formatBundle(entries)
  assert.deepEqual([...bundle.subarray(0, 8)], [0, 0, 0, 2, 1, 2, 1, 44])
  assert.deepEqual(
    parseBundle(bundle, 3).map(entry => [...entry]),
    entries.map(entry => [...entry]),
  )
  assert.throws(() => parseBundle(bundle, 2), { name: 'MalformedError' })
  assert.throws(() => parseBundle(bundle.slice(0, -1), 3), { name: 'MalformedError' })
  assert.throws(() => parseBundle(Uint8Array.of(...bundle, 0), 3), { name: 'MalformedError' })
})
