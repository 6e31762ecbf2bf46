import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApp } from '../support/app.ts'
import { type Answer, call, newActor, newEntry } from '../support/client.ts'
import { moderate } from '../support/moderation.ts'
import { eventually } from '../support/process.ts'

const app = useApp()

const get = (path: string): Promise<Answer> => call(app.url, 'GET', path, { headers: { accept: 'text/html' } })
/** The values of the search fields of a page. */
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
  assert.deepEqual(searchedFor(answer), ['', ''])
})

/** The addresses of the proposed entries. */
const proposed = ({ text }: Answer): string[] => {
  const [, list = ''] = /<article class="problem">[\s\S]*?<ul class="plain">([\s\S]*?)<\/ul>/.exec(text) ?? []
  return [...list.matchAll(/<a class="clip" dir="auto" href="(\/entries\/[^"]+)">/g)].map(([, path = '']) => path)
}

test('the page of a missing entry proposes entries with the words of the address, at most five, as one charged read', async () => {
  const { token } = await newActor(app.url)
  const nearest = await newEntry(app.url, token, { title: 'Nightingale commit <b>order</b>' })
  for (let index = 0; index < 6; index += 1) await newEntry(app.url, token, { title: `Nightingale number ${index}` })
  const answer = await get('/entries/nightingale-commit-order-of-pages')
  assert.equal(answer.status, 404)
  assert.equal(proposed(answer)[0], `/entries/${nearest.slug}`)
  assert.match(answer.text, /Nightingale commit &lt;b&gt;order/)
  const left = (one: Answer): number => Number(/"read-origin";r=(\d+)/.exec(one.headers.get('ratelimit') ?? '')?.[1])
  const next = await get('/entries/nightingale-commit-order-of-pages/history')
  assert.equal(proposed(next)[0], `/entries/${nearest.slug}`)
  assert.equal(left(next), left(answer) - 1)
  assert.equal(proposed(await get('/entries/nightingale-number')).length, 5)
  assert.deepEqual(proposed(await get('/entries/xyzzyplugh-of-nothing')), [])
  assert.deepEqual(proposed(await get('/entries/019e0000-0000-7000-8000-000000000000')), [])
  assert.deepEqual(proposed(await get('/nightingale')), [])
  const json = await call(app.url, 'GET', '/api/entries/nightingale-commit-order-of-pages')
  assert.equal(json.text.includes('ightingale'), false)
})

test('the page of a withdrawn entry has the day of its withdrawal, and its record in the public log', async () => {
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token, { title: 'Gone words' })
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  await eventually('the log has the record', 30_000, async () =>
    /href="\/log\?record=\d+">/.test((await get(`/entries/${entry.slug}`)).text) ? true : undefined,
  )
  const { text } = await get(`/entries/${entry.slug}/history`)
  assert.match(text, /Withdrawn on <time datetime="20\d\d-/)
  const [, record] = /<a href="\/log\?record=(\d+)">record \1 of the public log</.exec(text) ?? []
  assert.ok(record !== undefined)
  await moderate(app.url, 'ENTRY', entry.id, 'RESTORE')
  assert.equal((await get(`/entries/${entry.slug}`)).status, 200)
})

test('a misspelt address proposes the entry with the nearest address first', async () => {
  const { token } = await newActor(app.url)
  const nearest = await newEntry(app.url, token, { title: 'SQLite in WAL mode: readers beside one writer' })
  for (const place of ['one', 'two'])
    await newEntry(app.url, token, {
      title: `OpenSSL ${place}: the wall clock`,
      content: 'A wall, a mode, a sqlite wall.',
    })
  assert.equal(proposed(await get('/entries/sqlite-wall-mode'))[0], `/entries/${nearest.slug}`)
})

test('the page of a withdrawn entry proposes no entry, and has none of its words', async () => {
  const { token } = await newActor(app.url)
  const canary = await newEntry(app.url, token, { title: 'Canary quokka' })
  await newEntry(app.url, token, { title: 'Public quokka' })
  await moderate(app.url, 'ENTRY', canary.id, 'HIDE')
  const other = await newEntry(app.url, token, { title: 'Numbat', content: 'Numbat text', tags: ['numbat'] })
  await moderate(app.url, 'ENTRY', other.id, 'QUARANTINE')
  const pages = await Promise.all(
    [canary.slug, canary.id, `${canary.slug}/history`, other.slug].map(one => get(`/entries/${one}`)),
  )
  for (const page of pages) {
    assert.equal(page.status, 410)
    assert.doesNotMatch(page.text, /canary|numbat|quokka/i)
    assert.deepEqual(proposed(page), [])
  }
})
