import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Entry } from '../../../src/contract/resources.ts'
import { useApp } from '../../support/app.ts'
import { assertAccessible, assertNoOverflow, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../../support/client.ts'

let token = ''
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
})
const options = { skip: NO_BROWSER }

const readNews = async (page: Page, name: string): Promise<string> =>
  (await page.locator('[data-following] li', { hasText: name }).first().locator('p').innerText()).trim()

async function pressFollow(page: Page, address: string): Promise<void> {
  await page.goto(address)
  const button = page.locator('[data-follow]')
  await button.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Unfollow' }).waitFor()
}

test(
  'a reader follows an entry and a tag by keyboard, and sees what is new since the last visit',
  options,
  async () => {
    const tags = ['Kiln work']
    const entry = await newEntry(app.url, token, { title: 'Cones bend <b>late</b>', tags })
    const address = `/entries/${entry.slug}`
    const { page, close } = await visit(app.url, { width: 360 })
    await page.goto('/following')
    await page.getByText('You follow nothing yet.').waitFor()
    await pressFollow(page, address)
    await pressFollow(page, '/tags/Kiln%20work')
    await page.goto('/following')
    await page.getByText('0 of 2 have something new.').waitFor()
    const revised = expectStatus(
      await call<Entry>(app.url, 'POST', `/api${address}/revisions`, {
        token,
        body: revisionOf(entry, { content: 'New.' }),
      }),
      201,
    )
    const judge = (await newActor(app.url)).token
    const body = { revisionId: revised.currentRevisionId, rationale: 'It does not.' }
    expectStatus(await call(app.url, 'POST', `/api${address}/contradict`, { token: judge, body }), 201)
    await newEntry(app.url, token, { title: 'Soda glaze', tags })

    await page.reload()
    await page.getByText('2 of 2 have something new.').waitFor()
    assert.match(await readNews(page, 'Cones bend <b>late</b>'), /^New: 1 new revision · now \w+, was unchecked$/)
    assert.equal(await readNews(page, 'kiln work'), 'New: Soda glaze · Cones bend <b>late</b>')
    await assertAccessible(page, 'what is followed')
    await assertNoOverflow(page, 'what is followed')
    await page.getByRole('link', { name: '1 new revision' }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()

    await page.goto(address)
    await page.getByRole('button', { name: 'Unfollow' }).waitFor()
    await page.goto('/following')
    await page.getByText('1 of 2 have something new.').waitFor()
    await page.getByRole('button', { name: 'Mark all as seen' }).click()
    await page.getByText('All is marked as seen.').waitFor()
    assert.equal(await readNews(page, 'kiln work'), 'Nothing new.')
    await page.getByRole('button', { name: 'Unfollow kiln work' }).click()
    await page.getByText('kiln work is no longer followed.').waitFor()
    assert.equal(await page.locator('[data-following] li').count(), 1)
    assert.deepEqual(await page.context().cookies(), [])
    await close()
  },
)

test('a stored list that is not one follows nothing, and a full list refuses one more', options, async () => {
  const entry = await newEntry(app.url, token)
  const { page, close } = await visit(app.url)
  await page.goto('/following')
  for (const stored of ['{', '[]', '"x"', '{"entry":{"a,b":{}},"tag":{"<b>":{"at":"x"},"constructor":{"at":5}}}']) {
    await page.evaluate(text => localStorage.setItem('palimpsest.followed', text), stored)
    await page.reload()
    await page.getByText('You follow nothing yet.').waitFor()
  }
  const seen = { revision: entry.currentRevisionId, ordinal: 1, state: 'UNCHECKED' }
  const full = { entry: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`entry-${index}`, seen])) }
  await page.evaluate(text => localStorage.setItem('palimpsest.followed', text), JSON.stringify(full))
  await page.goto(`/entries/${entry.slug}`)
  await page.locator('[data-follow]').click()
  await page.getByText('Your list is full').waitFor()
  await page.goto('/following')
  await page.getByText('100 of 100 have something new.').waitFor()
  await close()
})
