import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'
import { addressesOf, documentsOf, type SeededPages, seedPages } from '../support/page-table.ts'
import { all, type Element, parseXml, textOf } from './xml.ts'

const PUBLIC_URL = 'https://memory.example'
const WHEN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

let app: TestApp
let nameless: TestApp
let seeded: SeededPages
before(async () => {
  app = await startApp({ PUBLIC_URL })
  nameless = await startApp()
  seeded = await seedPages(app)
})
after(async () => {
  await app.close()
  await nameless.close()
})

const get = async (path: string, base = app.url) => {
  const answer = await call<Record<string, unknown>>(base, 'GET', path)
  expectStatus(answer, 200)
  return { text: answer.text, type: answer.headers.get('content-type') ?? '' }
}
const feeds = (): string[] => [
  '/feeds/changes',
  '/feeds/activity',
  '/feeds/tag?tag=durability',
  '/feeds/tag',
  `/entries/${seeded.entry.slug}/feed`,
]
const formOf = (feed: string, form: string): string => feed.replace(/(\?|$)/, `.${form}$1`)
const linkOf = (element: Element, rel?: string): string | undefined =>
  all(element, 'link').find(({ attributes }) => attributes.rel === rel)?.attributes.href

test('the reader of XML refuses what is not well-formed', () => {
  const prologue = '<?xml version="1.0" encoding="utf-8"?>\n'
  assert.deepEqual(parseXml(`${prologue}<a b="&lt;">x<c/></a>`).attributes, { b: '<' })
  for (const wrong of ['', '<a>', '<a></b>', '<a/><b/>', '<a>&nbsp;</a>', '<a>&</a>', '<a b="<"/>', '<a b="" b=""/>']) {
    assert.throws(() => parseXml(prologue + wrong), Error, wrong)
  }
  for (const wrong of ['<a>\u0000</a>', '<a>\u001b</a>', '<a>\uffff</a>', '<a>&#27;</a>', '<a/>x', '<a><b></a></b>']) {
    assert.throws(() => parseXml(prologue + wrong), Error, wrong)
  }
})

test('every Atom feed is well-formed and has what RFC 4287 requires', async () => {
  for (const path of feeds().map(feed => formOf(feed, 'atom'))) {
    const { text, type } = await get(path)
    assert.equal(type, 'application/atom+xml; charset=utf-8')
    const feed = parseXml(text)
    assert.equal(feed.name, 'feed')
    assert.equal(feed.attributes.xmlns, 'http://www.w3.org/2005/Atom')
    assert.equal(textOf(feed, 'id'), `${PUBLIC_URL}${path}`)
    assert.equal(linkOf(feed, 'self'), `${PUBLIC_URL}${path}`)
    assert.match(textOf(feed, 'title'), /^Palimpsest: ./)
    assert.match(textOf(feed, 'updated'), WHEN)
    const entries = all(feed, 'entry')
    assert.ok(entries.length > 0, path)
    assert.equal(new Set(entries.map(one => textOf(one, 'id'))).size, entries.length, path)
    const times = entries.map(one => textOf(one, 'updated'))
    assert.deepEqual(times, times.toSorted().reverse(), `${path} is newest first`)
    assert.equal(textOf(feed, 'updated'), times[0])
    for (const entry of entries) {
      assert.match(textOf(entry, 'id'), /^urn:uuid:[0-9a-f-]{36}$/)
      assert.match(textOf(entry, 'updated'), WHEN)
      assert.notEqual(textOf(entry, 'title').trim(), '')
      assert.notEqual(textOf(entry, 'summary').trim(), '')
      assert.notEqual(textOf(all(entry, 'author')[0] ?? entry, 'name').trim(), '')
      assert.ok(linkOf(entry)?.startsWith(`${PUBLIC_URL}/`), linkOf(entry))
    }
  }
})

type JsonFeed = {
  version: string
  title: string
  home_page_url: string
  feed_url: string
  items: { id: string; url: string; title: string; content_text: string; date_published: string }[]
}

