import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Entry } from '../../../src/contract/resources.ts'
import { ADMIN_TOKEN, useApp } from '../../support/app.ts'
import { assertAccessible, assertNoOverflow, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../../support/client.ts'

let token = ''
const app = useApp({ PUBLIC_URL: 'https://memory.a-name-of-some-length.example.org' }, async () => {
  token = (await newActor(app.url, { declaredName: 'Somebody with a name that takes its place' })).token
})
const options = { skip: NO_BROWSER }
const WIDTHS = [360, 768, 1_440]

/** Looks at an address at every width. */
async function atWidths(address: string, look: (page: Page, name: string) => Promise<void>): Promise<void> {
  const { page, close } = await visit(app.url)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(address)
    await look(page, `${address} at ${width} px`)
  }
  await close()
}

test('sixty related entries are in columns without overlap at every width', options, async () => {
  const hub = await newEntry(app.url, token, { title: 'A hub' })
  const types = ['REUSES', 'SYNTHESIZES', 'CONNECT', 'CONTRADICTS']
  for (let number = 0; number < 60; number += 1) {
    const other = await newEntry(app.url, token, { title: `A neighbour with the number ${number} and a long title` })
    const [from, to] = number % 8 < 4 ? [hub, other] : [other, hub]
    const body = { sourceEntryId: from.id, targetEntryId: to.id, relationType: types[number % 4], rationale: 'r' }
    expectStatus(await call(app.url, 'POST', '/api/relations', { token, body }), 201)
  }
  await atWidths(`/entries/${hub.slug}/relations`, async (page, name) => {
    assert.equal(await page.locator('.neighbour:visible').count(), 4 * 8, name)
    for (const others of await page.getByText(/^\d+ more$/).all()) await others.click()
    const boxes = await page.locator('.neighbour:visible').evaluateAll(all =>
      all.map(one => {
        const { left, right, top, bottom } = one.getBoundingClientRect()
        return { left, right, top, bottom }
      }),
    )
    assert.equal(boxes.length, 60, name)
    const width = page.viewportSize()?.width ?? 0
    boxes.forEach((box, index) => {
      assert.ok(box.left >= 0 && box.right <= width, `${name}: ${JSON.stringify(box)}`)
      for (const other of boxes.slice(index + 1)) {
        const apart =
          box.right <= other.left || other.right <= box.left || box.bottom <= other.top || other.bottom <= box.top
        assert.ok(apart, `${name}: ${JSON.stringify([box, other])}`)
      }
    })
    const headings = await page.locator('article h2').allTextContents()
    assert.deepEqual(
      headings,
      ['Contradictions 15', 'Rests on 16', 'This entry', 'Belongs with 15', 'Used by 14'],
      name,
    )
    await assertAccessible(page, name)
  })
})

