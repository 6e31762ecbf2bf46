import { test } from 'node:test'
import { killRounds } from '../support/fault-rounds.ts'
import { seededRandom } from '../support/random.ts'

// Every round checks the whole store again: on one store for all rounds that would grow with their square.
const STORES = 10
const ROUNDS = 10

for (let store = 1; store <= STORES; store++) {
  test(`killed under 20 writers, nothing acknowledged is lost, doubled or half there (store ${store})`, async context => {
    const { acknowledged, slowest } = await killRounds(ROUNDS, seededRandom(`kill ${store}`))
    context.diagnostic(`${ROUNDS} rounds, ${acknowledged} writes acknowledged, slowest start ${Math.round(slowest)} ms`)
  })
}