test('every JSON Feed has what version 1.1 requires, and the same items as the Atom feed', async () => {
  for (const path of feeds()) {
    const { text, type } = await get(formOf(path, 'json'))
    assert.equal(type, 'application/feed+json; charset=utf-8')
    const feed = JSON.parse(text) as JsonFeed
    assert.equal(feed.version, 'https://jsonfeed.org/version/1.1')
    assert.match(feed.title, /^Palimpsest: ./)
    assert.equal(feed.feed_url, `${PUBLIC_URL}${formOf(path, 'json')}`)
    assert.ok(feed.home_page_url.startsWith(`${PUBLIC_URL}/`))
    for (const { id, url, content_text, date_published } of feed.items) {
      assert.match(id, /^[0-9a-f-]{36}$/)
      assert.ok(url.startsWith(`${PUBLIC_URL}/`), url)
      assert.notEqual(content_text, '')
      assert.match(date_published, WHEN)
    }
    if (path === '/feeds/activity') continue
    const entries = all(parseXml((await get(formOf(path, 'atom'))).text), 'entry')
    assert.deepEqual(
      feed.items.map(({ id, title, url }) => [`urn:uuid:${id}`, title, url]),
      entries.map(one => [textOf(one, 'id'), textOf(one, 'title'), linkOf(one)]),
    )
  }
})

test('feeds link to existing pages, and an empty store has feeds too', async () => {
  const paths = new Set<string>()
  for (const feed of feeds()) {
    for (const { url } of (JSON.parse((await get(formOf(feed, 'json'))).text) as JsonFeed).items)
      paths.add(url.slice(PUBLIC_URL.length))
  }
  assert.ok(paths.size > 5)
  for (const path of paths) await get(path)
  for (const feed of ['/feeds/changes', '/feeds/activity', '/feeds/tag']) {
    const atom = parseXml((await get(`${feed}.atom`, nameless.url)).text)
    assert.deepEqual(all(atom, 'entry'), [])
    assert.match(textOf(atom, 'id'), /^urn:palimpsest:/)
    assert.match(textOf(atom, 'updated'), WHEN)
    assert.deepEqual((JSON.parse((await get(`${feed}.json`, nameless.url)).text) as JsonFeed).items, [])
  }
})

const ALTERNATE = /<link rel="alternate" type="([^"]+)" title="[^"]+" href="([^"]+)">/g

test('every page announces feeds, each of the type that is served there', async () => {
  const announced = new Set<string>()
  for (const address of [...addressesOf(documentsOf(seeded)), '/search?tag=durability']) {
    const { text } = await get(address)
    const links = [...text.matchAll(ALTERNATE)].map(([, type = '', href = '']) => [href, type] as const)
    assert.ok(
      links.some(([href]) => href === '/feeds/changes.atom') && links.some(([href]) => href === '/feeds/changes.json'),
    )
    assert.equal(new Set(links.map(([href]) => href)).size, links.length, address)
    for (const [href, type] of links) {
      if (announced.has(href)) continue
      announced.add(href)
      assert.ok((await get(href)).type.startsWith(type), href)
    }
  }
  for (const feed of feeds().filter(path => path !== '/feeds/tag')) {
    for (const form of ['atom', 'json']) assert.ok(announced.has(formOf(feed, form)), formOf(feed, form))
  }
})

test('the sitemap lists every public entry, and robots.txt names the sitemap', async () => {
  const index = parseXml((await get('/sitemap.xml')).text)
  assert.equal(index.attributes.xmlns, 'http://www.sitemaps.org/schemas/sitemap/0.9')
  const places: string[] = []
  for (const one of all(index, 'sitemap')) {
    const slice = parseXml((await get(textOf(one, 'loc').slice(PUBLIC_URL.length))).text)
    assert.equal(slice.name, 'urlset')
    for (const url of all(slice, 'url')) places.push(textOf(url, 'loc'))
  }
  const list = await call<{ items: { slug: string }[] }>(app.url, 'GET', '/api/entries?limit=50')
  const expected = list.body.items.map(({ slug }) => `${PUBLIC_URL}/entries/${slug}`)
  assert.deepEqual(places.toSorted(), [`${PUBLIC_URL}/`, ...expected].toSorted())
  const robots = (await get('/robots.txt')).text
  assert.match(robots, /^User-agent: \*\n/)
  assert.ok(robots.includes(`\nSitemap: ${PUBLIC_URL}/sitemap.xml\n`))
  for (const path of ['/api/', '/admin']) assert.ok(robots.includes(`\nDisallow: ${path}\n`), path)
  assert.doesNotMatch((await get('/robots.txt', nameless.url)).text, /Sitemap/)
})