test('the moderation dialog is in the middle of the window and no table is wider than its box', options, async () => {
  const word = 'Donaudampfschifffahrtsgesellschaft'
  const { token: named } = await newActor(app.url, { declaredName: 'A name as long as the service allows '.repeat(2) })
  await newEntry(app.url, named, { title: 'By an actor with a long name' })
  const entry = await newEntry(app.url, token, { title: `${word} ${word}/${word}` })
  const body = { revisionId: entry.currentRevisionId, rationale: word.repeat(5) }
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/contradict`, { body, token }), 201)
  const report = { targetType: 'ENTRY', targetId: entry.id, reason: 'SPAM', details: word.repeat(6) }
  expectStatus(await call(app.url, 'POST', '/api/reports', { body: report }), 201)
  await atWidths('/admin', async (page, name) => {
    await page.getByRole('textbox', { name: 'Admin token' }).fill(ADMIN_TOKEN)
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByRole('heading', { name: 'Queue' }).waitFor()
    const titles = page.locator('td[data-column="Entry"]')
    const widths = await titles.evaluateAll(all => all.map(one => one.getBoundingClientRect().width))
    assert.ok(widths.length > 0 && Math.min(...widths) >= 200, `${name}: ${Math.min(...widths)} px`)
    const assertTablesFit = async (view: string): Promise<void> => {
      const sizes = await page.locator('.scroll').evaluateAll(all => all.map(one => [one.scrollWidth, one.clientWidth]))
      for (const [content = 0, box = 0] of sizes) assert.ok(content <= box, `${name}, ${view}: ${content} in ${box} px`)
    }
    for (const view of ['Reports', 'Entries', 'Actors', 'Audit', 'Queue']) {
      await page.getByRole('group', { name: 'Views' }).getByRole('button', { name: view, exact: true }).click()
      await page.getByRole('heading', { name: view }).waitFor()
      await assertTablesFit(view)
    }
    await page
      .getByRole('button', { name: `Evidence of ${entry.title}` })
      .first()
      .click()
    await page.getByText('Content, unchanged').waitFor()
    await assertTablesFit('an entry')
    await page.getByRole('button', { name: 'Act on this entry …' }).click()
    const box = await page.getByRole('dialog').boundingBox()
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
    assert.ok(box !== null && box.height <= height, name)
    assert.ok(Math.abs(box.x + box.width / 2 - width / 2) <= 2, `${name}: ${JSON.stringify(box)}`)
    assert.ok(Math.abs(box.y + box.height / 2 - height / 2) <= 2, `${name}: ${JSON.stringify(box)}`)
  })
})

test('the name of every figure of the statistics is on one line', options, () =>
  atWidths('/stats', async (page, name) => {
    const lines = await page.evaluate<[string, number][]>(`[...document.querySelectorAll('.figures dt')].map(one => {
      const range = document.createRange()
      range.selectNodeContents(one)
      return [one.textContent, range.getClientRects().length]
    })`)
    assert.deepEqual(
      lines.filter(([, count]) => count !== 1),
      [],
      name,
    )
  }),
)

test('a list of entries shows seven to nine rows on a screen of 1440 by 900 pixels', options, async () => {
  const judge = (await newActor(app.url)).token
  for (let number = 0; number < 10; number += 1) {
    const title = `How an annealed pane of glass number ${number} cracks, and why it does so in a cold night`
    const summary = 'A pane cracks where one side is colder than the other one. '.repeat(3)
    const tags = ['glass', 'annealing', 'a rather long tag']
    const entry = await newEntry(app.url, token, { title, summary, tags })
    const path = `/api/entries/${entry.slug}`
    const revised = expectStatus(
      await call<Entry>(app.url, 'POST', `${path}/revisions`, { token, body: revisionOf(entry) }),
      201,
    )
    const body = { revisionId: revised.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Seen.' }
    expectStatus(await call(app.url, 'POST', `${path}/verify`, { token: judge, body }), 201)
  }
  await atWidths('/search?q=pane&tag=glass&state=SUPPORTED', async (page, name) => {
    await assertNoOverflow(page, name)
    await assertAccessible(page, name)
  })
  const { page, close } = await visit(app.url, { width: 1_440 })
  for (const address of ['/search', '/search?q=pane']) {
    await page.goto(address)
    const bottoms = await page.locator('.result').evaluateAll(all => all.map(one => one.getBoundingClientRect().bottom))
    const whole = bottoms.filter(bottom => bottom <= 900).length
    assert.ok(whole >= 7 && whole <= 9, `${address}: ${whole} of ${bottoms.length} rows`)
    const facts = await page.locator('.result .meta').evaluateAll(all => all.map(one => one.clientHeight))
    assert.ok(Math.max(...facts) <= 24, `${address}: facts of ${Math.max(...facts)} px`)
  }
  await close()
})

test('a name or a title without a space stays inside its row of a search', options, async () => {
  const writer = (await newActor(app.url, { declaredName: 'N'.repeat(100) })).token
  await newEntry(app.url, writer, { title: `Unbroken ${'title'.repeat(30)}`, summary: 'summary'.repeat(60) })
  await atWidths('/search?q=unbroken', async (page, name) => {
    assert.equal(await page.locator('.result').count(), 1, name)
    await assertNoOverflow(page, name)
  })
})

test('the note about unchanged lines is on a line of its own', options, async () => {
  const lines = Array.from({ length: 60 }, (_, index) => `Line ${index}.`)
  const entry = await newEntry(app.url, token, { title: 'Long', content: lines.join('\n') })
  const content = ['First.', ...lines.slice(1, -1), 'Last.'].join('\n')
  const path = `/api/entries/${entry.slug}/revisions`
  expectStatus(await call(app.url, 'POST', path, { token, body: revisionOf(entry, { content }) }), 201)
  await atWidths(`/entries/${entry.slug}/diff`, async (page, name) => {
    const [note, after] = await page.evaluate<[number, number]>(`(() => {
      const details = document.querySelector('details.folded')
      const next = document.createRange()
      next.setStart(details.nextSibling, 0)
      next.setEnd(details.nextSibling, 4)
      return [details.getBoundingClientRect().bottom, next.getBoundingClientRect().top]
    })()`)
    assert.ok(after >= note, `${name}: the note ends at ${note}, the text begins at ${after}`)
  })
})

const RTL = { title: 'الذاكرة المشتركة بين الناس', summary: 'ملخص قصير', content: 'نص قصير' }
const directionsOf = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map(one => getComputedStyle(one).direction)`,
  )

test('a right-to-left title, summary or rationale runs from the right', options, async () => {
  const entry = await newEntry(app.url, token, RTL)
  const body = revisionOf(entry, { ...RTL, content: 'نص آخر', rationale: 'تصحيح' })
  const path = `/api/entries/${entry.slug}`
  const revised = expectStatus(await call<Entry>(app.url, 'POST', `${path}/revisions`, { token, body }), 201)
  const judged = { revisionId: revised.currentRevisionId, rationale: 'خطأ' }
  expectStatus(await call(app.url, 'POST', `${path}/contradict`, { token, body: judged }), 201)
  const { page, close } = await visit(app.url, { width: 1_440 })
  const at = `/entries/${entry.slug}`
  for (const [address, selector] of [
    [at, 'main h1, main .lead, .prose'],
    [`${at}/revisions/${revised.currentRevisionId}`, 'main h1, main .lead, .prose'],
    [`${at}/history`, '.over a, .revision:first-child .rationale'],
    [`${at}/evidence`, '.over a, .piece > p:not(.meta)'],
    [`/search?q=${encodeURIComponent('الذاكرة')}`, '.result h2, .result .about > p'],
    ['/', '.result:first-child h3, .result:first-child h3 + p'],
  ] as const) {
    await page.goto(address)
    const directions = await directionsOf(page, selector)
    assert.ok(directions.length >= 2, address)
    assert.deepEqual([...new Set(directions)], ['rtl'], `${address}: ${directions}`)
  }
  const lines = Array.from({ length: 20 }, (_, index) => `سطر رقم ${index}`)
  const long = await newEntry(app.url, token, { ...RTL, content: lines.join('\n') })
  const changed = revisionOf(long, { ...RTL, content: [...lines, 'سطر جديد'].join('\n') })
  expectStatus(await call<Entry>(app.url, 'POST', `/api/entries/${long.slug}/revisions`, { token, body: changed }), 201)
  for (const view of ['inline', 'split']) {
    await page.goto(`/entries/${long.slug}/diff?view=${view}`)
    const directions = await directionsOf(page, '.difference')
    assert.deepEqual([...new Set(directions)], ['rtl'], `${view}: ${directions}`)
    assert.deepEqual([...new Set(await directionsOf(page, '.folded summary'))], ['ltr'], view)
  }
  for (const [address, selector, box] of [
    [at, 'main h1', 'main h1'],
    [`/search?q=${encodeURIComponent('الذاكرة')}`, '.result h2', '.result'],
  ] as const) {
    await page.goto(address)
    const [title, edge] = await page.evaluate<[number, number]>(`(() => {
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('${selector}'))
      return [range.getBoundingClientRect().right, document.querySelector('${box}').getBoundingClientRect().right]
    })()`)
    assert.ok(Math.abs(title - edge) <= 2, `${address}: the title ends at ${title}, its box at ${edge}`)
  }
  await close()
})

for (const address of ['/agents', '/']) {
  test(`the line to paste on ${address} is shown whole`, options, () =>
    atWidths(address, async (page, name) => {
      const sizes = await page
        .locator('.steps pre')
        .evaluateAll(all => all.map(one => [one.scrollWidth, one.clientWidth]))
      assert.ok(sizes.length > 0, name)
      for (const [content = 0, box = 0] of sizes) assert.ok(content <= box, `${name}: ${content} in ${box} px`)
    }),
  )
}

test('the line for an agent and the examples of the API are copied as they are shown', options, async () => {
  const { page, context, close } = await visit(app.url, { width: 360 })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.url })
  for (const [address, what, selector] of [
    ['/agents', 'the line', '.steps pre'],
    ['/docs/api', 'the example', '#createEntry > pre'],
    ['/docs/api', 'the example', '#readEntry details pre'],
  ] as const) {
    await page.goto(address)
    const source = page.locator(selector).first()
    const shown = await source.evaluate(one => {
      one.closest('details')?.setAttribute('open', '')
      return one.textContent
    })
    const copy = source.locator('xpath=following-sibling::button[1]')
    assert.equal(await copy.innerText(), `Copy ${what}`, address)
    await copy.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Copied', { exact: true }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), shown, address)
    assert.ok(shown !== null && shown.length > 20, address)
    await assertNoOverflow(page, address)
    await assertAccessible(page, address)
  }
  await close()
})

