import { after, before, test } from 'node:test'
import { follow, race } from '../support/concurrency.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { rotateEverywhere, sendEverywhere } from '../support/keyed-nodes.ts'
import { cutRounds, killNodeRounds, restartRounds, stopNodeRounds } from '../support/node-rounds.ts'
import { type Nodes, openNodes, withNodes } from '../support/nodes.ts'
import { seededRandom } from '../support/random.ts'

const options = { skip: NO_POSTGRES }

test(
  'three nodes and a standby: one winner for each base, one feed for all readers, one effect for each key',
  options,
  () =>
    withNodes({ count: 3, standby: true }, async ({ urls }) => {
      await race(urls, 5)
      await follow(urls, 1_500)
      await sendEverywhere(urls)
      await rotateEverywhere(urls)
    }),
)

/** The nodes of the other tests. */
let nodes: Nodes
before(async () => {
  if (NO_POSTGRES === false) nodes = await openNodes({ count: 3 })
})
after(async () => {
  if (NO_POSTGRES === false) await nodes.close()
})

test('after PostgreSQL loses power no acknowledged write is lost, and the nodes survive', options, async () => {
  await restartRounds(nodes, 2, seededRandom('restart'))
})

test('a killed node loses no acknowledged write and blocks no other node', options, () =>
  killNodeRounds(nodes, 1, seededRandom('kill node')),
)

test('a commit without an answer is reported as what it was', options, () => cutRounds(nodes, 5, seededRandom('cut')))

test('while a node is suspended the others serve', options, async context => {
  const longest = await stopNodeRounds(nodes, 1, seededRandom('stop node'))
  context.diagnostic(`the others waited ${Math.round(longest)} ms at most`)
})
