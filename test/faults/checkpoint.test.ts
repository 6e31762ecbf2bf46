import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openSqlite } from '../../src/database/sqlite.ts'
import { storeFile } from '../../src/embedded/files.ts'
import { createClient, issueToken, sendPatiently } from '../support/load.ts'
import { makeDirectory, startServer } from '../support/process.ts'
import { compileShim } from './tools.ts'

const directory = makeDirectory()
const shim = compileShim(directory.path)
const skip = shim === false && 'syncs cannot be held up here'
after(() => directory.remove())

/** A log of the store that is about to be moved into the file: a tenth less than the 4,000 pages at which it is. */
const NEARLY = 3_600 * 8_192
const CONTENT = 'long '.repeat(4_000)
const WRITES_MAX = 2_000

/** Makes the log of a served store so long, from a process that does not move it into the file. */
function fillLog(dataDir: string): void {
  const store = openSqlite(storeFile(dataDir), 'write')
  store.exec(
    `PRAGMA wal_autocheckpoint = 0; CREATE TABLE filler (content); INSERT INTO filler VALUES (zeroblob(${NEARLY}))`,
  )
  store.close()
}
/** The longest time of an undelayed write, in milliseconds. */
const PROMPT = 300

test('a search finds what reads already show, while the commit still runs a checkpoint of the write-ahead log', {
  skip,
}, async () => {
  const dataDir = join(directory.path, 'data')
  const gate = join(directory.path, 'gate')
  const server = await startServer(dataDir, { env: { LD_PRELOAD: String(shim), SHIM_GATE: gate } })
  const client = createClient(server.url, 24)
  const token = await issueToken(client)
  let written = 0
  const write = (): Promise<string> => {
    const word = `word${written++}`
    const body = { title: `The ${word}`, summary: 'One of many', content: CONTENT }
    return client.send('POST', '/api/entries', body, token).then(({ status }) => {
      assert.equal(status, 201)
      return word
    })
  }
  const found = async (path: string): Promise<string[]> => {
    const { status, text } = await sendPatiently(client, 'GET', path)
    assert.equal(status, 200, text)
    return (JSON.parse(text) as { items: { title: string }[] }).items.map(({ title }) => title)
  }
  /** Releases syncs one after another until an answer is delayed only by a sync of the index. */
  const passing = async <T>(answer: Promise<T>): Promise<T> => {
    let ended = false
    const end = answer.then(
      () => {
        ended = true
      },
      () => {
        ended = true
      },
    )
    for (await Promise.race([end, setTimeout(PROMPT)]); !ended; await Promise.race([end, setTimeout(PROMPT)])) {
      writeFileSync(join(gate, 'pass'), '')
    }
    return answer
  }
  fillLog(dataDir)

  mkdirSync(gate)
  let held: Promise<string> | undefined
  let title = ''
  while (title === '' && written < WRITES_MAX) {
    // The index has everything that was published as committed, and does not look for more.
    await passing(found(`/api/search?q=word${written - 1}`))
    held = write()
    const asked = `The word${written - 1}`
    for (let answered = ''; answered === '' && title === ''; ) {
      writeFileSync(join(gate, 'pass'), '')
      answered = await Promise.race([held, setTimeout(PROMPT, '')])
      // It is shown, and its commit has not ended: it waits for the sync of the file.
      if (answered === '' && (await found('/api/entries?limit=1'))[0] === asked) title = asked
    }
  }
  assert.notEqual(title, '', 'no commit moved the log')
  const searched = found(`/api/search?q=${title.split(' ')[1]}`)
  await setTimeout(PROMPT)
  rmSync(gate, { recursive: true })
  assert.deepEqual(await searched, [title])
  await held
  client.close()
  server.kill('SIGTERM')
  assert.equal((await server.ended).code, 0)
})
