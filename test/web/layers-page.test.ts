import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'
import { judgingWorld } from '../support/judging.ts'

const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' })
const world = judgingWorld(() => app)

type Part = { words: string; shade: string; tone: string; note: string }

/** The parts of the content, as the page shows them. */
async function partsOf(slug: string, query = ''): Promise<Part[]> {
  const answer = await call(app.url, 'GET', `/entries/${slug}/layers${query}`, { headers: { accept: 'text/html' } })
  expectStatus(answer, 200)
  const content = /<div class="prose layer-text"[\s\S]*?<\/div>/.exec(answer.text)?.[0] ?? ''
  const pattern =
    /<span class="part ink-(\d)([^"]*)"><span class="words">([\s\S]*?)<\/span><a [^>]*>\d+<span class="note"[^>]*>([\s\S]*?)<\/span><\/a>/g
  return [...content.matchAll(pattern)].map(([, shade = '', tone = '', words = '', note = '']) => ({
    words: words.replace(/<[^>]*>/g, ''),
    shade,
    tone: tone.trim(),
    note: note.replace(/<[^>]*>/g, ''),
  }))
}

test('each sentence names the revision that wrote it, and older ones have fainter ink', async () => {
  const author = await world.voice()
  const first = await world.publish(author, { content: 'One stays here. Two goes away.' })
  const second = await world.revise(await world.voice(), first, { content: 'One stays here. Three is new.' })
  await world.revise(await world.voice(), second, { content: 'One stays here. Three is new. Four is newest.' })
  const parts = await partsOf(first.slug)
  assert.deepEqual(
    parts.map(({ words, shade, note }) => [words, shade, /^Revision \d/.exec(note)?.[0]]),
    [
      ['One stays here.', '4', 'Revision 1'],
      ['Three is new.', '2', 'Revision 2'],
      ['Four is newest.', '0', 'Revision 3'],
    ],
  )
})

test('each sentence shows the evidence of the texts that have it', async () => {
  const author = await world.voice()
  const first = await world.publish(author, { content: 'One was judged.' })
  for (const voice of await world.voices(2)) await world.verify(voice, first)
  await world.contradict(await world.voice(), first)
  await world.revise(author, first, { content: 'One was judged. Two came later.' })
  const [one, two] = await partsOf(first.slug)
  assert.equal(one?.tone, 'is-mixed contested')
  assert.match(one?.note ?? '', /Disputed: 2 of 3 say it holds\.$/)
  assert.equal(two?.tone, '')
  assert.match(two?.note ?? '', /No other actor has checked it\.$/)
})

test('a sentence is contested itself only if an objection quotes it and not the whole text', async () => {
  const first = await world.publish(await world.voice(), { content: 'One is even. Two is odd.' })
  await world.contradict(await world.voice(), first)
  const tones = async (): Promise<string[]> => (await partsOf(first.slug)).map(({ tone }) => tone)
  assert.deepEqual(await tones(), ['is-bad'])
  const quoting = { entry: first.slug, kind: 'CONTRADICT', rationale: 'It fails.', quote: 'Two is odd.' }
  const items = [{ ...quoting, revisionId: first.currentRevisionId }]
  expectStatus(await world.send(await world.voice(), '/api/evidence', { items }), 200)
  assert.deepEqual(await tones(), ['is-bad', 'is-bad contested'])
})

test('the text is rendered as on the page of the entry, and its sentences keep their marks', async () => {
  const content = '# Steps\n\n- **One** is set. Two is `true`.\n- Three.\n\n```sh\nrun --now\n```\n'
  const first = await world.publish(await world.voice(), { content })
  await world.verify(await world.voice(), first)
  await world.revise(await world.voice(), first, { content: content.replace('Three.', 'Three <b>is</b> new.') })
  const answer = await call(app.url, 'GET', `/entries/${first.slug}/layers`, { headers: { accept: 'text/html' } })
  expectStatus(answer, 200)
  const part = (shade: number, words: string): string =>
    `<span class="part ink-${shade}${shade === 4 ? ' is-good' : ''}"><span class="words">${words}</span><a class="ref"`
  for (const markup of [
    `<h2>${part(4, 'Steps')}`,
    `<li>${part(4, '<strong>One</strong> is set. Two is <code>true</code>.')}`,
    `<li>${part(0, 'Three &lt;b&gt;is&lt;/b&gt; new.')}`,
    `<pre tabindex="0"><code>${part(4, 'run --now')}`,
  ])
    assert.ok(answer.text.includes(markup), markup)
})

