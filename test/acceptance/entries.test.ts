import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'

let app: TestApp
let token: string
before(async () => {
  app = await startApp()
  token = (await newActor(app.url)).token
})
after(() => app.close())

test('an entry is read by its slug and by its id in either case', async () => {
  const entry = await newEntry(app.url, token, { title: 'Foxes of the North' })
  assert.equal(entry.slug, 'foxes-of-the-north')
  for (const address of [entry.slug, entry.id, entry.id.toUpperCase()]) {
    const read = expectStatus(await call(app.url, 'GET', `/api/entries/${address}`), 200)
    assert.deepEqual(read, entry)
  }
  expectProblem(await call(app.url, 'GET', '/api/entries/no-such-entry'), 404, 'ENTRY_NOT_FOUND')
})
