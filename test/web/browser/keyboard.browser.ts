import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, NO_BROWSER } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../../support/client.ts'
import { openSeededSite, type SeededSite } from './seeded-site.ts'

let site: SeededSite
before(async () => {
  if (!NO_BROWSER) site = await openSeededSite()
})
const options = { skip: NO_BROWSER }
/** More keys than any page here has places to stop at. */
const KEYS = 120

/** The focused element, and whether its focus is visible. */
type Focus = {
  tag: string
  href: string
  name: string
  shown: boolean
  inView: boolean
  marked: boolean
  covered: boolean
}

const FOCUS = `(() => {
  const one = document.activeElement
  const { left, top, right, bottom, width, height } = one.getBoundingClientRect()
  const x = Math.min(Math.max(left + width / 2, 0), innerWidth - 1)
  const y = Math.min(Math.max(top + height / 2, 0), innerHeight - 1)
  const hit = document.elementFromPoint(x, y)
  const marks = [one, ...one.querySelectorAll('*')].map(part => getComputedStyle(part))
  return {
    tag: one.tagName.toLowerCase(),
    href: one.getAttribute('href') ?? '',
    name: (one.getAttribute('aria-label') ?? one.getAttribute('name') ?? one.textContent).trim().slice(0, 60),
    shown: width > 2 && height > 2,
    inView: right > 0 && bottom > 0 && left < innerWidth && top < innerHeight,
    marked: marks.some(style =>
      (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2) ||
      (style.vectorEffect === 'non-scaling-stroke' && parseFloat(style.strokeWidth) >= 2)),
    covered: hit !== null && hit !== one && !one.contains(hit) && !hit.contains(one),
  }
})()`

/** Presses Tab once and asserts that the focus can be seen where it arrives. */
async function tab(page: Page): Promise<Focus> {
  await page.keyboard.press('Tab')
  const focus = await page.evaluate<Focus>(FOCUS)
  if (focus.tag === 'body') return focus
  const { shown, inView, marked, covered } = focus
  const focused = `${focus.tag} ${focus.href} “${focus.name}” on ${page.url()}`
  assert.deepEqual(
    { shown, inView, marked, covered },
    { shown: true, inView: true, marked: true, covered: false },
    focused,
  )
  return focus
}

/** Presses Tab until the wanted element has the focus. */
async function tabTo(page: Page, what: string, wanted: (focus: Focus) => boolean): Promise<Focus> {
  const passed: string[] = []
  for (let key = 0; key < KEYS; key += 1) {
    const focus = await tab(page)
    if (wanted(focus)) return focus
    passed.push(focus.href || focus.name)
  }
  throw new assert.AssertionError({ message: `Tab does not reach ${what} on ${page.url()}: ${passed.join(' · ')}` })
}

async function follow(page: Page, href: string): Promise<void> {
  const { href: found } = await tabTo(page, href, focus => focus.tag === 'a' && focus.href.startsWith(href))
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${found}`)
}

for (const scripts of [true, false]) {
  test(
    `everything is reached by Tab and Enter, ${scripts ? 'with' : 'without'} JavaScript, and the focus is visible`,
    options,
    async () => {
      const { page, close } = await site.visit({
        scripts,
        width: scripts ? 1_100 : 360,
        dark: !scripts,
      })
      const at = `/entries/${site.seeded.entry.slug}`
      await page.goto('/')
      const skip = await tab(page)
      assert.equal(skip.href, '#main')
      await tabTo(page, 'the search', ({ tag, name }) => tag === 'input' && name === 'q')
      await page.keyboard.type('write-ahead')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/search?q=write-ahead')
      await follow(page, at)
      await follow(page, `${at}/history`)
      await follow(page, `${at}/diff?from=`)
      await follow(page, at)
      await follow(page, `${at}/relations`)
      const graph = await page.locator('.neighbour > a').first().getAttribute('href')
      assert.ok(graph?.startsWith('/entries/'))
      await tabTo(page, 'a related entry', ({ href }) => href === graph)
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${graph}`)
      assert.equal(await page.locator('h1').count(), 1)
      await close()
    },
  )
}

