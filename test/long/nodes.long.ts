import assert from 'node:assert/strict'
import { test } from 'node:test'
import { follow, race } from '../support/concurrency.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { rotateEverywhere, sendEverywhere } from '../support/keyed-nodes.ts'
import { cutRounds, killNodeRounds, type Rounds, restartRounds, stopNodeRounds } from '../support/node-rounds.ts'
import { openNodes, withNodes } from '../support/nodes.ts'
import { seededRandom } from '../support/random.ts'

const options = { skip: NO_POSTGRES }

/** Rounds on three nodes of their own. */
async function onThree<R>(rounds: Rounds<R>, count: number): Promise<R> {
  await using nodes = await openNodes({ count: 3 })
  return await rounds(nodes, count, seededRandom(rounds.name))
}

test('of fifty revisions of a base at three nodes exactly one is committed, a thousand times', options, () =>
  withNodes({ count: 3, standby: true }, ({ urls }) => race(urls, 1_000)),
)

test('for a minute the feed shows every acknowledged write at its place, at three nodes and a standby', options, () =>
  withNodes({ count: 3, standby: true }, ({ urls }) => follow(urls, 60_000)),
)

test('keyed writes and rotations at three nodes and a standby at once have one effect', options, () =>
  withNodes({ count: 3, standby: true }, async ({ urls }) => {
    await sendEverywhere(urls)
    await rotateEverywhere(urls)
  }),
)

test('no acknowledged write is lost if PostgreSQL loses power 20 times', options, async context => {
  const longest = await onThree(restartRounds, 20)
  context.diagnostic(`the nodes were ready after ${Math.round(longest)} ms at most`)
  assert.ok(longest < 5_000, `${longest} ms`)
})

test('no acknowledged write is lost if nodes are killed 20 times', options, () => onThree(killNodeRounds, 20))

test(
  'a write is reported with its real outcome if connections are cut 200 times, half of them after a commit',
  options,
  () => onThree(cutRounds, 200),
)

test('the other nodes serve while a node is suspended, five times', options, async context => {
  const longest = await onThree(stopNodeRounds, 5)
  context.diagnostic(`the others waited ${Math.round(longest)} ms at most`)
  assert.ok(longest < 5_000, `${longest} ms`)
})
