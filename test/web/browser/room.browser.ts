import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { NO_BROWSER } from '../../support/browser.ts'
import { newActor, newEntry } from '../../support/client.ts'
import { openSeededSite, type SeededSite } from '../../support/seeded-site.ts'

const NARROW = 360
/** The height of the home page on a narrow screen: five screens of 900 pixels. */
const HOME_HEIGHT = 4_500
/** How much longer than the text the boxes beside it may be. */
const BESIDE = 250
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
  const { page, complaints, close } = await site.visit()
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
  assert.deepEqual(complaints, [])
  await close()
})

test('the home page on a narrow screen is short, and has all its parts', options, async () => {
  const { page, complaints, close } = await site.visit({ width: NARROW })
  await page.goto('/')
  const height = await heightOf(page, 'body')
  assert.ok(height <= HOME_HEIGHT, `${height} px`)
  assert.ok(await page.getByText('An entry, as it stands now').isVisible())
  for (const name of ['In dispute', 'Confirmed', 'Needs checking', 'Topics', 'Newest writes'])
    assert.ok(await page.getByRole('heading', { name, exact: true }).isVisible(), name)
  await page.getByRole('link', { name: 'All unchecked entries' }).click()
  await page.waitForURL('**/search?state=UNCHECKED')
  assert.equal(await page.locator('.result .badge', { hasText: 'Unchecked' }).count(), 20)
  assert.deepEqual(complaints, [])
  await close()
})

test('the boxes beside a short text end near its end', options, async () => {
  const { page, complaints, close } = await site.visit({ width: 1_440 })
  await page.goto(`/entries/${site.seeded.entry.slug}`)
  const [text, beside] = [await heightOf(page, '.column > .prose'), await heightOf(page, '.beside')]
  assert.ok(beside <= text + BESIDE, `${beside} px beside ${text} px`)
  assert.deepEqual(complaints, [])
  await close()
})
