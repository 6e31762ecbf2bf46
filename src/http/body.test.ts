import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../contract/problem.ts'
import { assertJsonBody } from './check.ts'

const refused = new Problem('UNSUPPORTED_MEDIA_TYPE')

test('JSON in UTF-8 is accepted in every valid spelling of its type', () => {
  for (const type of ['application/json', 'Application/JSON;charset=UTF-8', 'application/json ; charset="utf-8" ']) {
    assertJsonBody({ 'content-type': type })
    assertJsonBody({ 'content-type': type, 'content-encoding': 'identity' })
  }
})

test('another type is refused, and a long type in little time', () => {
  for (const type of ['text/plain', 'application/json; charset=utf-16', '']) {
    assert.throws(() => assertJsonBody({ 'content-type': type }), refused)
  }
  assert.throws(() => assertJsonBody({ 'content-type': 'application/json', 'content-encoding': 'gzip' }), refused)
  const bomb = { 'content-type': `application/json${' '.repeat(15_000)}x` }
  const times = [1, 2, 3].map(() => {
    const began = performance.now()
    assert.throws(() => assertJsonBody(bomb), refused)
    return performance.now() - began
  })
  assert.ok(Math.min(...times) < 20, `${times}`)
})
