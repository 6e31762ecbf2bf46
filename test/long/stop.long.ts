import { test } from 'node:test'
import { stopRounds } from '../support/fault-rounds.ts'
import { seededRandom } from '../support/random.ts'

test('thirty times stopped under 20 writers, everything received is answered', async context => {
  const { acknowledged } = await stopRounds(30, seededRandom('stop'))
  context.diagnostic(`${acknowledged} writes acknowledged`)
})
