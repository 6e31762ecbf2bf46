import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid, uuidV7 } from './uuid.ts'

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

test('an id of version 7 has its time, its place and the last 42 random bits', () => {
  const random = Uint8Array.from({ length: 16 }, (_, index) => 0xf0 + index)
  const ids: [at: number, place: number, id: string][] = [
    [0, 0, '00000000-0000-7000-8000-02fbfcfdfeff'],
    [1_645_557_742_000, 0, '017f22e2-79b0-7000-8000-02fbfcfdfeff'],
    [1_645_557_742_000, 1, '017f22e2-79b0-7000-8000-06fbfcfdfeff'],
    [1_645_557_742_000, 123_456_789, '017f22e2-79b0-7075-af34-56fbfcfdfeff'],
    [1_645_557_742_000, 2 ** 31 - 1, '017f22e2-79b0-77ff-bfff-fefbfcfdfeff'],
    [2 ** 48 - 1, 2 ** 32 - 1, 'ffffffff-ffff-7fff-bfff-fefbfcfdfeff'],
  ]
  for (const [at, place, id] of ids) assert.equal(uuidV7(at, place, random), id)
})

test('ids of one millisecond sort by their place', () => {
  const places = [0, 1, 63, 64, 4_095, 4_096, 1_048_575, 1_048_576, 2 ** 31, 2 ** 32 - 1]
  const ids = places.map((place, index) => uuidV7(1, place, new Uint8Array(16).fill(255 - index)))
  assert.deepEqual(ids, ids.toSorted())
})
