import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { useJudgedPages, wordsOf } from './page-text.ts'

const DAY = 86_400_000
/** The most bytes that the standing adds to a row. */
const STRIP_BYTES = 450

const { app, world, page } = useJudgedPages()
type Strip = { markup: string; shape: string; words: string }
/** One strip: a span with spans inside. */
const STRIP =
  /<span class="stands \w+" title="[\w ]+">(?:(?!<\/?span).|<span[^>]*>(?:(?!<\/?span).)*<\/span>)*<\/span>/gs
/** The strips of a page, each with its drawing and its words. */
const stripsOf = (text: string): Strip[] =>
  [...text.matchAll(STRIP)].map(([markup]) => ({
    markup,
    shape: /<svg.*<\/svg>/s.exec(markup)?.[0] ?? '',
    words: wordsOf(markup),
  }))
/** The strip of an entry in the list of its tag. */
async function listed(tag: string): Promise<Strip> {
  const [strip, ...others] = stripsOf(await page(`/search?tag=${tag}`))
  assert.ok(strip !== undefined && others.length === 0, tag)
  return strip
}
const judged = async (tag: string, supports: number, objects = 0): Promise<Entry> => {
  const entry = await world.publish(await world.voice(), { tags: [tag] })
  for (const voice of await world.voices(supports)) await world.verify(voice, entry)
  for (const voice of await world.voices(objects)) await world.contradict(voice, entry)
  return entry
}

test('each standing has its own words and drawing; an own check and one voice differ from fourteen', async () => {
  const author = await world.voice()
  await world.verify(author, await world.publish(author, { tags: ['own'] }))
  await judged('none', 0)
  await judged('one', 1)
  await judged('fourteen', 14)
  await judged('disputed', 11, 3)
  await judged('against', 0, 2)
  const expected: Record<string, string> = {
    none: 'Unchecked',
    own: 'Unchecked by its authors only',
    one: 'Supported 1 of 1 says it holds · checked today',
    fourteen: 'Supported 14 of 14 say it holds · checked today',
    disputed: 'Disputed 11 of 14 say it holds · checked today',
    against: 'Contradicted 0 of 2 say it holds · checked today',
  }
  const shapes = new Set<string>()
  for (const [tag, words] of Object.entries(expected)) {
    const strip = await listed(tag)
    assert.equal(strip.words, words)
    assert.ok(Buffer.byteLength(strip.markup) <= STRIP_BYTES, `${tag}: ${Buffer.byteLength(strip.markup)} bytes`)
    shapes.add(strip.shape)
  }
  assert.equal(shapes.size, Object.keys(expected).length)
})

test('lists, searches, related entries, sources and the home page show the standing of each title', async () => {
  const source = await judged('source', 2)
  const pairs = [{ entryId: source.id, revisionId: source.currentRevisionId }]
  const voice = await world.voice()
  const entry = await world.publish(voice, { title: 'Nothing but quartzite', sources: pairs })
  await world.object(voice, source, entry)
  const shows = async (path: string, words: RegExp): Promise<void> =>
    assert.ok(
      stripsOf(await page(path)).some(strip => words.test(strip.words)),
      path,
    )
  for (const path of ['/search', '/search?q=quartzite', `/search?q=${'quartzite+'.repeat(60)}`, '/'])
    await shows(path, /^(?:Contradicted|Unchecked)/)
  await shows('/activity', /^Contradicted \d+ of \d+ says? it holds · checked today$/)
  for (const feed of ['changes', 'activity'])
    assert.match(await page(`/feeds/${feed}.atom`), /<category scheme="urn:palimpsest:standing" term="SUPPORTED"\/>/)
  for (const part of ['', '/relations', `/revisions/${entry.currentRevisionId}`])
    await shows(`/entries/${entry.slug}${part}`, /^Supported 2 of 2 say it holds/)
})

test('a row of the activity has the result of a verification as its badge', async () => {
  const entry = await world.publish(await world.voice())
  for (const result of ['SUPPORTED', 'UNSUPPORTED', 'INCONCLUSIVE'] as const)
    await world.verify(await world.voice(), entry, result)
  const badges = ['inconclusive', 'unsupported', 'supported']
  const text = await page('/activity')
  const rows = [...text.matchAll(/<span class="what"><span class="badge \w+">([^<]*)<\/span>/g)]
  const shown = rows.flatMap(([, name = '']) => (badges.includes(name) ? [name] : []))
  assert.deepEqual(shown.slice(0, 3), badges)
})

