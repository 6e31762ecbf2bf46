import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { NO_BROWSER } from '../../support/browser.ts'
import { addressesOf, documentsOf } from '../../support/page-table.ts'
import { openSeededSite, type SeededSite } from './seeded-site.ts'

let site: SeededSite
before(async () => {
  if (!NO_BROWSER) site = await openSeededSite()
})

/** Records the layout shifts of each page from its beginning. */
const OBSERVE = `globalThis.shifts = []
new PerformanceObserver(list => {
  for (const { value, sources } of list.getEntries())
    shifts.push(value.toFixed(4) + ' ' + sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? '').join(' '))
}).observe({ type: 'layout-shift', buffered: true })`

/** Milliseconds before a script arrives: the page is shown first, as on a slow network. */
const SCRIPT_DELAY = 200

/** How often a page is loaded: on a busy machine its markup can arrive in pieces, whose header moves once. */
const TRIES = 3

/** The layout shifts of a page, of the load with the fewest. */
async function shiftsOf(page: Page, address: string): Promise<string[]> {
  let fewest: string[] = []
  for (let time = 0; time < TRIES; time += 1) {
    // The stream of live rows never ends, and its new rows move the others.
    await page.goto(address, { waitUntil: /^\/(?:activity|$)/.test(address) ? 'load' : 'networkidle' })
    const shifts = await page.evaluate<string[]>('shifts')
    if (shifts.length === 0) return []
    if (time === 0 || shifts.length < fewest.length) fewest = shifts
  }
  return fewest
}

/** The proof that this address asks for is computed step by step after the page is shown. */
const COMPUTED = /^\/log\?record=/

for (const look of [{ width: 360, touch: true }, { width: 1_440 }]) {
  test(`no part of a page moves while it loads, at ${look.width} px`, { skip: NO_BROWSER }, async () => {
    const { page, close } = await site.visit(look)
    await page.addInitScript(OBSERVE)
    await page.route(/\.js$/, async route => {
      await delay(SCRIPT_DELAY)
      await route.continue()
    })
    for (const address of addressesOf(documentsOf(site.seeded)).filter(one => !COMPUTED.test(one))) {
      assert.deepEqual(await shiftsOf(page, address), [], address)
    }
    await close()
  })
}