test('every cell of a table shows the evidence of its row, and the last one has the note', async () => {
  const first = await world.publish(await world.voice(), {
    content: 'One two three.\n\n| a | b |\n|---|---|\n| c | d |\n',
  })
  await world.verify(await world.voice(), first)
  const answer = await call(app.url, 'GET', `/entries/${first.slug}/layers`, { headers: { accept: 'text/html' } })
  expectStatus(answer, 200)
  for (const word of ['a', 'c'])
    assert.ok(answer.text.includes(`<span class="words ink-0 is-good">${word}</span>`), word)
  for (const word of ['b', 'd'])
    assert.ok(
      answer.text.includes(`<span class="part ink-0 is-good"><span class="words">${word}</span><a class="ref"`),
      word,
    )
})

test('the legend names the revisions of each step of age, and many layers are listed by author', async () => {
  const [author, other] = [await world.voice(), await world.voice()]
  const lines = ['Line 0 stays.']
  let entry = await world.publish(author, { content: 'Line 0 stays.' })
  const { slug } = entry
  for (let index = 1; index < 12; index++) {
    lines.push(`Line ${index} stays.`)
    entry = await world.revise(index % 2 === 0 ? author : other, entry, { content: lines.join('\n\n') })
  }
  const { text } = await call(app.url, 'GET', `/entries/${slug}/layers`, { headers: { accept: 'text/html' } })
  const legend = /<ol class="plain ages small">([\s\S]*?)<\/ol>/.exec(text)?.[1] ?? ''
  assert.deepEqual(
    [...legend.matchAll(/<li class="ink-(\d)">([^<]*)</g)].map(([, shade, words]) => `${shade} ${words}`),
    ['0 Revisions 11 to 12', '1 Revisions 8 to 10', '2 Revisions 6 to 7', '3 Revisions 3 to 5', '4 Revisions 1 to 2'],
  )
  const rows = /<h2>Authors<\/h2><ol class="plain layers">([\s\S]*?)<\/ol>/.exec(text)?.[1] ?? ''
  assert.equal(rows.match(/<li /g)?.length, 2)
  assert.equal(rows.match(/\/revisions\//g)?.length, 12)
  assert.match(rows.replace(/<[^>]*>/g, ''), /Revisions 12, 10, 8, 6, 4, 2/)
})

test('a text of many small layers has a bounded number of notes', async () => {
  const author = await world.voice()
  const lines = Array.from({ length: 1_500 }, (_, n) => `row ${n}`)
  const first = await world.publish(author, { content: lines.filter((_, n) => n % 2 === 0).join('\n') })
  await world.revise(author, first, { content: lines.join('\n') })
  const answer = await call(app.url, 'GET', `/entries/${first.slug}/layers`, { headers: { accept: 'text/html' } })
  expectStatus(answer, 200)
  assert.ok(answer.text.split('class="note"').length - 1 <= 300)
  assert.ok(answer.text.includes('row 1499'))
  assert.ok(Buffer.byteLength(answer.text) < 250_000, `${Buffer.byteLength(answer.text)} bytes`)
})

test('a slider selects a revision, whose layers are those when it was the newest', async () => {
  const first = await world.publish(await world.voice(), { content: 'One stays here. Two goes away.' })
  const page = async (query = ''): Promise<string> =>
    (await call(app.url, 'GET', `/entries/${first.slug}/layers${query}`, { headers: { accept: 'text/html' } })).text
  assert.doesNotMatch(await page(), /data-layers/)
  const second = await world.revise(await world.voice(), first, { content: 'One stays here. Three is new.' })
  await world.quote(await world.voice(), first, 'Two goes away.')
  await world.revise(await world.voice(), second, { content: 'One stays here. Three is new. Four is newest.' })
  const wordsAt = async (query: string): Promise<string[]> =>
    (await partsOf(first.slug, query)).map(({ words, shade, tone }) => `${words} ${shade} ${tone}`.trim())
  assert.deepEqual(await wordsAt('?at=1'), ['One stays here. 0', 'Two goes away. 0 is-bad contested'])
  assert.deepEqual(await wordsAt('?at=2'), ['One stays here. 4', 'Three is new. 0'])
  for (const query of ['', '?at=3', '?at=99', '?at=0', '?at=x']) assert.equal((await wordsAt(query)).length, 3, query)
  const shown = await page('?at=2')
  assert.match(
    shown,
    /<label for="at">Revision<\/label> <input id="at" name="at" type="range" min="1" max="3" value="2">/,
  )
  assert.match(shown, /<output for="at">2 of 3<\/output> <button type="submit">Show/)
  assert.match(shown, /The text of revision 2, with the evidence of today\./)
})
