import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { storeFile } from '../../src/embedded/files.ts'
import { startApp } from '../support/app.ts'
import { call, expectProblem, newActor } from '../support/client.ts'

const BODY = { title: 'Locked', summary: 'A note', content: 'Written while somebody else had the store locked.' }

test('while somebody else has the store locked writes are refused and reads answered, and afterwards all goes on', async t => {
  const app = await startApp({}, { engine: 'embedded' })
  t.after(() => app.close())
  const { token } = await newActor(app.url)
  const write = () => call(app.url, 'POST', '/api/entries', { body: BODY, token })

  const other = new DatabaseSync(storeFile(app.dataDir))
  other.exec('BEGIN IMMEDIATE')
  const refused = write()
  assert.equal((await call(app.url, 'GET', '/api/entries')).status, 200)
  expectProblem(await refused, 503, 'STORE_UNAVAILABLE')
  assert.match(app.log(), /database is locked/)
  other.exec('ROLLBACK')
  other.close()

  assert.equal((await write()).status, 201)
  assert.equal((await call(app.url, 'GET', '/ready')).status, 200)
})
