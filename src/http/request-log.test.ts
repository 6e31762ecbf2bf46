import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { Problem } from '../contract/problem.ts'
import { StoreFault } from '../engine/database.ts'
import { logFailure, readTraceparent } from './metrics.ts'

/** The log line of a request that failed with this error. */
function lineOf(error: unknown, code: Problem['code']): Record<string, unknown> & { err?: { stack: string } } {
  let line = ''
  const write = (text: string): void => {
    line += text
  }
  logFailure(pino({ base: null }, { write }), error, code, { id: 'r', headers: {} })
  return JSON.parse(line)
}

test('a refusal of the service is logged without a stack', () => {
  const line = lineOf(new Problem('NOT_READY', { retryAfter: 5 }), 'NOT_READY')
  assert.deepEqual(
    { ...line, time: 0 },
    { level: 40, time: 0, requestId: 'r', code: 'NOT_READY', msg: 'a request failed' },
  )
  const stopping = new Problem('NOT_READY', { retryAfter: 1, reason: 'stopping' })
  assert.equal(lineOf(stopping, 'NOT_READY').reason, 'stopping')
})

test('a fault is logged with its cause', () => {
  const fault = lineOf(new StoreFault('full', new Error('no space')), 'STORE_UNAVAILABLE')
  assert.match(fault.err?.stack ?? '', /no space/)
  assert.equal(fault.level, 40)
  const unforeseen = lineOf(new TypeError('x is not a function'), 'UNEXPECTED_FAULT')
  assert.match(unforeseen.err?.stack ?? '', /TypeError/)
  assert.equal(unforeseen.level, 50)
})

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test('the trace id is read from a well-formed traceparent, also of later versions', () => {
  for (const field of [
    `00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-00`,
    `01-${TRACE}-${SPAN}-01`,
    `cc-${TRACE}-${SPAN}-01-more`,
  ]) {
    assert.equal(readTraceparent(field)?.traceId, TRACE, field)
  }
})

test('the id and the decision of the calling span are read from a traceparent', () => {
  assert.deepEqual(readTraceparent(`00-${TRACE}-${SPAN}-03`), { traceId: TRACE, spanId: SPAN, isSampled: true })
  assert.equal(readTraceparent(`00-${TRACE}-${SPAN}-02`)?.isSampled, false)
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
  for (const field of bad) assert.equal(readTraceparent(field), undefined, String(field))
})
