import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAGE_FIELDS } from '../../src/http/pages.ts'
import { shareApp, startApp } from '../support/app.ts'
import { type Answer, call, expectProblem, expectStatus, newActor, newEntry } from '../support/client.ts'
import { addressesOf, documentsOf, filesOf, GET_PATHS, type SeededPages, seedPages } from '../support/page-table.ts'

let seeded: SeededPages
const app = shareApp({}, async () => {
  seeded = await seedPages(app)
})

/** The version of a compressed page is weak (compression.test.ts). */
const HTML: Record<string, string> = { accept: 'text/html', 'accept-encoding': 'identity' }
const get = (path: string, headers: Record<string, string> = HTML): Promise<Answer> =>
  call(app.url, 'GET', path, { headers })
const typeOf = ({ headers }: Answer): string => headers.get('content-type') ?? ''

/** The directives of a policy by name. */
const directives = (policy: string | null): Record<string, string> =>
  Object.fromEntries(
    (policy ?? '').split(';').map(one => {
      const [name = '', ...values] = one.trim().split(/\s+/)
      return [name, values.join(' ')]
    }),
  )

test('every path of the table has an example', () => {
  const known = Object.keys({ ...documentsOf(seeded), ...filesOf(seeded) })
  assert.deepEqual(known.toSorted(), GET_PATHS.toSorted())
})

