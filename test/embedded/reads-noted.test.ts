import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { call, newActor, newEntry } from '../support/client.ts'

test('each read is reported once to the threads that yield to reads, on every path, and no write is', async t => {
  await using app = await startApp({}, { engine: 'embedded' })
  const { mock } = t.mock.method(app.store, 'noteRead')
  const { token } = await newActor(app.url)
  const { slug } = await newEntry(app.url, token, { title: 'Noted' })
  assert.equal(mock.callCount(), 0)
  const path = `/api/entries/${slug}`
  for (const read of [path, path, '/api/entries', '/api/entries?q=noted', `${path}/revisions`, `/entries/${slug}`]) {
    mock.resetCalls()
    assert.equal((await call(app.url, 'GET', read)).status, 200, read)
    assert.equal(mock.callCount(), 1, read)
  }
})
