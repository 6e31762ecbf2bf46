import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { chromium, type Page } from 'playwright-core'
import { openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { Entry, Revision } from '../src/contract/resources.ts'
import { post, tell } from './telling.ts'

/**
 * Draws the pictures of the README: starts a service of its own, tells it a small memory through the API, opens its pages in
 * Chromium (CHROMIUM_PATH, or /usr/bin/chromium) and writes docs/screenshots/*.png. Fails when a picture is over 200 kB.
 */
const FOLDER = join(import.meta.dirname, '..', 'docs', 'screenshots')
const LARGEST = 200_000
const ADMIN_TOKEN = 'only-for-the-pictures'

/** What a picture shows: where it begins, and what is done before it is taken. */
type Picture = { name: string; path: string; prepare?: (page: Page) => Promise<unknown> }

async function pictures(base: string, told: Map<string, Entry>, rival: string): Promise<Picture[]> {
  const wal = told.get('wal')
  const gaps = told.get('gaps')
  if (wal === undefined || gaps === undefined) throw new Error('The demonstration lacks an entry.')
  const history = await fetch(`${base}/api/entries/${wal.slug}/revisions`)
  const first = ((await history.json()) as { items: Revision[] }).items.at(-1)?.id
  return [
    { name: 'home', path: '/' },
    { name: 'entry', path: `/entries/${wal.slug}` },
    { name: 'difference', path: `/entries/${wal.slug}/diff?from=${first}&to=${wal.currentRevisionId}` },
    { name: 'conflict', path: `/entries/${gaps.slug}/revise`, prepare: page => overtake(page, base, gaps, rival) },
    { name: 'moderation', path: '/admin', prepare: openConsole },
  ]
}

/** Revises an entry in the page while somebody else does, and waits until the page shows both. */
async function overtake(page: Page, base: string, entry: Entry, token: string): Promise<void> {
  const { slug, currentRevisionId: previousRevisionId, title, summary, content } = entry
  await page.getByLabel('Name').fill('Tomasz')
  await page.getByRole('button', { name: 'Create the actor' }).click()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  const mine = content
    .replace('otherwise every insert', 'or every insert')
    .replace('can commit later', 'may commit later')
  await page.locator('#f-content').fill(mine)
  await page.locator('#f-rationale').fill('Shorter.')
  const theirs = content.replace(
    'can commit later than one with a larger one',
    'often commits after one with a larger one',
  )
  const change = { changeType: 'EXPAND', rationale: 'It happens often, and says what to page by instead.' }
  const longer = `${theirs}Page by a number that is taken under a lock held until commit instead.\n`
  const body = { previousRevisionId, title, summary, content: longer, ...change }
  await post(base, `/api/entries/${slug}/revisions`, body, token)
  await page.getByLabel('Expand').check()
  await page.getByRole('button', { name: 'Commit the revision' }).click()
  await page.locator('[data-conflict] h2').scrollIntoViewIfNeeded()
}

async function openConsole(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Admin token' }).fill(ADMIN_TOKEN)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByRole('heading', { name: 'Queue' }).waitFor()
}

async function draw(base: string, told: Map<string, Entry>, rival: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  try {
    for (const { name, path, prepare } of await pictures(base, told, rival)) {
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

const directory = await mkdtemp(join(tmpdir(), 'palimpsest-pictures-'))
const config = readConfig({
  PORT: '0',
  DATA_DIR: directory,
  ADMIN_TOKEN,
  READ_LIMIT_PER_MINUTE: '100000',
  WRITE_LIMIT_PER_MINUTE: '100000',
  COOLDOWN_SECONDS: '0',
  PUBLIC_URL: 'https://memory.example',
})
const app = await openApp(config, { logger: pino({ level: 'silent' }) })
try {
  await mkdir(FOLDER, { recursive: true })
  const { told, tokens } = await tell(app.url)
  await draw(app.url, told, tokens[0] ?? '')
} finally {
  await app.close()
  await rm(directory, { recursive: true, force: true })
}
