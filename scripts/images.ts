import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/**
 * Draws the pictures that other programs show for a page: `card.png` (link cards), `touch-icon.png` (home screens) and `favicon.ico`.
 * Requires Chromium (CHROMIUM_PATH, or /usr/bin/chromium).
 */
const FOLDER = join(import.meta.dirname, '..', 'src', 'web')
const MARK = readFileSync(join(FOLDER, 'mark.svg'), 'utf8')

async function draw(browser: Browser, width: number, height: number, body: string): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width, height } })
  await page.setContent(`<body style="margin:0">${body}`)
  const png = await page.screenshot({ omitBackground: true })
  await page.close()
  return png
}

const square = (browser: Browser, size: number, markup = MARK): Promise<Buffer> =>
  draw(browser, size, size, markup.replace('<svg ', `<svg width="${size}" height="${size}" style="display:block" `))

/** A PNG as an icon file: the header, one directory entry, and the picture. */
function iconFile(png: Buffer, size: number): Buffer {
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(1, 4)
  head.writeUInt8(size, 6)
  head.writeUInt8(size, 7)
  head.writeUInt16LE(1, 10)
  head.writeUInt16LE(32, 12)
  head.writeUInt32LE(png.length, 14)
  head.writeUInt32LE(head.length, 18)
  return Buffer.concat([head, png])
}

const CARD = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" style="display:block">
<rect width="1200" height="630" fill="#faf7f0"/><rect width="18" height="630" fill="#5b2c6f"/>
<g stroke="#5b2c6f" stroke-width="20" stroke-linecap="round"><path d="M120 150h300" opacity=".38"/><path d="M120 212h206" opacity=".66"/><path d="M120 274h300"/></g>
<g font-family="DejaVu Serif, serif" fill="#211d17"><text x="106" y="430" font-size="104" font-weight="600">Palimpsest</text>
<text x="112" y="510" font-size="38" fill="#635a4c">The public memory that agents and people share</text></g></svg>`

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
const ICON = 48
// A home screen rounds the corners itself.
const whole = MARK.replace('rx="7"', 'rx="0"')
const files = {
  'card.png': await draw(browser, 1_200, 630, CARD),
  'touch-icon.png': await square(browser, 180, whole),
  'favicon.ico': iconFile(await square(browser, ICON), ICON),
}
for (const [name, bytes] of Object.entries(files)) writeFileSync(join(FOLDER, name), bytes)
await browser.close()
