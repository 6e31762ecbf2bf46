import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { startCuttingProxy } from './cutting-proxy.ts'
import { type Sent, underWay } from './load.ts'
import { assertSound, withNodes, writeThrough } from './nodes.ts'
import { eventually, type ServerProcess } from './process.ts'
import type { seededRandom } from './random.ts'

type Random = ReturnType<typeof seededRandom>

const NODES = 3
const WRITERS = 4
/** More than so many writes of each round are acknowledged before PostgreSQL loses its power. */
const WRITES = 50
/** How long nodes are waited for, in milliseconds; how long they take is for the caller to judge. */
const PATIENCE = 60_000
/** How long a node stands still, in milliseconds: longer than it may hold the others. */
const STANDSTILL = 6_000

const isReady = async (url: string): Promise<true | undefined> =>
  (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200 ? true : undefined
/** Waits until all nodes are ready, and gives how many milliseconds that took. */
async function allReady(urls: readonly string[]): Promise<number> {
  const began = performance.now()
  await Promise.all(urls.map(url => eventually(`${url} is ready`, PATIENCE, () => isReady(url))))
  return performance.now() - began
}

/**
 * PostgreSQL loses its power `rounds` times under load: the nodes live, are ready again, and told nobody a falsehood. Gives the longest time in
 * milliseconds that they took to be ready.
 */
export async function restartRounds(rounds: number, random: Random): Promise<number> {
  let longest = 0
  await withNodes({ count: NODES }, async ({ cluster, database, urls }) => {
    const sent: Sent[] = []
    for (let round = 0; round < rounds; round++) {
      const writing = writeThrough(urls, WRITERS, `restart${round}`)
      await underWay(writing, WRITES)
      await setTimeout(random.below(400))
      await cluster.stop('immediate')
      await cluster.start()
      longest = Math.max(longest, await allReady(urls))
      await setTimeout(200)
      sent.push(...(await writing.stop()))
      const lost = sent.filter(({ error }) => error !== undefined)
      assert.deepEqual(lost, [], 'every request has an answer')
    }
    await assertSound(database, sent)
  })
  return longest
}

/** A node is killed `rounds` times under load and started again; the others never stop. */
export const killNodeRounds = (rounds: number, random: Random): Promise<void> =>
  withNodes({ count: NODES }, async ({ database, servers, start }) => {
    const sent: Sent[] = []
    for (let round = 0; round < rounds; round++) {
      const alive = servers.slice(-NODES)
      const writing = writeThrough(
        alive.map(({ url }) => url),
        WRITERS,
        `kill${round}`,
      )
      await setTimeout(300 + random.below(400))
      const victim = alive[random.below(NODES)] as ServerProcess
      victim.kill('SIGKILL')
      await victim.ended
      const before = writing.acknowledged().length
      await eventually('the other nodes go on', PATIENCE, async () =>
        writing.acknowledged().length > before + 10 ? true : undefined,
      )
      sent.push(...(await writing.stop()))
      servers.push(...servers.splice(servers.indexOf(victim), 1).slice(1))
      await start()
    }
    await assertSound(database, sent)
  })

/** The way between a node and PostgreSQL is cut `rounds` times, half of them after a commit before its answer: each write is told as it is. */
export const cutRounds = (rounds: number): Promise<void> =>
  withNodes({ count: 1 }, async ({ cluster, database, urls, start }) => {
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
      const sent = await writing.stop()
      const refused = sent.filter(({ kind, status }) => status !== (kind === 'stale' ? 409 : 201))
      assert.deepEqual(refused, [], 'nobody is told of an error where the write was only delayed')
      await assertSound(database, sent)
    } finally {
      await proxy.close()
    }
  })

/** Longest time in milliseconds without an acknowledged write by the other nodes while one is stopped in the middle of its work, `rounds` times. */
export async function stopNodeRounds(rounds: number, random: Random): Promise<number> {
  let longest = 0
  await withNodes({ count: NODES }, async ({ database, servers, urls }) => {
    const sent: Sent[] = []
    for (let round = 0; round < rounds; round++) {
      const writing = writeThrough(urls.slice(1), WRITERS, `stop${round}`)
      const held = writeThrough(urls.slice(0, 1), WRITERS, `held${round}`)
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
      sent.push(...(await writing.stop()), ...(await held.stop()))
    }
    await assertSound(database, sent)
  })
  return longest
}