test('the skip link leads past the navigation', options, async () => {
  const { page, close } = await site.visit()
  await page.goto(`/entries/${site.seeded.entry.slug}`)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL('**#main')
  const next = await tab(page)
  assert.equal(await page.evaluate('document.activeElement.closest("main") !== null'), true, next.href)
  await close()
})

test('every element that takes the focus on the pages that read is visible', options, async () => {
  const { page, close } = await site.visit({ width: 360 })
  for (const part of ['', '/layers', '/evidence', '/relations', '/history']) {
    await page.goto(`/entries/${site.seeded.entry.slug}${part}`)
    const places = await page
      .locator('main a:visible, main button:visible, main input:visible, main summary:visible')
      .count()
    let stops = 0
    while (stops < KEYS && (await tab(page)).tag !== 'body') stops += 1
    assert.ok(stops >= Math.min(places, 10) && stops < KEYS, `${stops} stops, ${places} places on ${part}`)
  }
  await close()
})

test('keys move between rows and to the search; fields, other keys and the switch are respected', options, async () => {
  const { page, close } = await site.visit()
  const focused = () =>
    page.evaluate<string>('document.activeElement.getAttribute("href") ?? document.activeElement.id')
  await page.goto('/search')
  const links = await page.locator('.result h2 a').evaluateAll(all => all.map(one => one.getAttribute('href')))
  for (const [key, expected] of [
    ['j', links[0]],
    ['j', links[1]],
    ['k', links[0]],
    ['/', 'q'],
    ['j', 'q'],
  ] as const) {
    await page.keyboard.press(key)
    assert.equal(await focused(), expected, key)
  }
  assert.equal(await page.locator('#q').inputValue(), 'j')
  await page.locator('.result h2 a').first().focus()
  for (const key of ['Control+j', 'Alt+k', 'Meta+/']) await page.keyboard.press(key)
  assert.equal(await focused(), links[0])
  await page.goto(`/entries/${site.seeded.entry.slug}/history`)
  await page.keyboard.press('j')
  assert.equal(await page.evaluate('document.activeElement.closest(".revision") !== null'), true)
  await page.keyboard.press('/')
  assert.equal(await focused(), 'site-q')
  await page.getByRole('button', { name: 'Keys' }).click()
  await assertAccessible(page, 'the help for the keys')
  await page.keyboard.press('j')
  await page.getByRole('checkbox', { name: 'Use these keys' }).uncheck()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.reload()
  await page.keyboard.press('j')
  assert.equal(await page.evaluate('document.activeElement === document.body'), true)
  await close()
})

test('links and the keys n and p lead from change to change, with and without scripts', options, async () => {
  const { token } = await newActor(site.url)
  const old = Array.from({ length: 40 }, (_, n) => `Line ${n} of the old text.`)
  const entry = await newEntry(site.url, token, { content: old.join('\n\n') })
  const content = old.map((line, n) => (n % 20 === 5 ? line.replace('old', 'new') : line)).join('\n\n')
  const body = revisionOf(entry, { content })
  expectStatus(await call(site.url, 'POST', `/api/entries/${entry.slug}/revisions`, { token, body }), 201)
  for (const view of ['', '?view=split', '?view=rendered']) {
    const { page, close } = await site.visit({ width: 360 })
    await page.goto(`/entries/${entry.slug}/diff${view}`)
    for (const [key, change] of [
      ['n', 1],
      ['n', 2],
      ['p', 1],
    ] as const) {
      await page.keyboard.press(key)
      assert.equal(await page.evaluate('document.activeElement.hash'), `#change-${change}`, `${view} ${key}`)
    }
    await page.goto(`/entries/${entry.slug}/diff${view}#change-2`)
    await page.keyboard.press('p')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Change 1 of 2')
    await close()
  }
  const { page, close } = await site.visit({ scripts: false })
  await page.goto(`/entries/${entry.slug}/diff`)
  await page.getByRole('link', { name: 'Change 1 of 2' }).waitFor()
  await page.getByRole('link', { name: '↓ Next' }).click()
  assert.equal(new URL(page.url()).hash, '#change-2')
  await close()
})

