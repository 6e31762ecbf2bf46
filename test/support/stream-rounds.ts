import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Activity } from '../../src/contract/resources.ts'
import { spawn } from './children.ts'
import { allPages } from './client.ts'
import { writeThrough } from './nodes.ts'
import { eventually, makeDirectory } from './process.ts'
import type { seededRandom } from './random.ts'

const WRITERS = 4
const CONSUMER = join(import.meta.dirname, 'stream-consumer.ts')
const CAUGHT_UP_WITHIN = 30_000

export type Followed = { rows: number; kills: number; slowest: number }

/**
 * Kills a consumer `kills` times, at each node in turn, while writers write through all nodes. Asserts that it stored the feed, each row
 * once and in order. `slowest` is the longest time in milliseconds until it stored a row that existed at its start.
 */
export async function consumerRounds(
  urls: readonly string[],
  kills: number,
  random: ReturnType<typeof seededRandom>,
): Promise<Followed> {
  const directory = makeDirectory()
  const file = join(directory.path, 'feed')
  const lines = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [])
  let consumer: ChildProcess | undefined
  const start = (round: number): void => {
    consumer = spawn(process.execPath, [CONSUMER, urls[round % urls.length] ?? '', file], { stdio: 'ignore' })
  }
  const kill = async (): Promise<void> => {
    if (consumer === undefined || consumer.exitCode !== null || consumer.signalCode !== null) return
    consumer.kill('SIGKILL')
    await once(consumer, 'exit')
  }
  const writing = writeThrough(urls, WRITERS, 'stream')
  let slowest = 0
  try {
    for (let round = 0; round < kills; round += 1) {
      const before = lines().length
      const began = performance.now()
      start(round)
      await eventually('the consumer goes on', CAUGHT_UP_WITHIN, async () =>
        lines().length > before ? true : undefined,
      )
      slowest = Math.max(slowest, performance.now() - began)
      await setTimeout(random.below(300))
      assert.equal(consumer?.exitCode, null, 'the consumer lives until it is killed')
      await kill()
    }
    await writing.stop()
    const feed = (await allPages<Activity>(String(urls[0]), '/api/activity')).reverse()
    start(kills)
    await eventually('the consumer has all', CAUGHT_UP_WITHIN, async () =>
      lines().length >= feed.length ? true : undefined,
    )
    assert.deepEqual(
      lines(),
      feed.map(({ sequence, id }) => `${sequence} ${id}`),
    )
    return { rows: feed.length, kills, slowest }
  } finally {
    await writing.stop()
    await kill()
    directory.remove()
  }
}
