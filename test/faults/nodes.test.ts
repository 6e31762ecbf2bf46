import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { createDatabase } from '../support/cluster.ts'
import { follow, race } from '../support/concurrency.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { rotateEverywhere, sendEverywhere } from '../support/keyed-nodes.ts'
import { cutRounds, killNodeRounds, restartRounds, stopNodeRounds } from '../support/node-rounds.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { seededRandom } from '../support/random.ts'

const options = { skip: NO_POSTGRES }

/** Nodes as processes over one server. */
let nodes: Nodes
before(async () => {
  if (NO_POSTGRES === false) nodes = await openNodes({ count: 3 })
})
after(async () => {
  if (NO_POSTGRES === false) await nodes.close()
})

/** Three nodes in this process over the database of a primary, and a standby for their reads. */
async function withStandby({ cluster }: Nodes, work: (urls: string[]) => Promise<void>): Promise<void> {
  const standby = await cluster.standby()
  const { url } = await createDatabase(cluster.url('postgres'))
  const settings = { DATABASE_URL: url, DATABASE_READ_URL: standby.url(new URL(url).pathname.slice(1)) }
  const apps: TestApp[] = []
  try {
    for (let node = 0; node < 3; node++) apps.push(await startApp(settings, { engine: 'embedded' }))
    await work(apps.map(app => app.url))
  } finally {
    for (const app of apps) await app.close()
  }
}

test(
  'three nodes and a standby have one winner for each base, one feed for all readers and one effect for each key',
  options,
  () =>
    withStandby(nodes, async urls => {
      await race(urls, 3)
      await follow(urls, 500)
      await sendEverywhere(urls)
      await rotateEverywhere(urls)
    }),
)

test('after PostgreSQL loses power no acknowledged write is lost, and the nodes survive', options, async () => {
  await restartRounds(nodes, 1, seededRandom('restart'))
})

test('a killed node loses no acknowledged write and blocks no other node', options, () =>
  killNodeRounds(nodes, 1, seededRandom('kill node')),
)

test('a commit whose answer is lost is reported with its real outcome', options, () =>
  cutRounds(nodes, 4, seededRandom('cut')),
)

test('while a node is suspended the others serve', options, async context => {
  const longest = await stopNodeRounds(nodes, 1, seededRandom('stop node'))
  context.diagnostic(`the others waited ${Math.round(longest)} ms at most`)
})
