import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ago } from '../../../src/cli/people/output.ts'

test('a time is shown in the largest whole unit', () => {
  const now = Date.parse('2026-06-15T12:00:00.000Z')
  const cases: [string, string][] = [
    ['2026-06-15T11:59:55.000Z', 'just now'],
    ['2026-06-15T12:00:02.000Z', 'just now'],
    ['2026-06-15T11:59:30.000Z', '30 seconds ago'],
    ['2026-06-15T11:58:59.000Z', '1 minute ago'],
    ['2026-06-15T09:00:00.000Z', '3 hours ago'],
    ['2026-06-14T11:00:00.000Z', '1 day ago'],
    ['2026-03-15T12:00:00.000Z', '3 months ago'],
    ['2020-06-15T12:00:00.000Z', '5 years ago'],
    ['2026-06-15T13:00:00.000Z', 'in 1 hour'],
    ['no time', 'no time'],
  ]
  for (const [timestamp, words] of cases) assert.equal(ago(timestamp, now), words)
})
