import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALL_TAGS, actorTag, entryTag, tagsToPurge } from './cache-tag.ts'

const ACTOR = '01990000-0000-7000-8000-000000000001'
const touched = { entries: [3, 7, 3], actors: [ACTOR], moderated: false, all: false }

test('a write purges its entries and its actor once each, and the lists', () => {
  assert.deepEqual(tagsToPurge(touched), ['l', 'e3', 'e7', `a-${ACTOR}`])
})

test('an act of moderation also purges what only moderation changes', () => {
  assert.deepEqual(tagsToPurge({ ...touched, moderated: true }).slice(0, 2), ['l', 'm'])
})

test('a change that may concern any answer purges the three classes and no other tag', () => {
  assert.deepEqual(tagsToPurge({ ...touched, all: true }), [...ALL_TAGS])
})

test('no tag of an entry or an actor is that of a class', () => {
  for (const tag of [entryTag(1), entryTag(Number.MAX_SAFE_INTEGER), actorTag(ACTOR)])
    assert.ok(!ALL_TAGS.includes(tag))
})
