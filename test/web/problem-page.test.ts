import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { type Answer, call, newActor, newEntry } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'

let app: TestApp
before(async () => {
  app = await startApp()
})
after(() => app.close())

const get = (path: string): Promise<Answer> => call(app.url, 'GET', path, { headers: { accept: 'text/html' } })
/** What the search fields of a page hold. */
const searchedFor = ({ text }: Answer): string[] =>
  [...text.matchAll(/<input[^>]* name="q"[^>]*>/g)].map(([tag]) => /value="([^"]*)"/.exec(tag)?.[1] ?? '')

test('the page of a missing address searches for the words of the address', async () => {
  for (const [path, words] of [
    ['/entries/how-does-sqlite-commit', 'how does sqlite commit'],
    ['/entries/how-does-sqlite-commit/history', 'how does sqlite commit'],
    ['/wiki/Caf%C3%A9_au%20lait.html', 'wiki Café au lait'],
    ['/a%E2%80%AEb', 'ab'],
    [`/entries/019e0000-0000-7000-8000-000000000000`, ''],
    [`/${'long-'.repeat(200)}`, 'long '.repeat(40).trim()],
  ] as const) {
    const answer = await get(path)
    assert.equal(answer.status, 404, path)
    assert.deepEqual(searchedFor(answer), [words, words], path)
  }
})

test('the page of a withdrawn entry does not propose to search for it', async () => {
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token, { title: 'Withdrawn words' })
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  const answer = await get(`/entries/${entry.slug}`)
  assert.equal(answer.status, 410)
  assert.doesNotMatch(answer.text, /Search for it|retry/i)
  assert.match(answer.text, /<a href="\/search">other entries<\/a>/)
  assert.deepEqual(searchedFor(answer), [''])
})
