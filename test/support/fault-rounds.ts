import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { sql } from '../../src/engine/database.ts'
import { assertKept, assertWhole } from './integrity.ts'
import { type Client, createClient, type Sent, startWriters, underWay } from './load.ts'
import { makeDirectory, startServer } from './process.ts'
import type { seededRandom } from './random.ts'
import { inspect } from './reader.ts'

const WRITERS = 20
/** Minimum number of acknowledged writes before a service is killed or stopped, so that it is under full load. */
const WRITES = 2 * WRITERS

/**
 * Kills the service under full write load and starts it again, `rounds` times on one directory. Checks all writes that were ever
 * acknowledged. Returns the number of writes, and the median and the longest time until the service was ready again, in milliseconds.
 */
export async function killRounds(
  rounds: number,
  random: ReturnType<typeof seededRandom>,
): Promise<{ acknowledged: number; median: number; slowest: number }> {
  using directory = makeDirectory()
  const sent: Sent[] = []
  let server = await startServer(directory.path)
  const ready: number[] = []
  for (let round = 0; round < rounds; round++) {
    const writers = startWriters(server.url, WRITERS, `round${round}`)
    await underWay(writers, WRITES)
    await setTimeout(random.below(400))
    server.kill('SIGKILL')
    await server.ended
    await writers.stop()
    sent.push(...writers.sent)

    server = await startServer(directory.path)
    ready.push(server.readyAfter)
    await inspect(directory.path, async store => {
      await assertKept(store, sent)
      await assertWhole(store)
    })
  }
  assert.equal((await server.stop()).code, 0)
  const median = medianOf(ready)
  return { acknowledged: sent.filter(({ status }) => status === 201).length, median, slowest: Math.max(...ready) }
}

const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

/**
 * Returns a time (of performance.now()). The service has received all requests sent before it over open connections, because it has
 * answered a request sent at that time.
 */
async function receivedBefore(probe: Client): Promise<number> {
  const at = performance.now()
  await probe.send('GET', '/health')
  return at
}

/** Stops the service under full write load, `rounds` times on one directory. */
export async function stopRounds(
  rounds: number,
  random: ReturnType<typeof seededRandom>,
): Promise<{ acknowledged: number }> {
  using directory = makeDirectory()
  const sent: Sent[] = []
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(directory.path)
    const probe = createClient(server.url, 1)
    const writers = startWriters(server.url, WRITERS, `round${round}`)
    await receivedBefore(probe)
    await underWay(writers, WRITES)
    await setTimeout(random.below(400))
    const received = await receivedBefore(probe)
    const { code, stderr } = await server.stop()
    assert.equal(code, 0, stderr)
    await writers.stop()
    probe.close()
    sent.push(...writers.sent)
    const lost = writers.sent.filter(one => one.error !== undefined && one.sentAt < received)
    assert.deepEqual(lost, [], 'nothing that was received is left without an answer')
    const refused = writers.sent.filter(
      ({ kind, status }) => status !== undefined && status !== 503 && status !== (kind === 'stale' ? 409 : 201),
    )
    assert.deepEqual(refused, [])
    await inspect(directory.path, async store => {
      await assertKept(store, sent)
      const unanswered = new Set(writers.sent.filter(one => one.error !== undefined).map(({ mark }) => mark))
      const marks = await store.all<{ mark: string }>(
        sql`SELECT content AS mark FROM revision UNION SELECT rationale FROM evidence`,
      )
      const stored = marks.filter(({ mark }) => unanswered.has(mark))
      assert.deepEqual(stored, [], 'nothing that was kept is left without an answer')
      await assertWhole(store)
    })
  }
  return { acknowledged: sent.filter(({ status }) => status === 201).length }
}
