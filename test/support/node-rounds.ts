import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { startCuttingProxy } from './cutting-proxy.ts'
import { type Sent, underWay } from './load.ts'
import { assertSound, type Nodes, writeThrough } from './nodes.ts'
import { eventually, type ServerProcess } from './process.ts'
import type { seededRandom } from './random.ts'

type Random = ReturnType<typeof seededRandom>

const WRITERS = 4
/** More writes than this of each round are acknowledged before PostgreSQL loses power. */
const WRITES = 50
/** How long nodes are waited for, in milliseconds; how long they take is for the caller to judge. */
const PATIENCE = 60_000
/** How long a node is suspended, in milliseconds: longer than it may block the others. */
const STANDSTILL = 6_000
/**
 * How long a writer pauses before each entry while a node is suspended, in milliseconds. The test checks the outcome of writes, not their
 * rate.
 */
const PAUSE = 200

/** How long a node lets a write wait for the database before it answers 503, in milliseconds. */
const WRITE_PATIENCE = 5_000

/** True for a write that was refused with 503 after it had waited as long as a write may. */
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

/** Rounds of faults on three new nodes; all are ready at the end of each round. */
export type Rounds<R> = (nodes: Nodes, rounds: number, random: Random) => Promise<R>

/**
 * PostgreSQL loses its power `rounds` times under load: the nodes live, are ready again, and report nothing false. Returns the longest time
 * in milliseconds that they took to be ready.
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

/** A node is killed `rounds` times under load and another one started; the others never stop. */
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

/** The way between a node and PostgreSQL is cut `rounds` times, half of them after a commit before its answer: each write is reported as it is. */
export const cutRounds: Rounds<void> = async ({ cluster, database, urls, sent, start, end }, rounds) => {
  const proxy = await startCuttingProxy(cluster.port)
  try {
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
  } finally {
    await proxy.close()
  }
}

/** The longest time in milliseconds without an acknowledged write by the other nodes while one is stopped in the middle of its work, `rounds` times. */
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
