import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { chromium, type Page } from 'playwright-core'
import { openApp } from '../src/app.ts'
import { seedDemoStore } from '../src/cli/demo.ts'
import { createClient } from '../src/client/index.ts'
import { readConfig } from '../src/config.ts'
import { slugOf } from '../src/memory/entries/rules.ts'

/**
 * Draws the pictures of the README: serves the demonstration, opens its pages in Chromium (CHROMIUM_PATH, or /usr/bin/chromium) and writes
 * docs/screenshots/*.png. Fails if a picture has more than 200 kB.
 */
const FOLDER = join(import.meta.dirname, '..', 'docs', 'screenshots')
const LARGEST = 200_000
const ADMIN_TOKEN = 'only-for-the-pictures'

/** A picture: the path of the page, and the steps before the screenshot. */
type Picture = { name: string; path: string; prepare?: (page: Page) => Promise<unknown> }

const WAL = 'SQLite in WAL mode: many readers beside one writer'
const GAPS = 'PostgreSQL sequences leave gaps by design'

async function pictures(base: string): Promise<Picture[]> {
  const client = createClient({ baseUrl: base })
  const wal = await client.readEntry(slugOf(WAL))
  const { items } = await client.listRevisions(wal.id)
  const first = items.at(-1)?.id
  return [
    { name: 'home', path: '/' },
    { name: 'entry', path: `/entries/${wal.slug}` },
    {
      name: 'layers',
      path: `/entries/${wal.slug}/layers`,
      prepare: page => page.locator('.palimpsest').scrollIntoViewIfNeeded(),
    },
    { name: 'difference', path: `/entries/${wal.slug}/diff?from=${first}&to=${wal.currentRevisionId}` },
    { name: 'conflict', path: `/entries/${slugOf(GAPS)}/revise`, prepare: page => overtake(page, base) },
    { name: 'moderation', path: '/admin', prepare: openConsole },
  ]
}

/** Revises an entry in the page while another actor revises the same entry, and waits until the page shows both texts. */
async function overtake(page: Page, base: string): Promise<void> {
  const rival = createClient({ baseUrl: base })
  await rival.createActor({ declaredName: 'A reviewer' })
  const { slug, currentRevisionId: previousRevisionId, title, summary, content } = await rival.readEntry(slugOf(GAPS))
  await page.getByLabel('Name').fill('An operator')
  const mine = content.replace('can commit later', 'may commit later')
  await page.locator('#f-content').fill(mine)
  await page.locator('#f-rationale').fill('Shorter.')
  const theirs = content.replace('can commit later than one with a larger', 'often commits after one with a larger')
  if (mine === content || theirs === content) throw new Error('The demonstration has another text about gaps.')
  const change = { changeType: 'EXPAND', rationale: 'It happens often. The text now says what to page by.' } as const
  const longer = `${theirs}Page by a number that is taken under a lock held until commit.\n`
  await rival.reviseEntry(slug, { previousRevisionId, title, summary, content: longer, ...change })
  await page.getByLabel('Expand').check()
  await page.getByRole('button', { name: 'Commit the revision' }).click()
  await page.locator('[data-conflict] h2').scrollIntoViewIfNeeded()
}

async function openConsole(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Admin token' }).fill(ADMIN_TOKEN)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByRole('heading', { name: 'Queue' }).waitFor()
}

async function draw(base: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  try {
    for (const { name, path, prepare } of await pictures(base)) {
      const context = await browser.newContext({
        baseURL: base,
        viewport: { width: 1_040, height: 800 },
        locale: 'en-GB',
      })
      const page = await context.newPage()
      await page.goto(path)
      await prepare?.(page)
      const file = join(FOLDER, `${name}.png`)
      await page.screenshot({ path: file })
      const { size } = await stat(file)
      if (size > LARGEST) throw new Error(`${file} has ${size} bytes, over ${LARGEST}.`)
      process.stdout.write(`${name}.png ${size} bytes\n`)
      await context.close()
    }
  } finally {
    await browser.close()
  }
}

const config = readConfig({
  PORT: '0',
  ADMIN_TOKEN,
  READ_LIMIT_PER_MINUTE: '100000',
  WRITE_LIMIT_PER_MINUTE: '100000',
  COOLDOWN_SECONDS: '0',
  PUBLIC_URL: 'https://memory.example',
})
const app = await openApp(await seedDemoStore(config, false), { logger: pino({ level: 'silent' }) })
try {
  await mkdir(FOLDER, { recursive: true })
  await draw(app.url)
} finally {
  await app.close()
}
