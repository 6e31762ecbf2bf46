import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCuttingProxy } from '../support/cutting-proxy.ts'
import { NO_POSTGRES } from '../support/engine.ts'
import { createClient, type Sent } from '../support/load.ts'
import { assertSound, withNodes } from '../support/nodes.ts'
import { eventually } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { visit } from './nth-fault.ts'

/** This many pieces of data between a node and PostgreSQL are cut, every other one while the node starts. */
const POINTS = Number(process.env.FAULT_POINTS ?? 40)
const OF_START = 120
const READY_WITHIN = 10_000

test(
  'if the connection to PostgreSQL is cut at any message, also during a start, the node survives and reports each write correctly',
  {
    skip: NO_POSTGRES,
  },
  context =>
    withNodes({ count: 0 }, async ({ cluster, database, start }) => {
      const random = seededRandom('n-th message')
      const proxy = await startCuttingProxy(cluster.port)
      try {
        const through = new URL(database)
        through.port = String(proxy.port)
        const sent: Sent[] = []
        /**
         * Starts a node whose connection is cut once, uses it before and after it is ready again, and stops it. Returns the number of pieces.
         */
        const run = async (nth: number, label: string): Promise<number> => {
          proxy.cutAt(nth)
          const node = await start(through.href)
          const client = createClient(node.url, 1)
          await visit(client, `cut${label}`, sent)
          await eventually('ready', READY_WITHIN, async () =>
            (await client.send('GET', '/ready')).status === 200 ? true : undefined,
          )
          await visit(client, `after${label}`, sent)
          client.close()
          const pieces = proxy.counted()
          const { code, stderr } = await node.stop()
          assert.equal(code, 0, `cut ${nth}: ${stderr.slice(-2_000)}`)
          const lost = sent.filter(({ status }) => status === undefined)
          assert.deepEqual(lost, [], `cut ${nth}: every request has an answer`)
          assert.ok(sent.some(({ mark, status }) => mark.startsWith(`after${label}-`) && status === 201))
          return pieces
        }
        const pieces = await run(0, 'none')
        for (let point = 0; point < POINTS; point++) {
          await run(1 + random.below(point % 2 === 0 ? OF_START : pieces), String(point))
        }
        await assertSound(database, sent)
        context.diagnostic(
          `${POINTS} of ${pieces} pieces cut, ${sent.filter(({ status }) => status === 201).length} of ${sent.length} writes taken`,
        )
      } finally {
        await proxy.close()
      }
    }),
)
