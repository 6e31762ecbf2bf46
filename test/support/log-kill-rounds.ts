import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { parseCheckpoint, parseNote } from '../../src/tlog/verify/note.js'
import { expectDone } from '../cli/command.ts'
import { commandLine } from '../cli/people/in-process.ts'
import { call, newActor, newEntry } from './client.ts'
import { engineSettings } from './engine.ts'
import { assertAcceptedByGo, NO_GO } from './go.ts'
import { eventually, makeDirectory, startServer } from './process.ts'
import type { seededRandom } from './random.ts'

const PATIENCE = 60_000
const { inProcess } = commandLine()

type Head = ReturnType<typeof parseCheckpoint> & { note: string }
const headAt = async (url: string): Promise<Head | undefined> => {
  const { status, text } = await call(url, 'GET', '/log/checkpoint')
  return status === 200 ? { note: text, ...parseCheckpoint(parseNote(text).text) } : undefined
}

/**
 * Kills a service during writes `rounds` times. Asserts with the rows of the store and with Go's packages that its log extends every
 * checkpoint served before.
 */
export async function logKillRounds(
  t: TestContext,
  rounds: number,
  random: ReturnType<typeof seededRandom>,
): Promise<void> {
  using directory = makeDirectory()
  const dataDir = join(directory.path, 'killed')
  const served: Head[] = []
  const newHead = (url: string): Promise<Head> =>
    eventually('a checkpoint with new records', PATIENCE, async () => {
      const head = await headAt(url)
      return head !== undefined && head.size > (served.at(-1)?.size ?? 0) ? head : undefined
    })
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(dataDir)
    const { token } = await newActor(server.url)
    const writing = Promise.allSettled(Array.from({ length: 60 }, () => newEntry(server.url, token)))
    served.push(await newHead(server.url))
    await setTimeout(random.below(1_200))
    server.kill('SIGKILL')
    await server.ended
    await writing
  }
  const server = await startServer(dataDir)
  const { token } = await newActor(server.url)
  await newEntry(server.url, token)
  const last = await newHead(server.url)
  if (NO_GO) t.skip(NO_GO)
  else
    await assertAcceptedByGo(
      server.url,
      served.map(({ note }) => note),
    )
  assert.equal((await server.stop()).code, 0)
  const env = await engineSettings(dataDir)
  for (const head of [...served, last]) {
    assert.equal(head.origin, last.origin)
    const file = join(directory.path, `checkpoint-${head.size}`)
    writeFileSync(file, head.note)
    expectDone(await inProcess(['check', '--log', '--checkpoint', file, '--data-dir', dataDir], { env }))
  }
}
