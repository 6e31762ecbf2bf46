import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readableLine } from './log-file.ts'

const line = (members: object): string =>
  readableLine(`${JSON.stringify({ level: 30, time: '2026-11-29T10:20:30.123Z', ...members })}\n`)

test('a line for a terminal has the time, the level, the message and the other members', () => {
  const request = { requestId: 'r-1', operation: 'readEntry', status: 200, ms: 1.5, msg: 'request' }
  assert.equal(line(request), '10:20:30 info  request requestId=r-1 operation=readEntry status=200 ms=1.5\n')
  assert.equal(line({ level: 40, msg: 'm', place: 'a b', none: null }), '10:20:30 WARN  m place="a b" none=null\n')
})

test('the stack of an error is indented below its line', () => {
  assert.equal(
    line({ level: 50, err: { message: 'x', stack: 'Error: x\n    at y' }, msg: 'failed' }),
    '10:20:30 ERROR failed\n  Error: x\n      at y\n',
  )
})

test('a value cannot end a line or move the cursor', () => {
  const shown = line({ msg: 'a\u001b[2Jb', value: 'c\n10:20:31 info  d' })
  assert.doesNotMatch(shown.slice(0, -1), /[\u001b\n]/)
})
