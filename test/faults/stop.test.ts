import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopRounds } from '../support/fault-rounds.ts'
import { seededRandom } from '../support/random.ts'

test('stopped under 20 writers, everything received is answered and the exit is clean', async () => {
  const { acknowledged } = await stopRounds(3, seededRandom('stop'))
  assert.ok(acknowledged > 100, `only ${acknowledged} writes were acknowledged`)
})
