import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, assertNoOverflow, NO_BROWSER } from '../../support/browser.ts'
import { newActor, newEntry } from '../../support/client.ts'
import { openSeededSite, type SeededSite } from './seeded-site.ts'

const NARROW = 360
/** The height of the home page on a narrow screen: five screens of 900 pixels. */
const HOME_HEIGHT = 4_500
/** How much longer than the text the boxes beside it may be. */
const BESIDE = 130
const ONE_LINE = 64

let site: SeededSite
before(async () => {
  if (NO_BROWSER) return
  site = await openSeededSite()
  const { token } = await newActor(site.url, { declaredName: 'A writer with a name of some length' })
  for (let number = 0; number < 20; number += 1) {
    const title = `How an annealed pane of glass number ${number} cracks, and why it does so in a cold night`
    await newEntry(site.url, token, { title, tags: [`topic ${number}`, 'glass'] })
  }
})
const options = { skip: NO_BROWSER }

const heightOf = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluate(one => one.getBoundingClientRect().height)

test('the header is one line from tablets on, and each of its links can be reached', options, async () => {
  const { page, close } = await site.visit()
  for (const width of [700, 768, 900, 1_022, 1_023, 1_024, 1_440]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/')
    assert.ok((await heightOf(page, 'header.site')) <= ONE_LINE, `${width} px`)
    const menu = page.getByRole('button', { name: 'Menu' })
    if (await menu.isVisible()) await menu.click()
    const links = page.getByRole('navigation', { name: 'Site' }).getByRole('link')
    assert.equal(await links.count(), 7, `${width} px`)
    await links.last().click({ trial: true })
  }
  await close()
})

test('the home page on a narrow screen is short, and has all its parts', options, async () => {
  const { page, close } = await site.visit({ width: NARROW })
  await page.goto('/')
  const height = await heightOf(page, 'body')
  assert.ok(height <= HOME_HEIGHT, `${height} px`)
  assert.ok(await page.getByText('An entry, as it stands now').isVisible())
  for (const name of ['In dispute', 'Confirmed', 'Needs checking', 'Topics', 'Newest writes'])
    assert.ok(await page.getByRole('heading', { name, exact: true }).isVisible(), name)
  await page.getByRole('link', { name: 'unchecked', exact: true }).click()
  await page.waitForURL('**/search?state=UNCHECKED')
  assert.equal(await page.locator('.result .stands', { hasText: 'Unchecked' }).count(), 20)
  await close()
})

test('the boxes beside a short text end near its end', options, async () => {
  const { page, close } = await site.visit({ width: 1_440 })
  await page.goto(`/entries/${site.seeded.entry.slug}`)
  // The notice and the life line are above the text.
  const [text, beside] = [await heightOf(page, '.columns > .column'), await heightOf(page, '.beside')]
  assert.ok(beside <= text + BESIDE, `${beside} px beside ${text} px`)
  await close()
})

/** The elements with a selector that have their text on several lines. */
const brokenIn = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})].filter(one => {
    const range = document.createRange()
    range.selectNodeContents(one)
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1
  }).map(one => one.textContent)`)

test('on a narrow screen no code of an error and no word of a table is broken', options, async () => {
  const { token } = await newActor(site.url)
  const heads = ['measurement', 'median', 'percentile', 'explanation']
  const content = [heads, heads.map(() => '---:'), heads].map(cells => `| ${cells.join(' | ')} |`).join('\n')
  const { slug } = await newEntry(site.url, token, { content })
  const { page, close } = await site.visit({ width: NARROW })
  for (const [address, selector] of [
    ['/docs/errors', 'th code'],
    [`/entries/${slug}`, '.prose :is(th, td)'],
    [`/entries/${slug}/layers`, '.prose .words'],
  ] as const) {
    await page.goto(address)
    assert.ok((await page.locator(selector).count()) > 0, address)
    assert.deepEqual(await brokenIn(page, selector), [], address)
    await assertNoOverflow(page, address)
    await assertAccessible(page, address)
  }
  await close()
})

test('a link in a row of facts is at least 24 px high', options, async () => {
  const { page, close } = await site.visit({ width: NARROW })
  for (const address of ['/activity', `/entries/${site.seeded.entry.slug}/history`]) {
    await page.goto(address)
    const heights = await page
      .locator(':is(.meta, .rows) a')
      .evaluateAll(all => all.flatMap(one => Array.from(one.getClientRects(), ({ height }) => height)))
    assert.ok(heights.length > 0 && Math.min(...heights) >= 23.5, `${address}: ${Math.min(...heights)} px`)
  }
  await close()
})
