import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApp } from '../../support/app.ts'
import { assertAccessible, NO_BROWSER, visit } from '../../support/browser.ts'
import { judgingWorld } from '../../support/judging.ts'

const DAY = 86_400_000
/** Number of entries of each standing: more than a list of the home page shows. */
const EACH = 6
/** The most that one column is shorter than the other one, in pixels. */
const SPACE = 80
const ONE_LINE = 40

const app = useApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, async () => {
  const world = judgingWorld(() => app)
  const voices = await world.voices(EACH * 6)
  const [authors, judges, rivals] = [voices.slice(0, EACH * 3), voices.slice(EACH * 3, -EACH), voices.slice(-EACH)]
  const next = judges.values()
  app.advance(2 * DAY)
  for (const [index, author] of authors.entries()) {
    const title = `Entry ${index} has a title whose words need much more room than the half of a wide window has`
    const entry = await world.publishFrom(author, { title })
    if (index >= EACH * 2) continue
    await world.verify(next.next().value ?? author, entry)
    const rival = rivals[index]
    if (rival !== undefined) await world.contradict(rival, entry, 'It failed in each of the ten runs on my machine.')
  }
})
const options = { skip: NO_BROWSER }

test('both columns of the home page end at one height, with their last row near the end', options, async () => {
  const { page, close } = await visit(app.url, { width: 1_440 })
  await page.goto('/')
  const ends = await page.evaluate<{ end: number; list: number }[]>(`[...document.querySelectorAll('.boards > *')].map(
    column => ({
      end: Math.round([...column.querySelectorAll('p > a')].at(-1).getBoundingClientRect().bottom),
      list: [...column.querySelectorAll('ul, ol')].at(-1).getBoundingClientRect().bottom,
    }))`)

  assert.equal(ends.length, 4)
  const [disputes, checks, changes, writes] = ends
  assert.equal(disputes?.end, checks?.end)
  assert.equal(changes?.end, writes?.end)
  for (const { end, list } of ends) assert.ok(end - list <= SPACE, `${list} px of ${end} px`)
  await close()
})

test('each fact of a row is one line, and a standing is shown as its numbers', options, async () => {
  for (const width of [768, 1_440]) {
    const { page, close } = await visit(app.url, { width })
    for (const [address, facts] of [
      ['/', '.boards :is(.plain .clip, h3, .result > p:first-of-type, .what)'],
      ['/activity', '.rows > li'],
      ...(width < 960 ? [] : [['/search', '.result h2'] as const]),
    ] as const) {
      await page.goto(address)
      const heights = await page
        .locator(facts)
        .evaluateAll(all => all.map(one => one.getBoundingClientRect().height - 2 * 8 * Number(one.matches('li'))))
      assert.ok(heights.length > 10 && Math.max(...heights) <= ONE_LINE, `${address}, ${width} px: ${heights}`)
    }
    await page.goto('/search?state=DISPUTED')
    const shown = page.locator('.stands').first()
    await shown.getByText('says it holds').waitFor()
    assert.match(await shown.innerText(), /1 of 2 says it holds/)
    const name = shown.getByText('Disputed', { exact: true })
    assert.ok(((await name.boundingBox())?.width ?? 0) <= 1)
    assert.equal(await shown.getAttribute('title'), 'Disputed')
    await close()
  }
})

test('with forced colours the current tab and the layers of a standing differ in shape', options, async () => {
  const { page, close } = await visit(app.url, { dark: true, forcedColors: true })
  await page.goto('/search?state=DISPUTED')
  const [stroke, color] = await page.evaluate<[string, string]>(
    `(({ stroke, color }) => [stroke, color])(getComputedStyle(document.querySelector('.stands .strip')))`,
  )
  assert.equal(stroke, color)
  await page.locator('.result h2 a').first().click()
  await page.locator('.tabs').waitFor()
  const current = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.tabs a')].filter(one => getComputedStyle(one).borderBottomWidth !== '0px').map(one => one.ariaCurrent)`,
  )
  assert.deepEqual(current, ['page'])
  await close()
})

test('on a phone the facets open above the list, and then name the choice', options, async () => {
  const { page, close } = await visit(app.url, { width: 360 })
  await page.goto('/search')
  await page.getByText('Narrow the list').click()
  const disputed = page.getByRole('link', { name: 'Disputed' })
  const [facet, list] = [await disputed.boundingBox(), await page.locator('.results').boundingBox()]
  assert.ok(facet !== null && list !== null && facet.y < 600 && facet.y < list.y, `${facet?.y} and ${list?.y}`)
  assert.equal(await page.evaluate('scrollY'), 0)
  await disputed.click()
  await page.getByText('Narrow the list: Disputed').waitFor()
  assert.equal(await page.locator('.result').count(), EACH)
  await assertAccessible(page, 'facets')
  await close()
})
