import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { shareApp } from '../support/app.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'
import { documentsOf } from '../support/page-table.ts'

const MANY = 55
const PAGE_BYTES = 100_000
/** Files that a browser loads once for all pages: styles, and the modules of a page that writes. */
const ASSET_BYTES = 85_000
/** Styles, modules and the icon that a page names: with the page and its font, a page that writes needs ten requests. Its modules name no others, except those that are loaded when they are used. */
const FILES = { reading: 3, writing: 8 }
const FONT_BYTES = 26_000

let hub: Entry
let first: Entry
let token = ''
const app = shareApp({}, async () => {
  token = (await newActor(app.url, { declaredName: 'Some Name', declaredModel: 'some model' })).token
  const post = async <T>(path: string, body: unknown): Promise<T> =>
    expectStatus(await call<T>(app.url, 'POST', path, { token, body }), 201)
  hub = await newEntry(app.url, token)
  first = hub
  for (let index = 0; index < MANY; index += 1) {
    const tags = ['one', 'two', 'three', `tag ${index}`]
    const other = await newEntry(app.url, token, { tags })
    hub = await post<Entry>(`/api/entries/${hub.slug}/revisions`, revisionOf(hub, { content: `Content ${index}` }))
    const about = { revisionId: hub.currentRevisionId, rationale: 'Tried it.' }
    await post(`/api/entries/${hub.slug}/verify`, { ...about, result: 'SUPPORTED', confidence: 0.5 })
    await post(`/api/entries/${hub.slug}/contradict`, { ...about, sourceEntryId: other.id })
    const ends = { sourceEntryId: hub.id, targetEntryId: other.id }
    await post('/api/relations', { ...ends, relationType: 'CONNECT', rationale: 'Belong together.' })
  }
})

const text = async (path: string): Promise<string> => {
  const answer = await call(app.url, 'GET', path, { headers: { accept: 'text/html' } })
  expectStatus(answer, 200)
  return answer.text
}

test('a page with the maximum number of short rows is at most 100 kB', async () => {
  const revision = { id: first.currentRevisionId }
  const examples = documentsOf({ entry: hub, other: first, first: revision, tokens: [] })
  for (const [path, [address = '']] of Object.entries(examples)) {
    const full = address.includes('?') ? `${address}&limit=50` : `${address}?limit=50`
    const bytes = Buffer.byteLength(await text(full))
    assert.ok(bytes <= PAGE_BYTES, `${path} has ${bytes} bytes`)
  }
  assert.equal((await text(`/entries/${hub.slug}/history?limit=50`)).match(/<li class="revision">/g)?.length, 50)
  assert.equal((await text(`/entries/${hub.slug}/evidence?limit=50`)).match(/<li class="piece /g)?.length, 50)
  assert.equal((await text('/search?limit=50')).match(/<li class="result">/g)?.length, 50)
})

test('the files that a page loads are small, and cached permanently', async () => {
  const wanted = new Map<string, number>()
  const load = async (path: string): Promise<void> => {
    if (wanted.has(path)) return
    const answer = await call(app.url, 'GET', path)
    expectStatus(answer, 200)
    assert.match(answer.headers.get('cache-control') ?? '', /immutable/, path)
    wanted.set(path, Buffer.byteLength(answer.text))
    if (!path.endsWith('.js')) return
    for (const [, name = ''] of answer.text.matchAll(/from '(\.\/[^']+)'/g))
      await load(new URL(name, `${app.url}${path}`).pathname)
  }
  const at = `/entries/${hub.slug}`
  const reading = ['/', at, `${at}/history`, `${at}/diff`]
  const writing = [
    '/publish',
    '/actor',
    ...['revise', 'verify', 'contradict', 'relate', 'report'].map(page => `${at}/${page}`),
  ]
  for (const address of [...reading, ...writing]) {
    wanted.clear()
    for (const [, path = ''] of (await text(address)).matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:css|js|svg))"/g))
      await load(path)
    const bytes = [...wanted.values()].reduce((sum, one) => sum + one, 0)
    const most = writing.includes(address) ? FILES.writing : FILES.reading
    const found = `${address} loads ${wanted.size} files of ${bytes} bytes`
    assert.ok(wanted.size >= 2 && wanted.size <= most && bytes <= ASSET_BYTES, found)
  }
})

test('a page without accented letters loads one small font, from the same host', async () => {
  const page = await text('/')
  const fonts = [...page.matchAll(/<link rel="preload" href="([^"]+)" as="font" type="font\/woff2" crossorigin>/g)]
  assert.equal(fonts.length, 1)
  const [[, path = ''] = []] = fonts
  const answer = await fetch(`${app.url}${path}`)
  const bytes = (await answer.arrayBuffer()).byteLength
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'font/woff2'])
  assert.match(answer.headers.get('cache-control') ?? '', /immutable/)
  assert.ok(bytes > 10_000 && bytes <= FONT_BYTES, `the font has ${bytes} bytes`)
  const shown = await call(app.url, 'GET', '/', { headers: { accept: 'text/html' } })
  assert.match(shown.headers.get('content-security-policy') ?? '', /font-src 'self';/)
  const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(page) ?? []
  const { text: styles } = await call(app.url, 'GET', sheet)
  assert.match(styles, /@font-face\{[^}]*font-display: ?optional;[^}]*url\("serif\.woff2"\)/)
})

test('the head of a page names every module that its scripts import', async () => {
  for (const address of ['/publish', `/entries/${hub.slug}/revise`, '/admin', '/']) {
    const page = await text(address)
    const named = new Set([...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path))
    assert.ok(named.size >= 1)
    for (const path of named) {
      for (const [, name = ''] of (await text(path)).matchAll(/^(?:import|\}).*? from '(\.\/[^']+)'/gm)) {
        const imported = new URL(name, `${app.url}${path}`).pathname
        assert.ok(named.has(imported), `${address} does not name ${imported}`)
      }
    }
  }
})

test('modules are served with every line of their code, without lines of comments and without indentation', async () => {
  const folder = join(import.meta.dirname, '../../src/web/browser')
  const isComment = (line: string): boolean => /^\s*(?:\*|\/\/|\/\*\*$|\/\*\*.*\*\/$)/.test(line)
  for (const name of readdirSync(folder).filter(one => one.endsWith('.js'))) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n')
    // A string of several lines would lose its indentation.
    for (const line of lines.filter(one => !isComment(one))) assert.equal((line.split('`').length - 1) % 2, 0, line)
    const code = lines.filter(
      line => !isComment(line) && !/^\s*\/\*\* /.test(line) && !/ from '(?:\.\.\/\.\.\/|\w+')/.test(line),
    )
    const served = (await text(`/assets/any/${name}`)).split('\n')
    let at = 0
    for (const line of code) {
      const found = served.indexOf(line.trimStart(), at)
      assert.ok(found >= 0, `${name} lacks ${line}`)
      at = found
    }
    assert.ok(!served.some(isComment), name)
  }
})
