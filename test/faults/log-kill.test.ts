import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { parseCheckpoint } from '../../src/tlog/checkpoint.js'
import { parseNote } from '../../src/tlog/note.js'
import { expectDone, palimpsest } from '../cli/command.ts'
import { call, newActor, newEntry } from '../support/client.ts'
import { engineSettings } from '../support/engine.ts'
import { eventually, makeDirectory, startServer } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'

const PATIENCE = 60_000
const ROUNDS = 4
const directory = makeDirectory()
after(() => directory.remove())

type Head = ReturnType<typeof parseCheckpoint> & { note: string }
const headAt = async (url: string): Promise<Head | undefined> => {
  const { status, text } = await call(url, 'GET', '/log/checkpoint')
  return status === 200 ? { note: text, ...parseCheckpoint(parseNote(text).text) } : undefined
}

test('after a kill at any instant the log continues every checkpoint that was served', async () => {
  const dataDir = join(directory.path, 'killed')
  const random = seededRandom('log kills')
  const served: Head[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const server = await startServer(dataDir)
    const { token } = await newActor(server.url)
    const writing = Promise.allSettled(Array.from({ length: 60 }, () => newEntry(server.url, token)))
    const reading = eventually('a checkpoint with new records', PATIENCE, async () => {
      const head = await headAt(server.url)
      return head !== undefined && head.size > (served.at(-1)?.size ?? 0) ? head : undefined
    })
    served.push(await reading)
    await setTimeout(random.below(1_200))
    server.kill('SIGKILL')
    await server.ended
    await writing
  }
  const server = await startServer(dataDir)
  const { token } = await newActor(server.url)
  await newEntry(server.url, token)
  const last = await eventually('a checkpoint after the kills', PATIENCE, async () => {
    const head = await headAt(server.url)
    return head !== undefined && head.size > (served.at(-1)?.size ?? 0) ? head : undefined
  })
  server.kill('SIGTERM')
  assert.equal((await server.ended).code, 0)
  const env = await engineSettings(dataDir)
  for (const head of [...served, last]) {
    assert.equal(head.origin, last.origin)
    const file = join(directory.path, `checkpoint-${head.size}`)
    writeFileSync(file, head.note)
    expectDone(await palimpsest(['check', '--log', '--checkpoint', file, '--data-dir', dataDir], { env }))
  }
})
