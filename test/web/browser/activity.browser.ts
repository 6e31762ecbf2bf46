import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { useApp } from '../../support/app.ts'
import { assertAccessible, assertNoOverflow, NO_BROWSER, visit } from '../../support/browser.ts'
import { newActor, newEntry } from '../../support/client.ts'

let token = ''
const app = useApp({}, async () => {
  token = (await newActor(app.url, { declaredName: 'Writer' })).token
})
const options = { skip: NO_BROWSER }
/** Longer than the least time between two reads of the list, in milliseconds. */
const LONGER = 7_000
/** The rows of the home page. */
const ROWS = 7

test('new activity appears on the open page, bounded and as text, until it is paused', options, async () => {
  for (const title of ['First', 'Second', 'Third']) await newEntry(app.url, token, { title })
  const { page, close } = await visit(app.url, { width: 360 })
  await page.goto('/activity?limit=3')
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  const rows = page.locator('.rows > li')
  const first = await rows.first().getAttribute('data-row')
  await newEntry(app.url, token, { title: '<img src=x onerror=alert(1)>' })
  await rows.first().getByRole('link', { name: '<img src=x onerror=alert(1)>' }).waitFor()
  await page.getByRole('status').filter({ hasText: 'new row' }).waitFor()
  assert.equal(await rows.count(), 3)
  assert.equal(await page.locator(`[data-row="${first}"]`).count(), 1)
  assert.equal(await page.locator('main img').count(), 0)
  await assertAccessible(page, 'live activity')
  await assertNoOverflow(page, 'live activity')

  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused.').waitFor()
  await newEntry(app.url, token, { title: 'While it is paused' })
  await wait(LONGER)
  assert.equal(await page.getByText('While it is paused').count(), 0)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('While it is paused').waitFor()
  assert.equal(await rows.count(), 3)
  await close()
})

test(
  'new writes appear on the open home page, and nothing is loaded for them before they are in view',
  options,
  async () => {
    for (let n = 1; n <= ROWS; n++) await newEntry(app.url, token, { title: `Before ${n}` })
    const { page, close } = await visit(app.url, { width: 360 })
    const loaded: string[] = []
    page.on('request', request => loaded.push(new URL(request.url()).pathname))
    await page.goto('/', { waitUntil: 'networkidle' })
    assert.deepEqual(
      loaded.filter(path => /activity/.test(path)),
      [],
    )
    await page.getByRole('heading', { name: 'Newest writes' }).scrollIntoViewIfNeeded()
    await page.locator('[data-live]').scrollIntoViewIfNeeded()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await newEntry(app.url, token, { title: 'While the home page is open' })
    await page.locator('.writes').getByText('While the home page is open').waitFor()
    assert.equal(await page.locator('.rows > li').count(), ROWS)
    await assertAccessible(page, 'live home page')
    await close()
  },
)

test('without JavaScript the activity is filtered by kind, and nothing is live', options, async () => {
  const { page, close } = await visit(app.url, { scripts: false })
  await newEntry(app.url, token, { title: 'Written' })
  await page.goto('/activity')
  assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0)
  for (const [kind, badge, none] of [
    ['written', 'published', false],
    ['related', 'related', true],
  ] as const) {
    await page.getByLabel('Kind').selectOption(kind)
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(`**/activity?kind=${kind}`)
    const words = await page.locator('.rows .what > .badge').allInnerTexts()
    assert.equal(words.length === 0, none, kind)
    assert.deepEqual([...new Set(words)], none ? [] : [badge])
  }
  await close()
})
