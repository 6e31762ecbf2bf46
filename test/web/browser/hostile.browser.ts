import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { assertAccessible, assertNoOverflow, NO_BROWSER } from '../../support/browser.ts'
import { HOSTILE_QUERIES, seedHostile } from '../../support/hostile.ts'
import { addressesOf, documentsOf, filesOf, firstOf } from '../../support/page-table.ts'
import { openSeededSite, type SeededSite } from './seeded-site.ts'

let site: SeededSite
before(async () => {
  if (!NO_BROWSER) site = await openSeededSite(({ url }) => seedHostile(url))
})
const options = { skip: NO_BROWSER }

test('hostile texts run nothing, load nothing, open nothing and break no page', options, async () => {
  const { page, complaints, close } = await site.visit({ width: 360 })
  page.on('dialog', dialog => {
    complaints.push(`dialog: ${dialog.message()}`)
    return dialog.dismiss()
  })
  for (const address of [...firstOf(documentsOf(site.seeded)), ...HOSTILE_QUERIES]) {
    await page.goto(address)
    assert.equal(await page.evaluate('globalThis.struck'), undefined, address)
    assert.equal(new URL(page.url()).origin, site.url, address)
    assert.equal(
      await page.locator('main img, main iframe, main script, main style, main object, main embed').count(),
      0,
    )
    assert.equal(await page.locator('a[href^="javascript:" i], a[href^="data:" i]').count(), 0, address)
    await assertNoOverflow(page, address)
    assert.deepEqual(complaints, [], address)
  }
  await page.goto(`/entries/${site.seeded.entry.slug}`)
  await assertAccessible(page, 'an entry of hostile texts')
  await close()
})

test('a difference of hostile texts shows both and runs nothing', options, async () => {
  const { page, close } = await site.visit()
  await page.goto(`/entries/${site.seeded.entry.slug}/diff`)
  assert.ok((await page.locator('.difference ins').allTextContents()).join('').includes('U+202E'))
  assert.ok((await page.locator('.difference').first().textContent())?.includes('<script>'))
  assert.equal(await page.evaluate('globalThis.struck'), undefined)
  await close()
})

test('a browser reads every feed and the sitemap of hostile texts as XML', options, async () => {
  const { page, close } = await site.visit()
  await page.goto('/')
  const paths = addressesOf(filesOf(site.seeded)).filter(
    path => /\.(?:atom|xml)/.test(path) && path !== '/opensearch.xml',
  )
  const parsed = await page.evaluate<{ path: string; root: string; errors: number; foreign: string[] }[]>(`Promise.all(
    ${JSON.stringify(paths)}.map(async path => {
      const document = new DOMParser().parseFromString(await (await fetch(path)).text(), 'application/xml')
      const spaces = [...document.querySelectorAll('*')].map(one => one.namespaceURI)
      return {
        path,
        root: document.documentElement.localName,
        errors: document.querySelectorAll('parsererror').length,
        foreign: [...new Set(spaces)].filter(one => !/Atom$|sitemap/.test(one)),
      }
    }))`)
  assert.ok(parsed.length >= 6)
  for (const { path, root, errors, foreign } of parsed) {
    assert.deepEqual({ errors, foreign }, { errors: 0, foreign: [] }, path)
    assert.match(root, /^(?:feed|urlset|sitemapindex)$/, path)
  }
  await close()
})