test('every page is HTML under one strict policy, sets no cookie and is at most 100 kB', async () => {
  assert.deepEqual(directives(PAGE_FIELDS['content-security-policy']), {
    'default-src': "'none'",
    'style-src': "'self'",
    'font-src': "'self'",
    'script-src': "'self'",
    'img-src': "'self'",
    'connect-src': "'self'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
  })
  for (const path of [...addressesOf(documentsOf(seeded)), '/nothing-here', '/entries/nothing-here']) {
    const answer = await get(path)
    assert.equal(answer.status, path.includes('nothing-here') ? 404 : 200, path)
    assert.equal(typeOf(answer), 'text/html; charset=utf-8', path)
    assert.equal(answer.headers.get('set-cookie'), null, path)
    assert.equal(answer.headers.get('content-security-policy'), PAGE_FIELDS['content-security-policy'], path)
    assert.match(answer.headers.get('permissions-policy') ?? '', /camera=\(\)/, path)
    assert.equal(answer.headers.get('strict-transport-security'), null, path)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', path)
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer', path)
    assert.ok(Buffer.byteLength(answer.text) <= 100_000, `${path}: ${Buffer.byteLength(answer.text)} bytes`)
    assert.doesNotMatch(
      answer.text,
      /<script(?! type="module" src="\/assets\/| type="application\/ld\+json">)|<style|<[^>]* (?:style|on[a-z]+)="/,
      path,
    )
    assert.doesNotMatch(
      answer.text,
      /<(?:link(?! rel="canonical")|script|img|form)[^>]* (?:src|href|action)="(?:https?:)?\/\//,
    )
  }
})

test('every file has a policy under which nothing runs, and sets no cookie', async () => {
  const paths = addressesOf(filesOf(seeded)).filter(path => !/^\/opensearch\.xml$|^\/entries$|\/timeline$/.test(path))
  for (const path of [...paths, `/entries/${seeded.entry.slug}.md`, `/entries/${seeded.entry.slug}.json`]) {
    const answer = await get(path)
    assert.equal(answer.status, 200, path)
    const policy = directives(answer.headers.get('content-security-policy'))
    assert.equal(policy['default-src'], "'none'", path)
    assert.equal(policy['script-src'], undefined, path)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', path)
    assert.equal(answer.headers.get('set-cookie'), null, path)
    assert.doesNotMatch(typeOf(answer), /html/, path)
  }
})

test('a page requested again with its ETag is 304 without a body, and HEAD is GET without a body', async () => {
  for (const path of [...addressesOf(documentsOf(seeded)), '/feeds/changes.atom', '/sitemap.xml', '/robots.txt']) {
    const first = await get(path)
    const etag = first.headers.get('etag') ?? ''
    assert.match(etag, /^"[\w-]{22}"$/, path)
    assert.equal(first.headers.get('cache-control'), 'public, no-cache', path)
    assert.equal(first.headers.get('vary')?.toLowerCase().includes('accept'), true, path)
    const head = await call(app.url, 'HEAD', path, { headers: HTML })
    assert.equal(head.status, 200, path)
    assert.equal(head.text, '', path)
    assert.equal(head.headers.get('content-type'), first.headers.get('content-type'), path)
    assert.equal(head.headers.get('content-security-policy'), first.headers.get('content-security-policy'), path)
    assert.ok(Number(head.headers.get('content-length')) > 0, path)
    // Views are observed: pages that show observations change with each look at them.
    if (/^\/(?:activity|stats)/.test(path)) continue
    assert.equal(head.headers.get('etag'), etag, path)
    const again = await get(path, { ...HTML, 'if-none-match': etag })
    assert.equal(again.status, 304, path)
    assert.equal(again.text, '', path)
    assert.equal(again.headers.get('etag'), etag, path)
    const other = await get(path, { ...HTML, 'if-none-match': '"other"' })
    assert.equal(other.status, 200, path)
  }
})

test('an ETag changes with the content of a page', async () => {
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token)
  const pages = ['', '/evidence', '/history'].map(part => `/entries/${entry.slug}${part}`)
  const etags = await Promise.all(pages.map(async path => (await get(path)).headers.get('etag') ?? ''))
  const body = { revisionId: entry.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'It held.' }
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/verify`, { token, body }), 201)
  for (const [index, path] of pages.entries()) {
    assert.equal((await get(path, { ...HTML, 'if-none-match': etags[index] ?? '' })).status, 200, path)
  }
})

test('an entry is HTML, Markdown or JSON, by ending and by Accept', async () => {
  const at = `/entries/${seeded.entry.slug}`
  const asked: readonly [string, string, string][] = [
    [at, 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html; charset=utf-8'],
    [at, '*/*', 'text/html; charset=utf-8'],
    [at, 'text/markdown', 'text/markdown; charset=utf-8'],
    [at, 'application/json', 'application/json; charset=utf-8'],
    [at, 'text/html;q=0.5, text/markdown', 'text/markdown; charset=utf-8'],
    [at, 'application/json, text/markdown;q=0.9', 'application/json; charset=utf-8'],
    [at, 'image/png', 'text/html; charset=utf-8'],
    [`${at}.md`, 'text/html', 'text/markdown; charset=utf-8'],
    [`${at}.json`, 'text/html', 'application/json; charset=utf-8'],
    [`/entries/${seeded.entry.id}.json`, '*/*', 'application/json; charset=utf-8'],
  ]
  for (const [path, accept, type] of asked) {
    const answer = await get(path, { accept })
    assert.equal(answer.status, 200, path)
    assert.equal(typeOf(answer), type, `${path} as ${accept}`)
    assert.match(answer.headers.get('vary') ?? '', /accept/i)
  }
  const api = await call(app.url, 'GET', `/api/entries/${seeded.entry.slug}`)
  assert.deepEqual((await get(`${at}.json`)).body, api.body)
  const markdown = (await get(`${at}.md`)).text
  assert.ok(markdown.startsWith(`# ${seeded.entry.title}\n`))
  assert.ok(markdown.includes(seeded.entry.content))
  assert.match(markdown, /data, never an instruction/)
  const page = (await get(at)).text
  for (const ending of ['md', 'json']) assert.ok(page.includes(`<a href="${at}.${ending}">`), ending)
})

test('the id of an entry, and of a page under it, redirects to the permanent address', async () => {
  for (const part of ['', '/layers', '/history', '/evidence', '/relations']) {
    const response = await fetch(`${app.url}/entries/${seeded.entry.id}${part}`, { redirect: 'manual', headers: HTML })
    await response.arrayBuffer()
    assert.equal(response.status, 302, part)
    assert.equal(response.headers.get('location'), `/entries/${seeded.entry.slug}${part}`)
  }
  const former = await fetch(`${app.url}/entries/${seeded.entry.slug}/timeline`, { redirect: 'manual', headers: HTML })
  await former.arrayBuffer()
  assert.deepEqual([former.status, former.headers.get('location')], [308, `/entries/${seeded.entry.slug}/history`])
  const all = await fetch(`${app.url}/entries`, { redirect: 'manual', headers: HTML })
  await all.arrayBuffer()
  assert.equal(all.headers.get('location'), '/search')
})

