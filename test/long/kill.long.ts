import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killRounds } from '../support/fault-rounds.ts'
import { seededRandom } from '../support/random.ts'

// Every round checks the whole store again: on one store for all rounds that would grow with their square.
const STORES = 10
const ROUNDS = 10
/** A killed store is ready again within this many milliseconds: the median, because a busy machine delays single starts. */
const READY_WITHIN = 2_000

for (let store = 1; store <= STORES; store++) {
  test(`after a kill under 20 writers no acknowledged write is lost, doubled or incomplete (store ${store})`, async context => {
    const { acknowledged, median, slowest } = await killRounds(ROUNDS, seededRandom(`kill ${store}`))
    const ready = `ready after ${Math.round(median)} ms, at most ${Math.round(slowest)}`
    context.diagnostic(`${ROUNDS} rounds, ${acknowledged} writes acknowledged, ${ready}`)
    assert.ok(median < READY_WITHIN, ready)
  })
}