test('every page has Open Graph properties, and a canonical address if the public one is known', async () => {
  for (const address of addressesOf(documentsOf(seeded))) {
    const { text } = await get(address)
    const property = (name: string): string | undefined =>
      new RegExp(`<meta property="og:${name}" content="([^"]+)">`).exec(text)?.[1]
    assert.equal(property('site_name'), 'Palimpsest', address)
    const title = /<title>([^<]+)<\/title>/.exec(text)?.[1]?.replace(' · Palimpsest', '')
    assert.equal(property('title'), title, address)
    assert.equal(property('description'), /<meta name="description" content="([^"]+)">/.exec(text)?.[1], address)
    assert.equal(property('type'), address.startsWith('/entries/') ? 'article' : 'website', address)
    const unlisted = text.includes('<meta name="robots" content="noindex">')
    const canonical = /<link rel="canonical" href="([^"]+)">/.exec(text)?.[1]
    assert.equal(canonical === undefined, unlisted, address)
    assert.equal(property('url'), canonical, address)
    if (canonical !== undefined) await get(canonical.slice(PUBLIC_URL.length))
  }
  const { slug, currentRevisionId } = seeded.entry
  const { text } = await get(`/entries/${slug}/revisions/${currentRevisionId}`)
  assert.ok(text.includes(`<link rel="canonical" href="${PUBLIC_URL}/entries/${slug}">`))
  assert.doesNotMatch((await get('/', nameless.url)).text, /canonical|og:url|og:image/)
})

test('a link card has a picture, the standing and the summary, and an entry is linked data', async () => {
  const { body: entry } = await call<Entry>(app.url, 'GET', `/api/entries/${seeded.entry.slug}`)
  const { text } = await get(`/entries/${entry.slug}`)
  const picture = /<meta property="og:image" content="([^"]+)">/.exec(text)?.[1] ?? ''
  assert.equal(picture, `${PUBLIC_URL}/entries/${entry.slug}/card.png`)
  const [, shared = ''] = /<meta property="og:image" content="([^"]+)">/.exec((await get('/')).text) ?? []
  assert.ok(shared.startsWith(`${PUBLIC_URL}/assets/`), shared)
  const pictures = [
    picture.slice(PUBLIC_URL.length),
    shared.slice(PUBLIC_URL.length),
    '/apple-touch-icon.png',
    '/favicon.ico',
  ]
  const sizes = await Promise.all(pictures.map(path => pictureOf(path)))
  assert.deepEqual(sizes, ['image/png 1200x630', 'image/png 1200x630', 'image/png 180x180', 'image/x-icon 48x48'])
  const { for: inFavour, against } = entry.standing.tally
  assert.ok(inFavour > 0 && against === 0, 'the demonstration is judged')
  const voices = `${inFavour} of ${inFavour} ${inFavour === 1 ? 'says' : 'say'} it holds`
  const card = `Supported, ${voices}, unchanged since it was checked. ${entry.summary}`
  assert.ok(text.includes(`<meta property="og:description" content="${card.replaceAll("'", '&#39;')}">`), text)
  const data = JSON.parse(/<script type="application\/ld\+json">([^<]*)</.exec(text)?.[1] ?? '') as Record<
    string,
    unknown
  >
  assert.equal(data['@type'], 'Article')
  assert.equal(data.url, `${PUBLIC_URL}/entries/${entry.slug}`)
  assert.equal(data.headline, entry.title)
  assert.equal(data.version, entry.revisionCount)
  assert.deepEqual(data.keywords, entry.tags)
  assert.equal((data.author as { name: string }).name, entry.actor.declared.name)
  assert.doesNotMatch((await get('/search')).text, /ld\+json/)
})

/** The type of a picture, and the size that its own header has. */
async function pictureOf(path: string): Promise<string> {
  const response = await fetch(app.url + path)
  const bytes = Buffer.from(await response.arrayBuffer())
  const png = bytes.subarray(bytes.indexOf(Buffer.from([0x89, 0x50, 0x4e, 0x47])))
  assert.equal(png.subarray(-8, -4).toString('latin1'), 'IEND', path)
  return `${response.headers.get('content-type')} ${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`
}

test('pages of an https address ask browsers to use https only', async () => {
  for (const path of ['/', '/nothing-here']) {
    const answer = await call(app.url, 'GET', path, { headers: { accept: 'text/html' } })
    assert.match(answer.headers.get('strict-transport-security') ?? '', /max-age=31536000/, path)
  }
})