const unescaped = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')

test('every internal link of every page leads to an existing page and element', async () => {
  const seen = new Map<string, Answer>()
  for (const from of addressesOf(documentsOf(seeded))) {
    const { text } = await get(from)
    for (const [, href = ''] of text.matchAll(/<(?:a|link)[^>]* href="([^"]*)"/g)) {
      const { pathname, search, hash, host } = new URL(unescaped(href), `${app.url}${from}`)
      if (host !== new URL(app.url).host) continue
      const address = pathname + search
      const answer = seen.get(address) ?? (await get(address))
      seen.set(address, answer)
      assert.equal(answer.status, 200, `${address} on ${from}`)
      const id = decodeURIComponent(hash.slice(1))
      if (id !== '') assert.ok(answer.text.includes(` id="${id}"`), `${address}${hash} on ${from}`)
    }
  }
  assert.ok(seen.size > 60, `${seen.size} addresses`)
})

test('a problem is a page with its status and the remedy, or JSON for clients that accept it', async () => {
  const at = `/entries/${seeded.entry.slug}`
  const other = seeded.other.currentRevisionId
  const problems: readonly [string, number, string][] = [
    ['/nothing-here', 404, 'ROUTE_NOT_FOUND'],
    ['/assets/any/nothing.js', 404, 'ROUTE_NOT_FOUND'],
    ['/docs/errors/NOTHING', 404, 'ROUTE_NOT_FOUND'],
    ['/entries/nothing-here', 404, 'ENTRY_NOT_FOUND'],
    [`${at}/revisions/${other}`, 404, 'REVISION_NOT_FOUND'],
    [`${at}/diff?from=${other}`, 404, 'REVISION_NOT_FOUND'],
    [`${at}/diff?from=x`, 400, 'INVALID_REVISION_ID'],
    ['/search?limit=0', 400, 'INVALID_LIMIT'],
    ['/activity?before=x', 400, 'INVALID_BEFORE'],
    [`${at}%00`, 400, 'INVALID_SLUG'],
    ['/%zz', 400, 'INVALID_PATH'],
  ]
  for (const [path, status, code] of problems) {
    const answer = await get(path)
    assert.equal(answer.status, status, `${path}: ${answer.text.slice(0, 200)}`)
    if (!path.endsWith('.js')) {
      assert.equal(typeOf(answer), 'text/html; charset=utf-8', path)
      assert.equal(answer.text.match(/<h1>/g)?.length, 1, path)
      assert.ok(answer.text.includes(`<a href="/docs/errors/${code}"><code>${code}</code></a>`), path)
      assert.ok(answer.text.includes(answer.headers.get('x-request-id') ?? 'none'), path)
      assert.match(answer.text, /<meta name="robots" content="noindex">/)
    }
    assert.equal(answer.headers.get('cache-control'), 'no-store', path)
    expectProblem(await get(path, { accept: 'application/json' }), status, code)
  }
})

test('pages are limited like the reads that they show, and a refusal names the wait', async () => {
  await using strict = await startApp({ READ_LIMIT_PER_MINUTE: '2' })
  const asked = (path: string, headers = HTML) => call(strict.url, 'GET', path, { headers })
  assert.equal((await asked('/search')).status, 200)
  assert.equal((await asked('/activity')).status, 200)
  const refused = await asked('/')
  assert.equal(refused.status, 429)
  const wait = Number(refused.headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= 60, `${wait} s`)
  assert.ok(refused.text.includes(`<span data-retry-after="${wait}">${wait}</span>`))
  assert.equal(refused.headers.get('content-security-policy'), PAGE_FIELDS['content-security-policy'])
  assert.equal((await asked('/docs/errors/RATE_LIMITED')).status, 200)
  expectProblem(await asked('/feeds/changes.json', { accept: 'application/json' }), 429, 'RATE_LIMITED')
})
