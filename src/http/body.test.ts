import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../contract/problem.ts'
import { assertJsonBody } from './check.ts'

const refused = new Problem('UNSUPPORTED_MEDIA_TYPE')

test('another type is refused in little time, however long it is', () => {
  const bomb = { 'content-type': `application/json${' '.repeat(15_000)}x` }
  const times = [1, 2, 3].map(() => {
    const began = performance.now()
    assert.throws(() => assertJsonBody(bomb), refused)
    return performance.now() - began
  })
  assert.ok(Math.min(...times) < 20, `${times}`)
})
