import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Makes the two font files of the pages from the font Lora. Every page loads the characters of English with its punctuation. A browser
 * loads the accented letters of Western Europe only for a page that contains one. The licence of Lora (OFL 1.1) reserves its name for the
 * original, so the files have the name Page, which has the same number of letters.
 */
const require = createRequire(import.meta.url)
const subset = require('subset-font') as (
  font: Buffer,
  text: string,
  options: { targetFormat: 'sfnt' },
) => Promise<Buffer>
const { convert } = require('fontverter') as { convert: (font: Buffer, format: 'woff2') => Promise<Buffer> }
const FONT = require.resolve('@fontsource-variable/lora/files/lora-latin-wght-normal.woff2')
const LICENCE = join(FONT, '../../LICENSE')
const FOLDER = join(import.meta.dirname, '..', 'src', 'web')
const NAME = Buffer.from('Lora', 'utf16le').swap16()
const OWN_NAME = Buffer.from('Page', 'utf16le').swap16()
/** The copyright and the licence, which retain the name of the original (OpenType, table "name"). */
const KEPT_NAMES = new Set([0, 7, 13, 14])

const STYLES = readFileSync(join(FOLDER, 'styles', 'base.css'), 'utf8')
/** The file and the character ranges of each part, as browsers read them too. */
const PART = /url\("(serif[\w-]*\.woff2)"\)[^}]*unicode-range:\s*([^;]+);/g

/** Parses character ranges in CSS syntax: `U+20-7E, U+A0`. */
const charactersOf = (ranges: string): string =>
  ranges
    .split(',')
    .flatMap(range => {
      const [first = 0, last = first] = range
        .trim()
        .slice(2)
        .split('-')
        .map(code => Number.parseInt(code, 16))
      return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at))
    })
    .join('')

/** Replaces the name of the font in every record of its table "name". */
function rename(font: Buffer): Buffer {
  const count = font.readUInt16BE(4)
  for (let at = 12; at < 12 + 16 * count; at += 16) {
    if (font.toString('latin1', at, at + 4) !== 'name') continue
    const table = font.readUInt32BE(at + 8)
    const texts = table + font.readUInt16BE(table + 4)
    for (let record = table + 6; record < table + 6 + 12 * font.readUInt16BE(table + 2); record += 12) {
      if (KEPT_NAMES.has(font.readUInt16BE(record + 6))) continue
      const from = texts + font.readUInt16BE(record + 10)
      const text = font.subarray(from, from + font.readUInt16BE(record + 8))
      for (let found = text.indexOf(NAME); found >= 0; found = text.indexOf(NAME)) OWN_NAME.copy(text, found)
    }
  }
  return font
}

for (const [, name = '', ranges = ''] of STYLES.matchAll(PART)) {
  const text = charactersOf(ranges)
  const font = await convert(rename(await subset(readFileSync(FONT), text, { targetFormat: 'sfnt' })), 'woff2')
  writeFileSync(join(FOLDER, name), font)
  process.stdout.write(`${name} ${font.length} bytes\n`)
}
copyFileSync(LICENCE, join(FOLDER, 'serif-licence.txt'))
