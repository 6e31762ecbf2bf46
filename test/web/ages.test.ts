import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, inflateSync } from 'node:zlib'
import type { AgedPiece } from '../../src/memory/entries/blame.ts'
import { agesPicture } from '../../src/web/entry/ages.ts'
import { agesCard } from '../../src/web/entry/card.ts'
import { useApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'
import { judgingWorld } from '../support/judging.ts'

const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' })
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
    /aria-label="Ages of the text\. Revision 3 wrote 33 %\. Revision 2 wrote 16 %\. Revision 1 wrote 50 %\. Contested: 1 sentence\."/,
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

test('the link card has the same bands as a PNG whose checksums hold', async () => {
  const png = await agesCard([piece(240, 1), piece(240, 2, 1), piece(2_400, 3)])
  assert.deepEqual(await agesCard([piece(240, 1), piece(240, 2, 1), piece(2_400, 3)]), png)
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at)
    assert.equal(png.readUInt32BE(end), crc32(png.subarray(at + 4, end)))
    chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, end))
    at = end + 4
  }
  assert.deepEqual([...chunks.keys()], ['IHDR', 'PLTE', 'IDAT', 'IEND'])
  const pixels = inflateSync(chunks.get('IDAT') ?? '')
  assert.equal(pixels.length, 1_201 * 630)
  const lookAt = (x: number, y: number): number | undefined => pixels[y * 1_201 + 1 + x]
  // The first row is the oldest revision, the second the next with its mark, and the last one the newest.
  assert.deepEqual([lookAt(119, 99), lookAt(120, 99), lookAt(120, 105)], [6, 4, 6])
  assert.deepEqual([lookAt(1_079, 135), lookAt(600, 166), lookAt(1_079, 171)], [2, 5, 0])
})
