import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../contract/problem.ts'
import { assertTwoEnds } from './relation.ts'

test('an entry is not related to itself, named in either case', () => {
  const id = '01990000-0000-7000-8000-00000000000a'
  assert.throws(() => assertTwoEnds(id, id.toUpperCase()), new Problem('SELF_RELATION'))
  assertTwoEnds(id, id.replace('a', 'b'))
})
