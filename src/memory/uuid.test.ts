import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid } from './values.ts'

const ID = '01990000-0000-7000-8000-0123456789ab'

test('a text is a UUID in either case, nil and max included, and nothing else', () => {
  for (const id of [
    ID,
    ID.toUpperCase(),
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-ffff-ffff-ffff-ffffffffffff',
  ]) {
    assert.ok(isUuid(id), id)
  }
  for (const other of ['', 'fox', ID.slice(1), `${ID}0`, ID.replace('7', '9'), ID.replace('8000', 'c000'), `${ID}\n`]) {
    assert.ok(!isUuid(other), other)
  }
})
