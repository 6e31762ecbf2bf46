import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { ADMIN_TOKEN } from '../../support/app.ts'
import { assertNoOverflow, NO_BROWSER } from '../../support/browser.ts'
import { addressesOf, documentsOf } from '../../support/page-table.ts'
import { openSeededSite, type SeededSite } from './seeded-site.ts'

/** The least height of a target, in CSS pixels. */
const LEAST_TARGET = 44

let site: SeededSite
before(async () => {
  if (!NO_BROWSER) site = await openSeededSite()
})

/** Controls, and links that stand for themselves: not those within a sentence or a plot. */
const TARGETS =
  'button, summary, select, textarea, input:not([type=radio], [type=checkbox], [type=hidden]), label.choice, .choose label, .do, header.site a, footer.site a, .tabs a, .pager a, .facets a, .chips a, .sections a, .result h2 a, .result h3 a, .neighbour > a'

/** The targets that are lower. */
const lowTargets = (page: Page, targets = TARGETS): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(targets)})]
    .filter(one => one.checkVisibility() && !one.closest('.unshown, .skip') && !one.matches('.skip'))
    .map(one => [one.getBoundingClientRect().height, one])
    .filter(([height]) => height > 0 && height < ${LEAST_TARGET} - 0.1)
    .map(([height, one]) => height.toFixed(1) + ' px: ' + one.outerHTML.slice(0, 120))`)

test('every target of every page is at least 44 px high on a touch screen', { skip: NO_BROWSER }, async () => {
  const { page, close } = await site.visit({ width: 360, touch: true })
  for (const address of addressesOf(documentsOf(site.seeded))) {
    await page.goto(address)
    assert.deepEqual(await lowTargets(page), [], address)
    await assertNoOverflow(page, address)
  }
  await page.goto('/admin')
  await page.getByRole('textbox', { name: 'Admin token' }).fill(ADMIN_TOKEN)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.locator('[role=cell] input[type=checkbox]').first().waitFor()
  assert.deepEqual(await lowTargets(page, '[role=cell] input[type=checkbox]'), [])
  await assertNoOverflow(page, '/admin, unlocked')
  await close()
})
