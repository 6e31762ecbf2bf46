import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../src/contract/resources.ts'
import { useApp } from '../support/app.ts'
import { call, callPatiently, expectStatus, newActor, newEntry, revisionOf } from '../support/client.ts'

const app = useApp({}, async () => {
  const { token } = await newActor(app.url)
  await newEntry(app.url, token, {
    title: 'Lighthouse lens cracks in frost',
    summary: 'Warm it slowly.',
    content: 'Glass splits where one side is colder.',
    tags: ['optics'],
  })
})

const ask = (q: string, more = ''): Promise<Response> =>
  fetch(`${app.url}/search?q=${encodeURIComponent(q)}${more}`, { headers: { accept: 'text/html' } })
const page = async (q: string, more = ''): Promise<string> => {
  const answer = await ask(q, more)
  assert.equal(answer.status, 200)
  return answer.text()
}
const LENS = /<a href="\/entries\/lighthouse-lens-cracks-in-frost">/

test('a question in other words finds the entry, and the page names corrected words and words that no entry has', async () => {
  const shown = await page('why does the lighthuose lens crack in frost zeppelin')
  assert.match(shown, LENS)
  assert.match(
    shown,
    /Did you mean <a href="\/search\?q=why%20does%20the%20lighthouse%20lens%20crack%20in%20frost%20zeppelin">/,
  )
  assert.match(shown, /Corrected: <q>.*lighthuose.*<\/q> → <q>.*lighthouse.*<\/q>/)
  assert.match(shown, /No entry has: <q>.*zeppelin.*<\/q>/)
  assert.doesNotMatch(shown, /No entry answers this/)
  assert.doesNotMatch(shown, /Nearest entr/)
})

test('without an answer the page says so and links to the form with the question in it', async () => {
  const q = 'splicing glass fibre network tariffs of Uruguay'
  const shown = await page(q)
  assert.match(shown, /No entry answers this/)
  assert.match(shown, /Nearest entr(?:y|ies) 1/)
  assert.ok(shown.includes(`/publish?title=${encodeURIComponent(q)}`), shown)
})

test('one result is in the singular', async () => {
  assert.match(await page('lighthouse'), /role="status">Entry 1 of 1 for/)
  assert.match(await page('lighthouse lens '.repeat(20)), /role="status">The entry that matches best\./)
})

/** The links of the facets of a page: for each name and whether it is chosen, its number and its address. */
const facetsOf = (shown: string): Map<string, { count: number; href: string }> =>
  new Map(
    [
      ...shown.matchAll(
        /<li><a href="(\/search\?[^"]*)"( aria-current="true")?>(.*?)<\/a> <span class="number">(\d+)<\/span>/g,
      ),
    ].map(([, href = '', on, name = '', count]) => [
      `${on ? '+' : ''}${name.replace(/ <span.*/, '').replace(/<[^>]*>/g, '')}`,
      { count: Number(count), href: href.replaceAll('&amp;', '&') },
    ]),
  )
const titlesOf = (shown: string): string[] =>
  [...shown.matchAll(/<h2[^>]*><a[^>]*>(.*?)<\/a>/g)].map(([, title = '']) => title)
const open = async (path: string): Promise<string> => {
  const answer = await call(app.url, 'GET', path, { headers: { accept: 'text/html' } })
  return expectStatus(answer, 200) && answer.text
}

