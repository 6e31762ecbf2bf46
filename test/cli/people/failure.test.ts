import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXIT } from '../../../src/cli/command.ts'
import { refusalOf } from '../../../src/cli/people/session.ts'
import { clientError } from '../../../src/client/problem.ts'
import type { ProblemCode } from '../../../src/contract/problem.ts'
import { PROBLEMS } from '../../../src/contract/problems.ts'

const BY_STATUS: Readonly<Record<number, number>> = {
  400: EXIT.failed,
  401: EXIT.refused,
  403: EXIT.refused,
  404: EXIT.notFound,
  409: EXIT.conflict,
  307: EXIT.failed,
  410: EXIT.notFound,
  413: EXIT.failed,
  415: EXIT.failed,
  422: EXIT.failed,
  429: EXIT.refused,
  503: EXIT.noAnswer,
}

test('every problem of the service has the exit code of its kind, and names its wait', () => {
  for (const [code, { status }] of Object.entries(PROBLEMS) as [ProblemCode, { status: number }][]) {
    // The same request is under way: no other revision came first.
    const expected = code === 'REQUEST_IN_PROGRESS' ? EXIT.noAnswer : BY_STATUS[status]
    assert.notEqual(expected, undefined, `${code} ${status}`)
    const { message, exitCode } = refusalOf(clientError(code, 'Why.', { status, retryAfterSeconds: 7 }), 'Fix it.')
    assert.equal(exitCode, expected, code)
    assert.equal(message, `${code}: Why. Retry-After is 7 s.${code === 'ACTOR_TOKEN_INVALID' ? ' Fix it.' : ''}`)
  }
  assert.equal(refusalOf(clientError('NO_ANSWER', 'Why.'), '').exitCode, EXIT.noAnswer)
  assert.equal(refusalOf(clientError('BEYOND_OFFSET', 'Why.'), '').exitCode, EXIT.failed)
})