test('the key y makes the address that of the exact revision, which the references name', options, async () => {
  const { slug, currentRevisionId } = site.seeded.entry
  const { page, close } = await site.visit({ width: 360 })
  await page.goto(`/entries/${slug}`)
  await page.keyboard.press('y')
  await page.waitForURL(`**/entries/${slug}/revisions/${currentRevisionId}`)
  await page.getByText('Cite', { exact: true }).click()
  await page.locator('.cite pre').first().waitFor()
  await assertAccessible(page, 'the references')
  await page.reload()
  assert.match(await page.locator('.over').innerText(), /^Revision \d/)
  await close()
})

test('the header names the actor of this browser and leads to its page', options, async () => {
  const { page, close } = await site.visit()
  await page.goto('/')
  const you = page.locator('[data-you]')
  assert.equal(await you.getAttribute('href'), '/actor')
  await you.click()
  await page.getByRole('textbox', { name: 'Name' }).fill('A <b> name of some length')
  await page.getByRole('button', { name: 'Create the actor' }).click()
  await page.getByRole('button', { name: 'I have saved it' }).click()
  assert.equal(await you.innerText(), 'A <b> name of some length')
  const address = await page.getByRole('link', { name: 'contributions and outcomes' }).getAttribute('href')
  assert.match(address ?? '', /^\/actors\/[0-9a-f-]{36}$/)
  assert.equal(await you.getAttribute('href'), address)
  await you.click()
  await page.waitForURL(`**${address}`)
  await page.getByText('this is you').waitFor()
  await assertAccessible(page, 'the page of the own actor')
  await page.goto(`/actors/${site.seeded.entry.actor.id}`)
  assert.equal(await page.getByText('this is you').isVisible(), false)
  await close()
})

for (const scripts of [true, false])
  test(
    `on a narrow screen ${scripts ? 'with' : 'without'} scripts the menu opens, leads and closes by keyboard`,
    options,
    async () => {
      const { page, close } = await site.visit({ width: 360, scripts })
      await page.goto('/')
      const links = page.getByRole('navigation', { name: 'Site' }).getByRole('link')
      assert.equal(await links.count(), 0)
      await tabTo(page, 'the menu', ({ name }) => name === 'Menu')
      await page.keyboard.press('Enter')
      assert.equal(await links.count(), 7)
      if (scripts) await assertAccessible(page, 'the open menu')
      await tabTo(page, 'a link of the menu', ({ href }) => href === '/activity')
      await page.keyboard.press('Escape')
      assert.equal(await links.count(), 0)
      assert.equal((await page.evaluate<Focus>(FOCUS)).name, 'Menu')
      await page.keyboard.press('Enter')
      await tabTo(page, 'a link of the menu', ({ href }) => href === '/activity')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/activity')
      await close()
    },
  )

test('j moves through every list of a page, and past rows that a narrow screen does not show', options, async () => {
  const { entry } = site.seeded
  for (const [width, address, selector] of [
    [1_100, '/', '.boards .plain > li, .result, .rows > li'],
    [360, '/', '.boards .plain > li, .rows > li'],
    [1_100, `/entries/${entry.slug}/relations`, '.neighbour'],
  ] as const) {
    const { page, close } = await site.visit({ width })
    await page.goto(address)
    const rows = await page.locator(`:is(${selector}):visible`).count()
    assert.ok(rows > 0, address)
    const reached = new Set<number>()
    for (let key = 0; key < rows; key += 1) {
      await page.keyboard.press('j')
      reached.add(
        await page.evaluate<number>(
          `[...document.querySelectorAll(${JSON.stringify(selector)})].findIndex(row => row.contains(document.activeElement))`,
        ),
      )
    }
    assert.ok(!reached.has(-1) && reached.size === rows, `${address} at ${width} px: ${[...reached]} of ${rows}`)
    await close()
  }
})
