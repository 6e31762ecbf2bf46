import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { call, expectStatus, newActor, newEntry } from '../support/client.ts'
import { engineSettings, NO_POSTGRES } from '../support/engine.ts'
import { makeDirectory, startServer } from '../support/process.ts'
import type { Timed } from './times-thread.ts'

const CREATES = 256
const CHARACTERS = 19_000
/** How long the requests beside the creates are repeated, in milliseconds. */
const MILLISECONDS = 3_000
/** The longest time of a request in milliseconds, by its path; on a busy machine this many times the time without creates. */
const PROMPT = { read: 100, health: 50 }
const SLOWER = 4
const ROUNDS = 3

const WORDS = 'the service answers a read while a long text is checked because each step takes few milliseconds'.split(
  ' ',
)
const textOf = (n: number): string =>
  Array.from({ length: CHARACTERS / 4 }, (_, at) => WORDS[(at * 7 + n * 11 + ((at / 5) | 0)) % WORDS.length])
    .join(' ')
    .slice(0, CHARACTERS)

/** The longest time of an address, in milliseconds, measured in another thread while `during` runs. */
async function longestOf(address: string, milliseconds: number, during?: () => Promise<unknown>): Promise<number> {
  const workerData: Timed = { address, milliseconds }
  const worker = new Worker(new URL('./times-thread.ts', import.meta.url), { workerData })
  const measured = once(worker, 'message')
  await once(worker, 'online')
  await during?.()
  const [times] = (await measured) as [number[]]
  return Math.max(...times)
}

for (const engine of ['embedded', 'postgres'] as const) {
  const skip = engine === 'postgres' && NO_POSTGRES
  test(`a burst of ${CREATES} creates of long texts delays no other request (${engine})`, { skip }, async context => {
    using directory = makeDirectory()
    const limits = { READ_LIMIT_PER_MINUTE: '1000000', WRITE_LIMIT_PER_MINUTE: '1000000', COOLDOWN_SECONDS: '0' }
    const env = { ...limits, ...(await engineSettings(directory.path, engine)) }
    const server = await startServer(directory.path, { env })
    const { token } = await newActor(server.url)
    const { slug } = await newEntry(server.url, token)
    const burst = (round: number) => async () => {
      const bodies = Array.from({ length: CREATES }, (_, n) => ({
        ...{ title: `Burst ${round} ${n}`, summary: `Text ${n}`, content: textOf(round * CREATES + n) },
      }))
      const answers = await Promise.all(bodies.map(body => call(server.url, 'POST', '/api/entries', { token, body })))
      for (const answer of answers) expectStatus(answer, 201)
    }
    await burst(0)()
    const addresses = { read: `${server.url}/api/entries/${slug}`, health: `${server.url}/health` } as const
    const late: string[] = []
    for (const [name, address] of Object.entries(addresses) as ['read' | 'health', string][]) {
      const undisturbed = await longestOf(address, 1_000)
      const longest: number[] = []
      for (let round = 1; round <= ROUNDS; round++) longest.push(await longestOf(address, MILLISECONDS, burst(round)))
      longest.sort((a, b) => a - b)
      context.diagnostic(
        `${name}: ${longest.map(one => one.toFixed(1)).join(', ')} ms at most; ${undisturbed.toFixed(1)} alone`,
      )
      const median = longest[ROUNDS >> 1] as number
      if (median > Math.max(PROMPT[name], SLOWER * undisturbed)) late.push(`${name}: ${median} ms`)
    }
    await server.stop()
    assert.deepEqual(late, [])
  })
}
