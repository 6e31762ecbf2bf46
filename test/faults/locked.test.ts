import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storeFile } from '../../src/stores/embedded/directory.ts'
import { startApp } from '../support/app.ts'
import { call, expectProblem, newActor } from '../support/client.ts'
import { lockFile } from '../support/lock.ts'
import { makeDirectory, spawnService } from '../support/process.ts'

const BODY = { title: 'Locked', summary: 'A note', content: 'Written while somebody else had the store locked.' }

// Each waits for a lock.
suite('a store that another process locks', { concurrency: true }, () => {
  test('while another process locks the store writes are refused and reads answered, and afterwards both succeed', async () => {
    await using app = await startApp({}, { engine: 'embedded' })
    const { token } = await newActor(app.url)
    const write = () => call(app.url, 'POST', '/api/entries', { body: BODY, token })

    const unlock = lockFile(storeFile(app.dataDir))
    const refused = write()
    assert.equal((await call(app.url, 'GET', '/api/entries')).status, 200)
    expectProblem(await refused, 503, 'STORE_UNAVAILABLE')
    assert.match(app.log(), /another process has it locked; end that one/)
    unlock()

    assert.equal((await write()).status, 201)
    assert.equal((await call(app.url, 'GET', '/ready')).status, 200)
  })

  test('a service that cannot lock the store ends with one sentence and does not start', async t => {
    const { path: dataDir, remove } = makeDirectory()
    t.after(remove)
    await (await startApp({ DATA_DIR: dataDir }, { engine: 'embedded' })).close()
    const unlock = lockFile(storeFile(dataDir))
    const { code, stderr } = await spawnService(['serve'], { env: { DATA_DIR: dataDir } }).ended
    unlock()
    assert.equal(code, 1)
    assert.match(stderr, /^The store cannot be reached: another process has it locked; end that one[^\n]*\n$/)
  })
})
