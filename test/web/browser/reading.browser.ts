import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Entry } from '../../../src/contract/resources.ts'
import { startApp, useApp } from '../../support/app.ts'
import { assertAccessible, assertNoOverflow, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../../support/client.ts'
import { addressesOf, documentsOf, type SeededPages, seedPages } from '../../support/page-table.ts'

let seeded: SeededPages
const app = useApp({ PUBLIC_URL: 'https://memory.example' }, async () => {
  seeded = await seedPages(app)
})
const options = { skip: NO_BROWSER }

/** The structure of a page for screen readers. */
type Outline = { lang: string; title: string; headings: number; landmarks: Record<string, number> }

const outlineOf = (page: Page): Promise<Outline> =>
  page.evaluate<Outline>(`({
    lang: document.documentElement.lang,
    title: document.title,
    headings: document.querySelectorAll('h1').length,
    landmarks: Object.fromEntries(['body > header', 'body > main', 'body > footer', 'header.site nav', '[role=search]']
      .map(one => [one, document.querySelectorAll(one).length])),
  })`)

async function assertOutline(page: Page, name: string): Promise<string> {
  const { lang, title, headings, landmarks } = await outlineOf(page)
  assert.equal(lang, 'en', name)
  assert.match(title, /^\S.* · Palimpsest$|^Palimpsest, /, name)
  assert.equal(headings, 1, `${name} has one h1`)
  const once = { 'body > header': 1, 'body > main': 1, 'body > footer': 1, 'header.site nav': 1, '[role=search]': 1 }
  assert.deepEqual(landmarks, once, name)
  return title
}

/** Checked against WCAG elsewhere: pages that write where they are filled in, and lists at their first page. */
const ELSEWHERE =
  /[?&](?:offset|limit)=|^\/(?:publish|actor|admin|entries\/[^/]+\/(?:revise|verify|contradict|relate))$/

/** Opens every part of a page that is folded. */
const openParts = (page: Page): Promise<void> =>
  page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")

/** Checks each page against WCAG: narrow in the light theme with all parts open, wide in the dark one, and in forced colours. Returns the titles. */
async function assertLooks(base: string, addresses: readonly string[], scripts: boolean): Promise<string[]> {
  const { page, complaints, close } = await visit(base, { scripts })
  const titles: string[] = []
  for (const address of addresses) {
    const name = `${address} ${scripts ? 'with' : 'without'} JavaScript`
    const isChecked = scripts && !ELSEWHERE.test(address)
    await page.setViewportSize({ width: 320, height: 900 })
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
    const answer = await page.goto(address)
    assert.equal(answer?.status(), 200, name)
    titles.push(await assertOutline(page, name))
    await assertNoOverflow(page, `${name}, narrow`)
    if (scripts) await openParts(page)
    await assertNoOverflow(page, `${name}, narrow and open`)
    if (isChecked) await assertAccessible(page, `${name}, light`)
    await page.setViewportSize({ width: 1_400, height: 900 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await assertNoOverflow(page, `${name}, wide`)
    // Colours are all that differs in dark.
    if (isChecked) await assertAccessible(page, `${name}, dark`, ['color-contrast'])
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
    if (isChecked) await assertAccessible(page, `${name}, forced colours`, ['color-contrast'])
    assert.deepEqual(complaints, [], name)
  }
  await close()
  return titles
}

for (const scripts of [true, false]) {
  test(`every page of the table reads well ${scripts ? 'with' : 'without'} JavaScript`, options, async () => {
    const addresses = addressesOf(documentsOf(seeded))
    const titles = await assertLooks(app.url, addresses, scripts)
    assert.equal(titles.length, addresses.length)
    for (const path of ['layers', 'history', 'evidence', 'relations', 'diff']) {
      const title = titles[addresses.findIndex(address => address.includes(`/${path}`))] ?? ''
      assert.ok(title.includes(seeded.entry.title), `${path} names its entry: ${title}`)
    }
  })
}

test('an empty store is welcoming and accessible', options, async () => {
  const empty = await startApp()
  for (const scripts of [true, false]) await assertLooks(empty.url, ['/', '/search', '/activity', '/stats'], scripts)
})

test('a problem is a page like the others', options, async () => {
  const { page, close } = await visit(app.url, { width: 360 }, [400, 404])
  for (const [address, status] of [
    ['/nothing-here', 404],
    ['/search?limit=0', 400],
  ] as const) {
    const answer = await page.goto(address)
    assert.equal(answer?.status(), status)
    await assertOutline(page, address)
    await assertNoOverflow(page, address)
    await assertAccessible(page, `${address}, light`)
    await page.emulateMedia({ colorScheme: 'dark' })
    await assertAccessible(page, `${address}, dark`, ['color-contrast'])
  }
  await close()
})

/** How high the letters of a picture are at least, in CSS pixels. */
const LEAST_TEXT = 10

test('every word of every picture is legible on a narrow screen', options, async () => {
  const { page, close } = await visit(app.url, { width: 360 })
  const at = `/entries/${seeded.entry.slug}`
  const small: string[] = []
  let texts = 0
  for (const address of [
    `${at}/relations`,
    `/entries/${seeded.other.slug}/relations`,
    `${at}/history`,
    '/activity',
    '/stats',
  ]) {
    await page.goto(address)
    const sizes = await page.evaluate<
      [string, number][]
    >(`[...document.querySelectorAll('main svg text, .life .step, .neighbour > a, .legend li, .axis-words span')].filter(text => text.checkVisibility()).map(text =>
      [text.textContent, parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM?.().a ?? 1)])`)
    texts += sizes.length
    for (const [text, size] of sizes)
      if (size < LEAST_TEXT) small.push(`${text} is ${size.toFixed(1)} px high on ${address}`)
  }
  assert.ok(texts >= 8, `${texts} texts`)
  assert.deepEqual(small, [])
  await close()
})

test('a printed page has no control, and no question to the reader', options, async () => {
  const { page, close } = await visit(app.url)
  const at = `/entries/${seeded.entry.slug}`
  for (const address of [at, `${at}/evidence`, '/agents', '/docs/api']) {
    await page.goto(address)
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.locator(':is(button, input, select, .judge):visible').count(), 0, address)
    await page.emulateMedia({ media: null })
  }
  await close()
})

test(
  'the serif of the page is loaded from the same host, that of accented letters where the page has one',
  options,
  async () => {
    const { token } = await newActor(app.url)
    const accented = await newEntry(app.url, token, { title: 'Crème brûlée', content: 'À la carte.' })
    const { page, close } = await visit(app.url)
    const requested: string[] = []
    page.on('request', request => requested.push(request.url()))
    const fonts = () => requested.filter(url => url.endsWith('.woff2')).map(url => url.split('/').at(-1))
    await page.goto('/docs/api')
    await page.waitForFunction(
      "[...document.fonts].some(({ family, status }) => family === 'Page' && status === 'loaded')",
    )
    assert.deepEqual(fonts(), ['serif.woff2'])
    const accents = page.waitForResponse(response => response.url().endsWith('/serif-accents.woff2'))
    await page.goto(`/entries/${accented.slug}`)
    assert.equal((await accents).status(), 200)
    assert.deepEqual(new Set(requested.map(url => new URL(url).origin)), new Set([app.url]))
    await close()
  },
)

test('the life line is open on a wide screen, and opens on a narrow one', options, async () => {
  const { token } = await newActor(app.url)
  let entry = await newEntry(app.url, token)
  for (let n = 0; n < 11; n += 1) {
    const revision = { token, body: revisionOf(entry, { content: `Content ${n}` }) }
    entry = expectStatus(await call<Entry>(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, revision), 201)
  }
  for (const width of [360, 1_100]) {
    const { page, close } = await visit(app.url, { width })
    await page.goto(`/entries/${entry.slug}`)
    const steps = page.locator('.life a.step:visible')
    if (width === 360) {
      assert.equal(await steps.count(), 0)
      await page.locator('.life summary').click()
    }
    assert.equal(await steps.count(), 12)
    await assertNoOverflow(page, 'a long life line')
    await assertAccessible(page, 'a long life line')
    await close()
  }
})

test('the header shows the end of the id of an actor without a name', options, async () => {
  const { actor, token } = await newActor(app.url)
  const { page, close } = await visit(app.url)
  await page.goto('/')
  assert.equal(await page.locator('[data-you]').innerText(), 'You')
  const kept = JSON.stringify({ token, id: actor.id, name: null })
  await page.evaluate(`localStorage.setItem('palimpsest.actor', ${JSON.stringify(kept)})`)
  await page.reload()
  assert.equal(await page.locator('[data-you]').innerText(), `You …${actor.id.slice(-6)}`)
  await close()
})
