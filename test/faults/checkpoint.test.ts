import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openSqlite } from '../../src/engine/sqlite.ts'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { createClient, issueToken, sendPatiently } from '../support/load.ts'
import { makeDirectory, startServer } from '../support/process.ts'
import { compileShim, NO_SHIM } from './tools.ts'

const directory = makeDirectory()
const shim = compileShim(directory.path)
const skip = NO_SHIM
after(() => directory.remove())

/** Bytes in a log of the store that is moved into the file after some more writes: less than the 5.7 MB at which it is. */
const NEARLY = 3_700_000
const CONTENT = 'long '.repeat(4_000)
const WRITES_MAX = 2_000

/** Makes the log of a served store so long, from a process that does not move it into the file. */
function fillLog(dataDir: string): void {
  const store = openSqlite(storeFile(dataDir), 'write')
  store.exec(
    `PRAGMA wal_autocheckpoint = 0; CREATE TABLE IF NOT EXISTS filler (content);
      DELETE FROM filler; INSERT INTO filler VALUES (zeroblob(${NEARLY}))`,
  )
  store.close()
}
/** How often the gate is looked at, in milliseconds. */
const LOOK = 2
/** How long a search is given to answer too early, in milliseconds. */
const EARLY = 300

/** The gate of the syncs of a process. */
const gateAt = (directory: string) => ({
  close: () => mkdirSync(directory),
  open: () => rmSync(directory, { recursive: true }),
  /** The files whose syncs wait. */
  waiting: (): string[] =>
    readdirSync(directory).flatMap(name => {
      try {
        return name.startsWith('waiting-') ? [readlinkSync(join(directory, name))] : []
      } catch {
        return []
      }
    }),
  /** Releases one sync. */
  async pass(): Promise<void> {
    const pass = join(directory, 'pass')
    writeFileSync(pass, '')
    while (existsSync(pass)) await setTimeout(LOOK)
  },
})

test('a search finds what reads already show, while the commit still runs a checkpoint of the write-ahead log', {
  skip,
}, async () => {
  const dataDir = join(directory.path, 'data')
  const gatePath = join(directory.path, 'gate')
  const gate = gateAt(gatePath)
  const env = { LD_PRELOAD: String(shim), SHIM_GATE: gatePath, TLOG_INTERVAL_SECONDS: '3600' }
  const server = await startServer(dataDir, { env })
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
  const isMoved = (): boolean => gate.waiting().includes(storeFile(dataDir))
  /** Releases syncs until there is an answer. Resolves with undefined when the log is moved into the file: that sync waits. */
  const passing = async <T>(answer: Promise<T>): Promise<T | undefined> => {
    for (;;) {
      if (isMoved()) return undefined
      if (gate.waiting().length > 0) await gate.pass()
      const answered = await Promise.race([answer.then(value => ({ value })), setTimeout(LOOK)])
      if (answered !== undefined) return answered.value
    }
  }
  fillLog(dataDir)

  gate.close()
  let held: Promise<string> | undefined
  let title = ''
  while (title === '' && written < WRITES_MAX) {
    // The index has everything that was published as committed, and does not look for more.
    const search = found(`/api/search?q=word${written - 1}`)
    let isOther = (await passing(search)) === undefined
    if (!isOther) {
      held = write()
      const asked = `The word${written - 1}`
      if ((await passing(held)) !== undefined) continue
      // It is shown, and its commit has not ended: it waits for the sync of the file.
      if ((await found('/api/entries?limit=1'))[0] === asked) title = asked
      else isOther = true
    }
    if (!isOther) continue
    // The log was moved by a commit of the service itself.
    gate.open()
    await Promise.all([search, held])
    fillLog(dataDir)
    gate.close()
  }
  assert.notEqual(title, '', 'no commit moved the log')
  const searched = found(`/api/search?q=${title.split(' ')[1]}`)
  await setTimeout(EARLY)
  gate.open()
  assert.deepEqual(await searched, [title])
  await held
  client.close()
  assert.equal((await server.stop()).code, 0)
})
