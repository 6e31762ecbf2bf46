import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AgedPiece } from '../../src/memory/entries/blame.ts'
import { agesPicture } from '../../src/web/entry/ages.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'
import { judgingWorld } from '../support/judging.ts'

let app: TestApp
before(async () => {
  app = await startApp({ TRUSTED_PROXIES: '127.0.0.0/8' })
})
after(() => app.close())
const world = judgingWorld(() => app)

const piece = (size: number, ordinal: number, against = 0): AgedPiece => ({ size, ordinal, against })

test('a picture has a band for each age from the start of the text to its end, and a mark below contested sentences', () => {
  const { markup } = agesPicture([piece(30, 1), piece(10, 2, 1), piece(20, 3)], 1, 60)
  assert.deepEqual(
    [...markup.matchAll(/<path class="ink-(\d)"[^>]* stroke-width="(\d+)" d="([^"]*)"\/>/g)].map(one => one.slice(1)),
    [
      ['4', '2', 'M0 1h30'],
      ['2', '6', 'M30 3h10'],
      ['0', '10', 'M40 5h20'],
      ['5', '2', 'M30 11h10'],
    ],
  )
  assert.match(
    markup,
    /aria-label="Ages of the text\. Revision 3 wrote 33 %\. Revision 2 wrote 17 %\. Revision 1 wrote 50 %\. Contested: 1 sentence\."/,
  )
})

test('the picture of a text of any number of pieces has a bounded size, and is the same each time', () => {
  const pieces = Array.from({ length: 20_000 }, (_, at) => piece(1 + (at % 3), 1 + ((at * 7) % 500), at % 2))
  const { markup } = agesPicture(pieces)
  assert.ok(markup.length < 4_000, `${markup.length} bytes`)
  assert.equal(agesPicture(pieces).markup, markup)
  assert.ok(agesPicture([]).markup.startsWith('<svg '))
})

test('the head of an entry shows the ages of its text, unless it has one revision', async () => {
  const headOf = async (slug: string): Promise<string> => {
    const answer = await call(app.url, 'GET', `/entries/${slug}`, { headers: { accept: 'text/html' } })
    expectStatus(answer, 200)
    return /<header class="entry-head">[\s\S]*?<\/header>/.exec(answer.text)?.[0] ?? ''
  }
  const first = await world.publish(await world.voice(), { content: 'One is even. Two is odd.' })
  assert.doesNotMatch(await headOf(first.slug), /<svg/)
  const second = await world.revise(await world.voice(), first, { content: 'One is even. Two is odd. Three is new.' })
  assert.match(
    await headOf(first.slug),
    /<svg [^>]*role="img" aria-label="Ages of the text\. Revision 2 wrote \d+ %\. Revision 1 wrote \d+ %\."/,
  )
  await world.quote(await world.voice(), second, 'Two is odd.')
  assert.match(await headOf(first.slug), / Contested: 1 sentence\."/)
})
