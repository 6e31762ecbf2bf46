import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { startCuttingProxy } from './cutting-proxy.ts'
import { type Sent, underWay } from './load.ts'
import { assertSound, type Nodes, writeThrough } from './nodes.ts'
import { eventually, type ServerProcess } from './process.ts'
import type { seededRandom } from './random.ts'

type Random = ReturnType<typeof seededRandom>

const WRITERS = 4
/** Minimum number of acknowledged writes of each round before PostgreSQL loses power. */
const WRITES = 50
/** Maximum time to wait for nodes, in milliseconds. The caller judges the time that they take. */
const PATIENCE = 60_000
/** Time for which a node is suspended, in milliseconds: longer than it may block the other nodes. */
const STANDSTILL = 6_000
/**
 * Pause of a writer before each entry while a node is suspended, in milliseconds. The test checks the outcome of writes, not their rate.
 */
const PAUSE = 200

/** Time for which a write waits for the database before the node answers 503, in milliseconds. */
const WRITE_PATIENCE = 5_000

/** Whether a write was refused with 503 after the maximum wait. */
const waitedLong = ({ status, sentAt, answeredAt = sentAt }: Sent): boolean =>
  status === 503 && answeredAt - sentAt >= WRITE_PATIENCE

const isReady = async (url: string): Promise<true | undefined> =>
  (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200 ? true : undefined
/** Waits until all nodes are ready. Returns the milliseconds that this took. */
async function allReady(urls: readonly string[]): Promise<number> {
  const began = performance.now()
  await Promise.all(urls.map(url => eventually(`${url} is ready`, PATIENCE, () => isReady(url))))
  return performance.now() - began
}

/** Rounds of faults on three new nodes. All nodes are ready at the end of each round. */
export type Rounds<R> = (nodes: Nodes, rounds: number, random: Random) => Promise<R>

/**
 * Simulates a power loss of PostgreSQL `rounds` times under load. Asserts that the nodes keep running, become ready again, and report
 * nothing false. Returns the longest time in milliseconds until they were ready.
 */
export const restartRounds: Rounds<number> = async ({ cluster, database, urls, sent }, rounds, random) => {
  let longest = 0
  for (let round = 0; round < rounds; round++) {
    const writing = writeThrough(urls, WRITERS, `restart${round}`)
    await underWay(writing, WRITES)
    await setTimeout(random.below(400))
    await cluster.stop('immediate')
    await cluster.start()
    longest = Math.max(longest, await allReady(urls))
    await setTimeout(200)
    const written = await writing.stop()
    assert.deepEqual(
      written.filter(({ error }) => error !== undefined),
      [],
      'every request has an answer',
    )
    sent.push(...written)
  }
  await assertSound(database, sent)
  return longest
}

/** Kills a node `rounds` times under load and starts another one. The other nodes keep running. */
export const killNodeRounds: Rounds<void> = async (nodes, rounds, random) => {
  for (let round = 0; round < rounds; round++) {
    const writing = writeThrough(nodes.urls, WRITERS, `kill${round}`)
    await setTimeout(300 + random.below(400))
    await nodes.end(nodes.servers[random.below(nodes.servers.length)] as ServerProcess, 'SIGKILL')
    const before = writing.acknowledged().length
    await eventually('the other nodes go on', PATIENCE, async () =>
      writing.acknowledged().length > before + 10 ? true : undefined,
    )
    nodes.sent.push(...(await writing.stop()))
    await nodes.start()
  }
  await assertSound(nodes.database, nodes.sent)
}

/**
 * Cuts the connection between a node and PostgreSQL `rounds` times, half of them between a commit and its answer. Asserts that each outcome
 * is reported correctly.
 */
export const cutRounds: Rounds<void> = async ({ cluster, database, urls, sent, start, end }, rounds) => {
  await using proxy = await startCuttingProxy(cluster.port)
  const through = new URL(database)
  through.port = String(proxy.port)
  const node = await start(through.href)
  const writing = writeThrough([node.url, String(urls[0])], WRITERS, 'cut')
  for (let round = 0; round < rounds; round++) {
    await proxy.cut(round % 2 === 0 ? 'commit' : 'statement')
    await allReady([node.url])
  }
  const written = await writing.stop()
  await end(node, 'SIGTERM')
  const refused = written.filter(one => one.status !== (one.kind === 'stale' ? 409 : 201) && !waitedLong(one))
  assert.deepEqual(refused, [], 'no error is reported where the write was only delayed')
  sent.push(...written)
  await assertSound(database, sent)
}

/**
 * Suspends a node during its work `rounds` times. Returns the longest time in milliseconds without an acknowledged write of the other
 * nodes.
 */
export const stopNodeRounds: Rounds<number> = async ({ database, servers, urls, sent }, rounds, random) => {
  let longest = 0
  for (let round = 0; round < rounds; round++) {
    const writing = writeThrough(urls.slice(1), WRITERS, `stop${round}`, PAUSE)
    const suspended = writeThrough(urls.slice(0, 1), WRITERS, `suspended${round}`)
    await setTimeout(300 + random.below(200))
    servers[0]?.kill('SIGSTOP')
    let last = performance.now()
    const before = writing.acknowledged().length
    let seen = before
    const until = last + STANDSTILL
    while (performance.now() < until || seen === before) {
      await setTimeout(10)
      const now = writing.acknowledged().length
      if (now === seen) continue
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
      seen = now
    }
    longest = Math.max(longest, performance.now() - last)
    servers[0]?.kill('SIGCONT')
    sent.push(...(await writing.stop()), ...(await suspended.stop()))
  }
  await assertSound(database, sent)
  return longest
}
