import { test } from 'node:test'
import { killRounds } from '../support/fault-rounds.ts'
import { seededRandom } from '../support/random.ts'

test('a hundred times killed under 20 writers, nothing acknowledged is lost, doubled or half there', async context => {
  const { acknowledged } = await killRounds(100, seededRandom('kill'))
  context.diagnostic(`${acknowledged} writes acknowledged`)
})
