import { test } from 'node:test'
import { stopRounds } from '../support/fault-rounds.ts'
import { seededRandom } from '../support/random.ts'

// Every round checks the whole store again: on one store for all rounds that would grow with their square.
const STORES = 3
const ROUNDS = 10

for (let store = 1; store <= STORES; store++) {
  test(`a service that is stopped under 20 writers answers everything received (store ${store})`, async context => {
    const { acknowledged } = await stopRounds(ROUNDS, seededRandom(`stop ${store}`))
    context.diagnostic(`${ROUNDS} rounds, ${acknowledged} writes acknowledged`)
  })
}
