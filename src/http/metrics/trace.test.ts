import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceIdOf } from './trace.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test('the trace id is read from a well-formed traceparent, also of later versions', () => {
  for (const field of [
    `00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-00`,
    `01-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01-more`,
  ]) {
    assert.equal(traceIdOf(field), TRACE, field)
  }
})

test('a malformed traceparent is ignored', () => {
  const bad = [
    undefined,
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01-`,
    `ff-${TRACE}-${SPAN}-01`,
    `0-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `01-${TRACE}-${SPAN}-01-${'x'.repeat(600)}`,
    [`00-${TRACE}-${SPAN}-01`],
  ]
  for (const field of bad) assert.equal(traceIdOf(field), undefined, String(field))
})