test(
  'a read of the API is tried from its page, with an entry that exists and without a credential',
  options,
  async () => {
    const entry = await newEntry(app.url, token, { title: '<img src=x onerror=alert(1)> tried' })
    for (const look of [{ width: 1_440 }, { width: 360, dark: true }]) {
      const { page, close } = await visit(app.url, look, [404])
      await page.goto('/docs/api')
      const offered = await page.getByRole('button', { name: 'Try it' }).count()
      assert.ok(offered > 10, `${offered} reads`)
      for (const name of ['createEntry', 'readAdminSnapshot', 'streamActivity'])
        assert.equal(await page.locator(`#${name}`).getByRole('button', { name: 'Try it' }).count(), 0, name)
      const read = page.locator('#readEntry')
      await read.getByRole('button', { name: 'Try it' }).click()
      await page.waitForFunction(`document.activeElement.value?.endsWith('${entry.slug}')`)
      const asked = page.waitForRequest(`**/api/entries/${entry.slug}`)
      await page.keyboard.press('Enter')
      const headers = await (await asked).allHeaders()
      assert.deepEqual(
        [headers['x-actor-token'], headers.authorization, headers.cookie],
        [undefined, undefined, undefined],
      )
      const answer = read.getByRole('region', { name: 'Answer' })
      await answer.getByText('HTTP 200').waitFor()
      const shown = (await answer.textContent()) ?? ''
      assert.ok(shown.includes(`"id": "${entry.id}"`) && shown.includes('<img src=x onerror=alert(1)>'))
      assert.equal(await page.locator('main img').count(), 0)
      await read.getByLabel('GET').fill('https://elsewhere.example/api/stats')
      await page.keyboard.press('Enter')
      await answer.getByText('The address must be a path of this service.').waitFor()
      await read.getByLabel('GET').fill('/api/entries/nothing-here')
      await page.keyboard.press('Enter')
      await answer.getByText('ENTRY_NOT_FOUND').waitFor()
      await assertNoOverflow(page, 'an answer')
      await assertAccessible(page, 'an answer')
      await close()
    }
  },
)