test('facets count what their links list; a chosen one widens the list again', async () => {
  const person = await newActor(app.url, { actorType: 'HUMAN' })
  const agent = await newActor(app.url, { actorType: 'AGENT' })
  const made: Entry[] = []
  for (const [index, { token }] of [person, agent, agent, person].entries()) {
    const tags = ['Glass Work', `colour ${index % 2}`]
    made.push(await newEntry(app.url, token, { title: `Kiln ${index}`, content: 'Annealing takes hours.', tags }))
  }
  const judge = async ({ token }: { token: string }, entry: Entry, verb: string, more = {}): Promise<void> => {
    const body = { revisionId: entry.currentRevisionId, rationale: 'Tried it.', ...more }
    expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/${verb}`, { token, body }), 201)
  }
  await judge(agent, made[0] as Entry, 'verify', { result: 'SUPPORTED', confidence: 1 })
  await judge(person, made[1] as Entry, 'contradict')
  app.advance(40 * 86_400_000)
  const later = revisionOf(made[2] as Entry, { title: 'Kiln 2', content: 'Annealing takes a day.' })
  expectStatus(
    await call(app.url, 'POST', `/api/entries/${made[2]?.slug}/revisions`, { token: agent.token, body: later }),
    201,
  )
  for (const start of ['/search?q=annealing', '/search?tag=glass+work', '/search?q=annealing&sort=recent']) {
    const shown = await open(start)
    assert.equal(titlesOf(shown).length, 4, start)
    const facets = facetsOf(shown)
    for (const all of ['Last 366 days', 'Glass Work']) assert.ok(!facets.has(all), `${all} of ${start}`)
    for (const [name, count] of Object.entries({
      ...{ Unchecked: 2, Supported: 1, Contradicted: 1, 'A person': 2, 'An agent': 2 },
      ...{ Today: 1, 'Last 7 days': 1, 'Last 31 days': 1 },
      ...(start.includes('tag=') ? {} : { 'colour 0': 2, 'colour 1': 2 }),
    })) {
      const facet = facets.get(name)
      assert.equal(facet?.count, count, `${name} of ${start}`)
      const narrowed = await open(facet?.href ?? '')
      assert.equal(titlesOf(narrowed).length, count, `${name} of ${start}`)
      const widen = facetsOf(narrowed).get(`+${name}`)
      assert.equal(widen?.count, count)
      if (!/colour/.test(name)) assert.deepEqual(titlesOf(await open(widen?.href ?? '')), titlesOf(shown))
    }
  }
  const both = await open('/search?q=annealing&author=AGENT&state=UNCHECKED')
  assert.deepEqual(
    titlesOf(both).map(title => title.replace(/<[^>]*>/g, '')),
    ['Kiln 2'],
  )
  assert.equal(facetsOf(both).get('Contradicted')?.count, 1)
  assert.equal(facetsOf(both).get('A person')?.count, 1)
  assert.match(both, /<input type="hidden" name="state" value="UNCHECKED">/)
  const none = await open('/search?q=annealing&author=AGENT&state=SUPPORTED')
  assert.match(none, /Nothing found.*<a href="\/search\?q=annealing&amp;sort=relevance">Remove all filters/s)
  assert.equal(titlesOf(await open('/search?author=AGENT&limit=1&offset=1')).length, 1)
  assert.equal(titlesOf(await open('/search?q=annealing&author=%3Cb%3E&state=x&changed=y')).length, 4)
})

test('the header and the end of a list carry the question to the form that publishes', async () => {
  const shown = await page('lens')
  assert.match(shown, /<a class="do" href="\/publish\?title=lens"[^>]*>Publish<\/a>/)
  assert.match(shown, /Not among these\? <a href="\/publish\?title=lens">/)
})

test('a page of a search asks the index once, and its JSON repeats no word of the question', async t => {
  const search = t.mock.method(app.store, 'search')
  assert.match(await page('lighthuose zeppelin'), /Corrected: .*No entry has: /)
  assert.equal(search.mock.callCount(), 1)
  assert.match(await page('lighthuose zeppelin', '&sort=recent'), LENS)
  assert.equal(search.mock.callCount(), 2)
  const { text } = await callPatiently(app.url, 'GET', '/api/search?sort=relevance&q=lighthuose+zeppelin')
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

test('the fields of the page show no hidden character of a question, whatever it finds', async () => {
  for (const q of ['lens \u202ekcarc\u0007', 'nothing \u202elike\u001b this']) {
    const shown = await page(q, `&tag=${encodeURIComponent('op\u202etics')}`)
    assert.doesNotMatch(shown, /[\u202e\u0007\u001b]/u)
    assert.match(shown, /name="q" type="search" value="(?:lens kcarc|nothing like this)"/)
  }
})

test('the first results are ordered by their evidence too, on every page of a list', async () => {
  const { token } = await newActor(app.url)
  const { token: judge } = await newActor(app.url)
  const publish = (title: string) =>
    newEntry(app.url, token, { title, summary: 'On kiln cones.', content: 'Kiln cones.' })
  const [older, newer] = [await publish('Kiln cones'), await publish('Cones of a kiln')]
  const placeOf = (shown: string, { slug }: Entry): number => shown.indexOf(`/entries/${slug}"`)
  const before = await page('kiln cones')
  const [wrong, right] = [older, newer].sort((a, b) => placeOf(before, a) - placeOf(before, b))
  assert.ok(wrong !== undefined && right !== undefined && placeOf(before, wrong) > 0)
  const body = { revisionId: wrong.currentRevisionId, rationale: 'These melt earlier.' }
  expectStatus(await call(app.url, 'POST', `/api/entries/${wrong.slug}/contradict`, { token: judge, body }), 201)
  const then = await page('kiln cones')
  assert.ok(placeOf(then, right) < placeOf(then, wrong))
  const one = await page('kiln cones', '&limit=1')
  assert.ok(placeOf(one, right) > 0 && placeOf(one, wrong) < 0)
  const byTime = await page('kiln cones', '&sort=recent')
  assert.ok(placeOf(byTime, newer) < placeOf(byTime, older))
})

const askFor = (path: string) => call(app.url, 'GET', path, { headers: { accept: 'text/html' } })
const slugsOf = (text: string): string[] =>
  [...text.matchAll(/<h2 dir="auto"><a href="\/entries\/([^"]+)">/g)].map(([, slug = '']) => slug)

test('the page of a tag lists its disputes first, has its feeds, and refuses what is no tag', async () => {
  const author = (await newActor(app.url)).token
  const tags = ['Kiln work']
  const [calm, contested] = [
    await newEntry(app.url, author, { title: 'Cones bend late', tags }),
    await newEntry(app.url, author, { title: 'Soda glaze needs salt', tags }),
  ]
  await newEntry(app.url, author, { title: 'Cones bend early', tags })
  const { token } = await newActor(app.url)
  const body = { revisionId: contested.currentRevisionId, rationale: 'It does not.' }
  expectStatus(await call(app.url, 'POST', `/api/entries/${contested.slug}/contradict`, { token, body }), 201)
  const { text } = await askFor('/tags/kiln%20work')
  const [disputes = '', latest = ''] = text.split('<h2>Latest changes</h2>')
  assert.deepEqual([slugsOf(disputes), slugsOf(latest).length], [[contested.slug], 3])
  assert.match(text, /<h1><bdi>kiln work<\/bdi><\/h1>\s*<p class="lead">3 entries have this tag\./)
  for (const form of ['atom', 'json']) assert.ok(text.includes(`<a href="/feeds/tag.${form}?tag=kiln%20work">`))
  const entry = await askFor(`/entries/${calm.slug}`)
  assert.ok(entry.text.includes('<a class="chip" href="/tags/Kiln%20work">'))
  assert.match((await askFor('/tags/nothing')).text, /No entry has this tag/)
  for (const path of ['/tags/%3Cb%3E', '/tags/%20', `/tags/${'x'.repeat(41)}`])
    assert.equal((await askFor(path)).status, 404, path)
})

test('a value that every match has is hidden, as is a facet without others, and without a facet there is no place for them', async () => {
  const { token } = await newActor(app.url)
  for (const part of ['one', 'two'])
    await newEntry(app.url, token, { title: `Crucible ${part}`, content: 'Same words.', tags: ['melting', part] })
  const shown = await page('crucible')
  assert.deepEqual([...facetsOf(shown).keys()].sort(), ['one', 'two'])
  const alone = await page('crucible', '&tag=one')
  assert.deepEqual([...facetsOf(alone).keys()], ['+one'])
  const lens = await page('lighthouse')
  assert.doesNotMatch(lens, /Narrow the list/)
})

test('a value of a chosen facet stays if its choice shows other entries, and goes if it shows the same', async () => {
  const [person, agent] = [
    await newActor(app.url, { actorType: 'HUMAN' }),
    await newActor(app.url, { actorType: 'AGENT' }),
  ]
  for (const { token } of [person, agent])
    await newEntry(app.url, token, { title: 'Obsidian blade', content: 'Flaked.' })
  const shown = await open('/search?q=obsidian&author=AGENT&changed=month')
  assert.deepEqual([...facetsOf(shown).keys()].sort(), ['+An agent', '+Last 31 days', 'A person'])
})
