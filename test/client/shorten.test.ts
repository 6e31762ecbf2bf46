import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { shortened } from '../../src/client/shorten.ts'
import { shareApp } from '../support/app.ts'
import { newActor, newEntry } from '../support/client.ts'

const app = shareApp()

const TRACE = `Error: connect ECONNREFUSED 127.0.0.1:5432
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16)
    at async Promise.all (index 0)
${'    at the place where it was called and where that was called before it and so on until the top\n'.repeat(3)}
    at async startServer (/srv/app/node_modules/very/deep/down/in/the/tree/of/modules/server.js:12:3)`

test('a question within the maximum is sent unchanged', () => {
  for (const q of ['why "does it" fail', 'ü'.repeat(200), '\u{1f9a6}'.repeat(200)]) assert.equal(shortened(q, 200), q)
})

test('a longer question is shortened to its names and longest words, in their order and each once', () => {
  const cut = shortened(TRACE, 100)
  assert.ok([...cut].length <= 100, cut)
  assert.match(cut, /ECONNREFUSED.*TCPConnectWrap\.afterConnect.*startServer/)
  assert.equal(new Set(cut.split(' ')).size, cut.split(' ').length)
  assert.doesNotMatch(cut, /node_modules/)
})

test('a single word that is too long is cut after a whole character', () => {
  assert.equal(shortened('\u{1f9a6}'.repeat(300), 200), '\u{1f9a6}'.repeat(200))
})

test('a question too long for the service is answered by searchEntries and by findEntries', async () => {
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token, {
    title: 'ECONNREFUSED from TCPConnectWrap.afterConnect',
    summary: 'Nothing listens at the port.',
    content: 'Start the server first.',
  })
  const client = createClient({ baseUrl: app.url })
  const found = await client.searchEntries({ q: TRACE, sort: 'relevance' })
  assert.equal(found.items[0]?.id, entry.id)
  const { items, answerable } = await client.findEntries({ q: `${TRACE}\n`.repeat(6), limit: 5 })
  assert.equal(items[0]?.id, entry.id)
  assert.equal(typeof answerable, 'boolean')
})
