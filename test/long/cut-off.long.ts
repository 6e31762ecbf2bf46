import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { createClient, type Sent, underWay } from '../support/load.ts'
import { assertSound, withNodes, writeThrough } from '../support/nodes.ts'
import { eventually } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const ROUNDS = 10
const WRITERS = 8
const NOT_READY_WITHIN = 2_000
const ANSWERED_WITHIN = 5_000
const READY_WITHIN = 5_000
const FROZEN = 6_000
const PATHS = ['/api/entries', '/api/stats', '/api/activity', '/api/search?q=note', '/api/entries?limit=50', '/']

test(
  'a node whose connection to PostgreSQL freezes ten times is not ready within 2 s, answers within 5 s and loses nothing',
  {
    skip: NO_POSTGRES,
  },
  context =>
    withNodes({ count: 0 }, async ({ cluster, database, start }) => {
      const random = seededRandom('cut off')
      const proxy = await startCuttingProxy(cluster.port)
      try {
        const through = new URL(database)
        through.port = String(proxy.port)
        const { url } = await start(through.href)
        const client = createClient(url, 64)
        const status = async (path: string) => (await client.send('GET', path)).status
        const isReady = async () => (await status('/ready')) === 200 || undefined
        await eventually('ready', READY_WITHIN, isReady)
        const sent: Sent[] = []
        let [notReady, slowest, readyAgain] = [0, 0, 0]
        for (let round = 0; round < ROUNDS; round++) {
          const writing = writeThrough([url], WRITERS, `frozen${round}`)
          await underWay(writing, 50)
          await setTimeout(random.below(400))
          proxy.freeze()
          const frozenAt = performance.now()
          let frozen = true
          const timed = async (path: string): Promise<void> => {
            const from = performance.now()
            await status(path)
            slowest = Math.max(slowest, performance.now() - from)
          }
          const reading = PATHS.map(async path => {
            while (frozen) await timed(path)
          })
          await eventually('not ready', FROZEN, async () => ((await status('/ready')) === 503 ? true : undefined))
          notReady = Math.max(notReady, performance.now() - frozenAt)
          await setTimeout(frozenAt + FROZEN - performance.now())
          frozen = false
          proxy.thaw()
          const thawedAt = performance.now()
          await eventually('ready again', 2 * READY_WITHIN, isReady)
          readyAgain = Math.max(readyAgain, performance.now() - thawedAt)
          await Promise.all(reading)
          sent.push(...(await writing.stop()))
        }
        client.close()
        for (const { status: answered, kind, sentAt, answeredAt = Number.POSITIVE_INFINITY } of sent) {
          assert.ok(answered === 503 || answered === (kind === 'stale' ? 409 : 201), `${kind}: ${answered}`)
          slowest = Math.max(slowest, answeredAt - sentAt)
        }
        await assertSound(database, sent)
        const unknown = sent.filter(one => one.unknown).length
        const times = [notReady, slowest, readyAgain].map(Math.round)
        context.diagnostic(
          `not ready after ${times[0]} ms, answered after ${times[1]} ms, ready again after ${times[2]} ms; ${sent.length} writes, ${unknown} of unknown outcome`,
        )
        assert.ok(notReady <= NOT_READY_WITHIN, `not ready after ${notReady} ms`)
        assert.ok(slowest <= ANSWERED_WITHIN, `answered after ${slowest} ms`)
        assert.ok(readyAgain <= READY_WITHIN, `ready again after ${readyAgain} ms`)
      } finally {
        await proxy.close()
      }
    }),
)
