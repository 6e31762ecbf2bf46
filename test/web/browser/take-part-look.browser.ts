import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../src/contract/resources.ts'
import { useApp } from '../../support/app.ts'
import { assertAccessible, assertNoOverflow, NO_BROWSER, visit } from '../../support/browser.ts'
import { newActor, newEntry } from '../../support/client.ts'
import { openPanel } from './taking-part.ts'

let entry: Entry
const app = useApp({}, async () => {
  const { token } = await newActor(app.url)
  const title = `A title as long as titles may be, and one word without an end ${'x'.repeat(60)}`
  entry = await newEntry(app.url, token, { title, tags: ['one'], content: `# Head\n\n${'word '.repeat(400)}` })
})
const options = { skip: NO_BROWSER }
const pages = (): string[] => [
  '/actor',
  '/publish',
  ...['revise', 'verify', 'contradict', 'relate'].map(name => `/entries/${entry.slug}/${name}`),
]

for (const look of [{ width: 1_200 }, { width: 320, dark: true, touch: true }]) {
  const name = `${look.width} px ${look.dark ? 'dark' : 'light'}`

  test(`the pages that write are accessible and fit at ${name}`, options, async () => {
    const { page, close } = await visit(app.url, look)
    for (const path of pages()) {
      await page.goto(path)
      await page.locator('#f-declaredName:enabled').waitFor()
      assert.equal(
        await page.locator('[data-none] :is(input, button):visible').count(),
        path === '/actor' ? 7 : 1,
        path,
      )
      await assertNoOverflow(page, `${path} at ${name}`)
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
      await assertAccessible(page, `${path} at ${name}`)
      await assertNoOverflow(page, `${path} at ${name}`)
    }
    await close()
  })

  test(`messages and previews are accessible and fit at ${name}`, options, async () => {
    const { page, close } = await visit(app.url, look)
    await page.goto('/publish')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByText('Title is missing.').waitFor()
    await page.locator('#f-title').fill('x'.repeat(181))
    await page.locator('#f-content').fill('# Head\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |')
    await page.locator('#f-tag').fill('a tag,another one,and a third')
    await page.locator('#f-tag').press('Enter')
    await page.locator('#f-source').fill(entry.slug)
    await page.getByRole('button', { name: 'Add the source' }).click()
    await page.locator('[data-sources] li').waitFor()
    await page.getByRole('button', { name: 'Preview the content' }).click()
    await page.locator('[data-place] table').waitFor()
    await page.getByLabel('Name').fill('x'.repeat(100))
    await openPanel(page)
    await page.getByRole('button', { name: 'Create the actor' }).click()
    await page.locator('code.token').waitFor()
    await assertAccessible(page, name)
    await assertNoOverflow(page, name)
    await page.reload()
    await page.getByText(/Your draft of/).waitFor()
    await assertAccessible(page, `a draft, ${name}`)
    await close()
  })
}

test('without JavaScript the pages say what needs it and show the equivalent command line', options, async () => {
  const { page, close } = await visit(app.url, { scripts: false, width: 360 })
  for (const path of [...pages(), '/admin']) {
    await page.goto(path)
    await page.getByText(/needs JavaScript/).waitFor()
    assert.ok(await page.locator('.curl pre').isVisible(), path)
    assert.equal(await page.locator('main form:visible').count(), 0, path)
  }
  await close()
})
