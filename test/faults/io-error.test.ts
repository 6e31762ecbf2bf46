import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startApp } from '../support/app.ts'
import { assertKept, assertWhole } from '../support/integrity.ts'
import { createClient, issueToken, sendPatiently, startWriters, underWay } from '../support/load.ts'
import { makeDirectory, type ServerProcess, startServer } from '../support/process.ts'
import { inspect } from '../support/reader.ts'
import { compileShim, NO_SHIM } from './tools.ts'

const directory = makeDirectory()
const shim = compileShim(directory.path)
const skip = NO_SHIM
after(() => directory.remove())

test('after a failed sync nothing is acknowledged, the process ends, and the restart recovers', {
  skip,
}, async () => {
  const dataDir = join(directory.path, 'failing')
  const fail = join(directory.path, 'fail')
  const server = await startServer(dataDir, { env: { LD_PRELOAD: String(shim), SHIM_FAIL: fail } })
  const writers = startWriters(server.url, 10, 'failing')
  await underWay(writers, 20)
  writeFileSync(fail, '')
  const { code, stderr } = await server.ended
  assert.ok(code !== 0 && code !== null, `ended with ${code}`)
  assert.match(stderr, /the store is broken/)
  await writers.stop()
  rmSync(fail)

  const again = await startApp({ DATA_DIR: dataDir })
  await inspect(dataDir, async store => {
    await assertKept(store, writers.sent)
    await assertWhole(store)
  })
  const client = createClient(again.url, 1)
  const token = await issueToken(client)
  const body = { title: 'Back', summary: 'Back', content: 'Back' }
  assert.equal((await client.send('POST', '/api/entries', body, token)).status, 201)
  client.close()
  await again.close()
})

/** The number of requests that are answered during a delayed sync. */
const ANSWERS = 50

/**
 * The time in which the second write must be queued after the first, the time in which the first must be answered, in milliseconds, and the
 * number of attempts.
 */
const QUEUED = 200
const ANSWERED = 5_000
const ATTEMPTS = 10

suite('a service whose syncs are delayed', { skip }, () => {
  /** While this directory exists, the syncs of the service wait. */
  const gate = join(directory.path, 'gate')
  let gated: ServerProcess
  before(async () => {
    gated = await startServer(join(directory.path, 'gated'), { env: { LD_PRELOAD: String(shim), SHIM_GATE: gate } })
  })
  after(async () => {
    rmSync(gate, { recursive: true, force: true })
    assert.equal((await gated.stop()).code, 0)
  })

  test('the event loop never waits for the disk', async () => {
    const [client, writer] = [createClient(gated.url, 1), createClient(gated.url, 1)]
    const token = await issueToken(client)
    mkdirSync(gate)
    let written = false
    const write = writer
      .send('POST', '/api/entries', { title: 'Held up', summary: 'S', content: 'C' }, token)
      .finally(() => {
        written = true
      })
    for (let n = 0; n < ANSWERS; n++) {
      for (const path of ['/health', '/api/entries', '/api/entries?q=held']) {
        assert.equal((await sendPatiently(client, 'GET', path)).status, 200, path)
      }
    }
    assert.ok(!written, 'no write is answered before its sync')
    rmSync(gate, { recursive: true })
    assert.equal((await write).status, 201)
    client.close()
    writer.close()
  })

  test('a write is answered when it is durable, without waiting for the next one', async () => {
    const client = createClient(gated.url, 2)
    const token = await issueToken(client)
    const write = async (title: string): Promise<string> => {
      const body = { title, summary: 'One of two', content: 'Each has a commit of its own.' }
      assert.equal((await client.send('POST', '/api/entries', body, token)).status, 201)
      return title
    }
    /** Who is answered when one sync is let through while two wait. */
    const answeredAlone = async (): Promise<string> => {
      mkdirSync(gate)
      const first = write('First')
      await setTimeout(QUEUED)
      const second = write('Second')
      await setTimeout(QUEUED)
      writeFileSync(join(gate, 'pass'), '')
      const answered = await Promise.race([first, second, setTimeout(ANSWERED, 'none')])
      rmSync(gate, { recursive: true })
      await Promise.all([first, second])
      return answered
    }
    // The first commit of a new log has two syncs, and maintenance may commit in between. Then no write is answered, and the test retries.
    let answered = 'none'
    for (let attempt = 0; attempt < ATTEMPTS && answered === 'none'; attempt++) answered = await answeredAlone()
    assert.equal(answered, 'First')
    client.close()
  })
})
