import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow, race } from '../support/concurrency.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { cutRounds, killNodeRounds, restartRounds, stopNodeRounds } from '../support/node-rounds.ts'
import { withNodes } from '../support/nodes.ts'
import { seededRandom } from '../support/random.ts'

const options = { skip: NO_POSTGRES }

test('1,000 rounds of 50 rivals over three nodes and a standby', options, () =>
  withNodes({ count: 3, standby: true }, ({ urls }) => race(urls, 1_000)),
)

test('six readers of the feed over three nodes and a standby for a minute', options, () =>
  withNodes({ count: 3, standby: true }, ({ urls }) => follow(urls, 60_000)),
)

test('PostgreSQL loses its power 20 times', options, async context => {
  const longest = await restartRounds(20, seededRandom('restart'))
  context.diagnostic(`the nodes were ready after ${Math.round(longest)} ms at most`)
  assert.ok(longest < 5_000, `${longest} ms`)
})

test('nodes are killed 20 times', options, () => killNodeRounds(20, seededRandom('kill node')))

test('connections are cut 200 times, half of them between a commit and its answer', options, () => cutRounds(200))

test('a node stands still five times', options, async context => {
  const longest = await stopNodeRounds(5, seededRandom('stop node'))
  context.diagnostic(`the others waited ${Math.round(longest)} ms at most`)
  assert.ok(longest < 5_000, `${longest} ms`)
})
