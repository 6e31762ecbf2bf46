import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { call, newActor, newEntry } from '../support/client.ts'

let app: TestApp
before(async () => {
  app = await startApp()
  const { token } = await newActor(app.url)
  await newEntry(app.url, token, {
    title: 'Lighthouse lens cracks in frost',
    summary: 'Warm it slowly.',
    content: 'Glass splits where one side is colder.',
    tags: ['optics'],
  })
})
after(() => app.close())

const ask = (q: string, more = ''): Promise<Response> =>
  fetch(`${app.url}/search?q=${encodeURIComponent(q)}${more}`, { headers: { accept: 'text/html' } })
const page = async (q: string, more = ''): Promise<string> => {
  const answer = await ask(q, more)
  assert.equal(answer.status, 200)
  return answer.text()
}
const LENS = /<a href="\/entries\/lighthouse-lens-cracks-in-frost">/

test('a question in other words finds the entry, and says what was corrected and what no entry has', async () => {
  const shown = await page('why does the lighthuose lens crack zeppelin')
  assert.match(shown, LENS)
  assert.match(shown, /Corrected: <q>.*lighthuose.*<\/q> → <q>.*lighthouse.*<\/q>/)
  assert.match(shown, /No entry has: <q>.*zeppelin.*<\/q>/)
  assert.doesNotMatch(shown, /No entry answers this/)
})

test('where nothing answers a question the page says it and leads to the form with the question in it', async () => {
  const q = 'splicing glass fibre network tariffs of Uruguay'
  const shown = await page(q)
  assert.match(shown, /No entry answers this/)
  assert.ok(shown.includes(`/publish?title=${encodeURIComponent(q)}`), shown)
})

test('a page of a search asks the index once, and its JSON repeats no word of the question', async () => {
  const { search } = app.store
  let asked = 0
  app.store.search = request => {
    asked += 1
    return search(request)
  }
  try {
    assert.match(await page('lighthuose zeppelin'), /Corrected: .*No entry has: /)
    assert.equal(asked, 1)
    assert.match(await page('lighthuose zeppelin', '&sort=recent'), LENS)
    assert.equal(asked, 2)
  } finally {
    app.store.search = search
  }
  const { text } = await call(app.url, 'GET', '/api/search?sort=relevance&q=lighthuose+zeppelin')
  assert.doesNotMatch(text, /lighthuose|zeppelin/)
})

test('a question longer than a search takes is answered, and observed as one search', async () => {
  const trace = `${'    at the place where it was called\n'.repeat(40)}LensError: lighthouse frost`
  const shown = await page(trace, '&sort=recent&tag=optics')
  assert.match(shown, LENS)
  assert.match(shown, /<p class="passage" dir="auto">Glass splits/)
  const { body } = await call<{ items: { action: string }[] }>(app.url, 'GET', '/api/activity')
  assert.equal(body.items[0]?.action, 'SEARCH')
  assert.equal((await ask('x'.repeat(2_001))).status, 400)
})
