import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { Entry } from '../../contract/resources.ts'
import { type AgedPiece, readAges } from '../../memory/entries/blame.ts'
import type { Page } from '../page.ts'
import { barsOf, COLOURS, lookOf } from './ages.ts'

/** The size of a link card, the place of its bars, and the pixels of a unit of a bar. */
const CARD = { width: 1_200, height: 630, left: 120, top: 99, scale: { x: 4, y: 3 } }
const UNITS = { rows: 12, columns: 240 }
const GROUND = '#faf7f0'
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')
const compress = promisify(deflate)

/** The picture of the link card of an entry: the ages of its text. Programs that show cards read no SVG. */
export const CARD_PICTURE: Page = {
  path: '/entries/{slug}/card.png',
  as: 'readEntry',
  async render({ params: { slug = '' }, read, reads }) {
    const entry = await read<Entry>('readEntry', { slug })
    if (slug !== entry.slug) return { location: `/entries/${entry.slug}/card.png` }
    const pieces = await readAges(reads, { slug, ordinal: entry.revisionCount })
    return { type: 'image/png', body: await agesCard(pieces) }
  },
}

/** Draws the bars of `agesPicture` as a PNG with a palette (PNG, third edition: 8 bits for each pixel, no filter). */
export async function agesCard(pieces: readonly AgedPiece[]): Promise<Buffer> {
  const { width, height, left, top, scale } = CARD
  // Each line begins with a byte that names its filter.
  const pixels = Buffer.alloc((width + 1) * height, COLOURS.length)
  for (let line = 0; line < height; line++) pixels[line * (width + 1)] = 0
  for (const bar of barsOf(pieces, lookOf(pieces), UNITS.rows, UNITS.columns)) {
    for (let line = bar.y * scale.y; line < (bar.y + bar.height) * scale.y; line++) {
      const start = (top + line) * (width + 1) + 1 + left + bar.x * scale.x
      pixels.fill(bar.look, start, start + bar.width * scale.x)
    }
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0])
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  const palette = Buffer.from([...COLOURS, GROUND].map(colour => colour.slice(1)).join(''), 'hex')
  const data = await compress(pixels)
  const chunks = [chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([SIGNATURE, ...chunks])
}

/** A chunk of a PNG: its length, its type, its data, and the checksum of the type and the data. */
function chunk(type: string, data: Buffer): Buffer {
  const ends = Buffer.alloc(8)
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  ends.writeUInt32BE(data.length)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}