test('each topic of the home page has the share of its entries that others checked', async () => {
  await judged('loess', 1)
  await judged('loess', 0)
  await judged('loess', 0, 2)
  const author = await world.voice()
  await world.verify(author, await world.publish(author, { tags: ['loess', 'chert'] }))
  const topics = async (): Promise<Map<string, string>> =>
    new Map(
      [...(await page('/')).matchAll(/<bdi>(\w+)<\/bdi> <span class="number">([^<]*)<\/span>/g)].map(
        ([, tag = '', text = '']) => [tag, text],
      ),
    )
  const before = await topics()
  assert.deepEqual([before.get('loess'), before.get('chert')], ['4, 50 % checked', '1, 0 % checked'])
  await judged('loess', 1)
  assert.equal((await topics()).get('loess'), '5, 60 % checked')
})

test('relative times have the exact one beside them', async () => {
  const entry = await judged('times', 0)
  const [, title = ''] =
    new RegExp(
      `<time class="ago" datetime="${entry.createdAt}" title="([^"]*)">(?:today|yesterday), \\d\\d:\\d\\d UTC</time>`,
    ).exec(await page('/activity')) ?? []
  assert.equal(
    new Date(title.replace(' UTC', 'Z')).getTime(),
    Math.floor(Date.parse(entry.createdAt) / 60_000) * 60_000,
  )
  app.advance(3 * DAY)
  assert.match(
    await page(`/entries/${entry.slug}`),
    new RegExp(`datetime="${entry.createdAt}" title="${title}">3 days ago<`),
  )
})

test('the age of the last check grows by days, months and years', async () => {
  await judged('ages', 1)
  const ages: string[] = []
  for (const days of [1, 9, 110, 700]) {
    app.advance(days * DAY)
    ages.push((await listed('ages')).words.split('checked ')[1] ?? '')
  }
  assert.deepEqual(ages, ['yesterday', '10 days ago', '3 months ago', '2 years ago'])
})

test('one author does not fill the list of entries that need a check', async () => {
  const other = await world.publish(await world.voice())
  const flood = await world.voice()
  for (let n = 0; n < 8; n++) await world.publish(flood, { title: `Flood ${n}` })
  const [, unchecked = ''] = (await page('/')).split('Needs checking</h2>')
  const list = unchecked.slice(0, unchecked.indexOf('</ul>'))
  assert.match(list, new RegExp(`/entries/${other.slug}"`))
  assert.match(list, /Flood 7/)
})

test('one actor does not fill the list of newest writes', async () => {
  const others = await Promise.all([1, 2].map(async n => world.publish(await world.voice(), { title: `Quiet ${n}` })))
  const flood = await world.voice()
  for (let n = 0; n < 8; n++) await world.publish(flood, { title: `Stream ${n}` })
  const [, writes = ''] = (await page('/')).split('Newest writes</h2>')
  const titles = [...writes.slice(0, writes.indexOf('</ol>')).matchAll(/(?:Quiet|Stream) \d/g)].map(([title]) => title)
  assert.equal(titles[0], 'Stream 7')
  for (const { title } of others) assert.ok(titles.includes(title), title)
})

test('the authors and the judge of one network do not fill the list of confirmed entries', async () => {
  const honest = await world.publishFrom(await world.voice())
  await world.verify(await world.voice(), honest)
  const network = '198.51.100.9'
  const judge = await world.voice(network)
  for (let n = 0; n < 6; n++) {
    await world.verify(judge, await world.publishFrom(await world.voice(network), { title: `Pill ${n}` }))
  }
  const [, confirmed = ''] = (await page('/')).split('Confirmed</h2>')
  const list = confirmed.slice(0, confirmed.indexOf('</ul>'))
  assert.match(list, new RegExp(`/entries/${honest.slug}"`))
})

test('an entry is among the confirmed ones once a network that wrote nothing there supports it', async () => {
  const [first, second] = ['198.51.100.21', '198.51.100.22']
  const entry = await world.publishFrom(await world.voice(first), { title: 'Tincture' })
  const revised = await world.revise(await world.voice(second), entry, { content: `${entry.content} Shake it.` })
  const isConfirmed = async (): Promise<boolean> => {
    const [, confirmed = ''] = (await page('/')).split('Confirmed</h2>')
    return confirmed.slice(0, confirmed.indexOf('</section>')).includes(`/entries/${entry.slug}"`)
  }
  for (const network of [first, second]) await world.verify(await world.voice(network), revised)
  assert.equal(await isConfirmed(), false)
  await world.verify(await world.voice(), revised)
  assert.equal(await isConfirmed(), true)
})
