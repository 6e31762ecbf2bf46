import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApp } from '../support/app.ts'
import { type Answer, call } from '../support/client.ts'
import { CONTENT, ELSEWHERE, HOSTILE_QUERIES, seedHostile, UNSEEN_CHARACTERS } from '../support/hostile.ts'
import { addressesOf, documentsOf, filesOf, type SeededPages } from '../support/page-table.ts'
import { parseXml } from './xml.ts'

let seeded: SeededPages
const app = useApp({ PUBLIC_URL: 'https://memory.example' }, async () => {
  seeded = await seedHostile(app.url)
})

const get = (path: string): Promise<Answer> => call(app.url, 'GET', path, { headers: { accept: 'text/html' } })
const documents = (): string[] => [
  ...addressesOf(documentsOf(seeded)),
  ...HOSTILE_QUERIES,
  '/<script>struck=1</script>',
]
const files = (): string[] => [
  ...addressesOf(filesOf(seeded)).filter(path => !/\.(?:png|ico)$/.test(path)),
  `/feeds/tag.atom?tag=${encodeURIComponent('"><b>')}`,
]

/** Every tag of a page as the parser of a browser would find it, with its attributes. */
const tagsOf = (text: string): { name: string; attributes: Map<string, string> }[] =>
  [...text.matchAll(/<([a-z][^\s/>]*)((?:\s+[^\s=/>"']+(?:="[^"]*")?)*)\s*\/?>/gi)].map(([, name = '', rest = '']) => ({
    name: name.toLowerCase(),
    attributes: new Map(
      [...rest.matchAll(/([^\s=/>"']+)(?:="([^"]*)")?/g)].map(([, key = '', value = '']) => [key.toLowerCase(), value]),
    ),
  }))

const ADDRESS = /^(?:https?:\/\/|mailto:|\/(?!\/)|#|$)/
const MAY_STAND = new Set(
  (
    'html head meta title link script body a header div form label input button nav ul ol li main p footer svg path section aside article ' +
    'h1 h2 h3 h4 h5 h6 em strong b bdi q code pre span br hr time table thead tbody tr th td rect line circle g text defs marker figure ' +
    'figcaption i dl dt dd details summary mark del ins blockquote select option textarea fieldset legend noscript output template ' +
    'polyline polygon s small caption dialog'
  ).split(' '),
)

test('hostile texts make no element, attribute or address on any page', async () => {
  for (const path of documents()) {
    const { text } = await get(path)
    for (const { name, attributes } of tagsOf(text)) {
      assert.ok(MAY_STAND.has(name), `<${name}> on ${path}`)
      for (const key of attributes.keys())
        assert.doesNotMatch(key, /^on|^style$|^srcdoc$|^formaction$/, `${name} on ${path}`)
      const address = attributes.get('href') ?? attributes.get('src') ?? attributes.get('action') ?? ''
      assert.match(address, ADDRESS, `${name} on ${path}`)
      if (name !== 'a' && !(name === 'link' && attributes.get('rel') === 'canonical'))
        assert.doesNotMatch(address, /^http/, path)
      if (name === 'a' && address.startsWith('http'))
        assert.match(attributes.get('rel') ?? '', /nofollow.*noopener/, path)
      if (name === 'script' && attributes.get('type') !== 'application/ld+json')
        assert.match(attributes.get('src') ?? '', /^\/assets\//)
    }
    // Text between tags contains no beginning of a tag.
    assert.doesNotMatch(
      text.replace(/<!doctype html>|<\/?[a-z][^\s/>]*(?:\s+[^\s=/>"']+(?:="[^"]*")?)*\s*\/?>/gi, ''),
      /<[a-z!/?]/i,
      path,
    )
  }
})

test('the linked data of a hostile entry is one JSON text that repeats its words and cannot end its element', async () => {
  const { text } = await get(`/entries/${seeded.entry.slug}`)
  const blocks = [...text.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)]
  assert.equal(blocks.length, 1)
  const data = JSON.parse(blocks[0]?.[1] ?? '') as { headline: string; author: { name: string } }
  assert.match(data.headline, /^<script>globalThis\.struck=1<\/script>"'>/)
  assert.match(data.author.name, /<script>struck=1<\/script>/)
  assert.doesNotMatch(JSON.stringify(data), UNSEEN_CHARACTERS)
})

/** A text to edit is unchanged in its field, so that it is sent back completely. */
const withoutFields = (text: string): string => text.replace(/ value="[^"]*"|<textarea[\s\S]*?<\/textarea>/g, '')

test('invisible characters are named or left out, on pages, in feeds and in files', async () => {
  for (const path of [...documents(), ...files(), `/entries/${seeded.entry.slug}.md`]) {
    const text = withoutFields((await get(path)).text)
    const found = UNSEEN_CHARACTERS.exec(text)
    assert.equal(
      found,
      null,
      `U+${found?.[0].codePointAt(0)?.toString(16)} on ${path}: ${text.slice((found?.index ?? 0) - 80, found?.index)}`,
    )
  }
  const { text } = await get(`/entries/${seeded.entry.slug}`)
  for (const name of ['U+202E', 'U+200B', 'U+001B', 'U+2066', 'U+009B', 'U+E0041']) assert.ok(text.includes(name), name)
  const { text: markdown } = await get(`/entries/${seeded.entry.slug}.md`)
  assert.match(markdown, /omitted here: \d+ invisible characters/)
})

test('feeds and the sitemap stay well-formed, and their texts stay text', async () => {
  const atoms = files().filter(path => /\.atom|\.xml/.test(path))
  assert.ok(atoms.length >= 6)
  for (const path of atoms) {
    const { text } = await get(path)
    parseXml(text)
    assert.doesNotMatch(text, /<script|<img|<b[:>]| type="x?html"/, path)
  }
  for (const path of files().filter(one => /\.json/.test(one))) {
    const feed = JSON.parse((await get(path)).text) as { items: Record<string, unknown>[] }
    for (const item of feed.items) assert.equal('content_html' in item, false, path)
  }
})

test('JSON has the texts unchanged', async () => {
  const { body } = await call<{ content: string }>(app.url, 'GET', `/entries/${seeded.entry.slug}.json`)
  assert.ok(body.content.endsWith(CONTENT))
})

test('external links are marked, and links that would run something are text', async () => {
  const { text } = await get(`/entries/${seeded.entry.slug}`)
  const prose = /<section class="prose"[\s\S]*?<\/section>/.exec(text)?.[0] ?? ''
  assert.ok(
    prose.includes(`<a href="https://${ELSEWHERE}/page" rel="nofollow ugc noopener noreferrer" class="leaves">`),
  )
  assert.ok(prose.includes('[script](javascript:globalThis.struck=1)'))
  const addresses = [...prose.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
  assert.ok(addresses.length >= 5, addresses.join(' '))
  for (const href of addresses) assert.match(href ?? '', /^https?:\/\//)
})
