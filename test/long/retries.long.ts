import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { NO_POSTGRES } from '../support/engine.ts'
import { type KeyedWriters, listTitles, startKeyedWriters } from '../support/keyed-writes.ts'
import { withNodes } from '../support/nodes.ts'
import { eventually, makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const ROUNDS = 20
const WRITERS = 12

/** Lets writes go on, then for up to 200 ms more, so that a kill meets them anywhere. */
async function wait(writers: KeyedWriters, random: ReturnType<typeof seededRandom>): Promise<void> {
  const before = writers.done()
  await eventually('writes go on', 30_000, async () => writers.done() > before + 2 * WRITERS || undefined)
  await setTimeout(random.below(200))
}

async function assertOnce(t: TestContext, url: string, writers: KeyedWriters): Promise<void> {
  const titles = await writers.stop()
  assert.deepEqual((await listTitles(url)).sort(), titles.sort())
  t.diagnostic(`${ROUNDS} kills, ${titles.length} writes, ${writers.replayed()} of them answered by a replay`)
}

test('a service that is killed under writers that retry until they are answered does each write once', async t => {
  const random = seededRandom('retries')
  const directory = makeDirectory()
  t.after(() => directory.remove())
  let server = await startServer(directory.path)
  t.after(() => server.kill('SIGKILL'))
  const writers = await startKeyedWriters(() => server.url, WRITERS, 'once')
  for (let round = 0; round < ROUNDS; round++) {
    await wait(writers, random)
    server.kill('SIGKILL')
    await server.ended
    server = await startServer(directory.path)
  }
  await assertOnce(t, server.url, writers)
  assert.ok(writers.replayed() > 0, 'kills fell between a commit and its answer')
  await server.stop()
})

test('writers that continue at another node after a kill do each write once', { skip: NO_POSTGRES }, t =>
  withNodes({ count: 2 }, async ({ servers, start }) => {
    const random = seededRandom('retries over nodes')
    let [serving, next] = servers as [ServerProcess, ServerProcess]
    const writers = await startKeyedWriters(() => serving.url, WRITERS, 'once')
    for (let round = 0; round < ROUNDS; round++) {
      await wait(writers, random)
      const killed = serving
      killed.kill('SIGKILL')
      serving = next
      await killed.ended
      next = await start()
    }
    await assertOnce(t, serving.url, writers)
  }),
)
