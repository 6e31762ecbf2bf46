import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Entry, Revision } from '../../../src/contract/resources.ts'
import { useApp } from '../../support/app.ts'
import { assertAccessible, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, columnOf, expectStatus, newActor, newEntry, revisionOf } from '../../support/client.ts'
import { becomeActor } from './taking-part.ts'

let rival = ''
const app = useApp({}, async () => {
  rival = (await newActor(app.url, { declaredName: 'Rival' })).token
})
const options = { skip: NO_BROWSER }

const BASE = 'Water boils at 100 °C.\n\nIt freezes at 0 °C.\n\nIt is wet.\n'
const begin = (title: string): Promise<Entry> => newEntry(app.url, rival, { title, summary: 'Water', content: BASE })
const latest = async ({ slug }: Entry): Promise<Entry> =>
  expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${slug}`), 200)
async function theyRevise(entry: Entry, change: Record<string, unknown>): Promise<Entry> {
  const path = `/api/entries/${entry.slug}/revisions`
  return expectStatus(await call<Entry>(app.url, 'POST', path, { body: revisionOf(entry, change), token: rival }), 201)
}
async function commit(page: Page): Promise<void> {
  await page.getByLabel('Correct').check()
  await page.getByRole('button', { name: 'Commit the revision' }).click()
}
const conflict = (page: Page) => page.getByRole('heading', { name: 'Another revision was committed first' })

test('changes of different places are merged, and sent on top of the first revision', options, async () => {
  const entry = await begin('Water, in peace')
  const { page, close } = await visit(app.url, {}, [409])
  await page.goto(`/entries/${entry.slug}/revise`)
  await becomeActor(page, 'Ada')
  await page.locator('#f-content').fill(BASE.replace('is wet', 'is very wet'))
  await page.locator('#f-rationale').fill('Wetter.')
  const theirs = await theyRevise(entry, {
    content: BASE.replace('100 °C', '100 °C at sea level'),
    rationale: 'Height matters.',
  })
  await commit(page)
  await conflict(page).waitFor()
  await page.getByText(/Rival committed a revision.*Height matters\./).waitFor()
  assert.equal(await page.evaluate("document.activeElement.hasAttribute('data-conflict')"), true)
  const sides = page.locator('.sides > div')
  assert.deepEqual(await sides.nth(0).locator('ins, del').allTextContents(), [' at sea level'])
  assert.deepEqual(await sides.nth(1).locator('ins, del').allTextContents(), ['very '])
  await assertAccessible(page, 'a conflict')
  await page.getByRole('button', { name: 'Put the merge into the form' }).click()
  const merged = BASE.replace('100 °C', '100 °C at sea level').replace('is wet', 'is very wet')
  assert.equal(await page.locator('#f-content').inputValue(), merged)
  assert.equal((await latest(entry)).currentRevisionId, theirs.currentRevisionId)
  await commit(page)
  await page.waitForURL(`**/entries/${entry.slug}`)
  const now = await latest(entry)
  assert.deepEqual([now.content, now.revisionCount], [merged, 3])
  const path = `/api/entries/${entry.slug}/revisions/${now.currentRevisionId}`
  const revision = expectStatus(await call<Revision>(app.url, 'GET', path), 200)
  assert.equal(revision.previousRevisionId, theirs.currentRevisionId)
  await close()
})

test('the merge is committed from the box of the conflict', options, async () => {
  const entry = await begin('Water, committed at once')
  const { page, close } = await visit(app.url, {}, [409])
  await page.goto(`/entries/${entry.slug}/revise`)
  await becomeActor(page, 'Ada')
  await page.locator('#f-content').fill(BASE.replace('is wet', 'is very wet'))
  await page.locator('#f-rationale').fill('Wetter.')
  await theyRevise(entry, { content: BASE.replace('100 °C', '100 °C at sea level') })
  await commit(page)
  await conflict(page).waitFor()
  await page.locator('[data-conflict]').getByRole('button', { name: 'Commit the merge' }).click()
  await page.waitForURL(`**/entries/${entry.slug}`)
  const now = await latest(entry)
  const merged = BASE.replace('100 °C', '100 °C at sea level').replace('is wet', 'is very wet')
  assert.deepEqual([now.content, now.revisionCount], [merged, 3])
  await close()
})

test('a long unchanged part of a conflict is folded, and can be opened', options, async () => {
  const line = 'The water of this line stays as it is. '
  const content = `First.\n\n${line.repeat(60)}\n\nLast.\n`
  const entry = await newEntry(app.url, rival, { title: 'Water, at length', summary: 'Water', content })
  const { page, close } = await visit(app.url, { width: 360 }, [409])
  await page.goto(`/entries/${entry.slug}/revise`)
  await becomeActor(page, 'Ada')
  await page.locator('#f-content').fill(content.replace('Last', 'Very last'))
  await page.locator('#f-rationale').fill('Later.')
  await theyRevise(entry, { content: content.replace('First.', 'At first.') })
  await commit(page)
  await conflict(page).waitFor()
  const fold = page.locator('.sides details.folded').first()
  assert.match(await fold.innerText(), /^\d+ unchanged characters$/)
  await fold.locator('summary').click()
  await fold.getByText(line.trim()).first().waitFor()
  await assertAccessible(page, 'an opened fold')
  await close()
})

test('the person decides each place that both writers changed', options, async () => {
  const entry = await begin('Water, in dispute')
  const { page, close } = await visit(app.url, {}, [409])
  await page.goto(`/entries/${entry.slug}/revise`)
  await becomeActor(page, 'Ada')
  await page.locator('#f-title').fill('Water, says Ada')
  await page.locator('#f-content').fill(BASE.replace('100', '99').replace('0 °C.', '1 °C.'))
  await page.locator('#f-rationale').fill('Measured.')
  await theyRevise(entry, {
    title: 'Water, says Rival',
    content: BASE.replace('100', '101').replace(' 0 °C', ' −1 °C'),
  })
  await commit(page)
  await conflict(page).waitFor()
  const questions = page.locator('fieldset.question')
  assert.equal(await questions.count(), 3)
  assert.equal(await questions.locator('input:checked').count(), 0, 'nothing is chosen in advance')
  await assertAccessible(page, 'a conflict with open places')
  await page.getByRole('button', { name: 'Put the merge into the form' }).click()
  await page.getByText('3 places have two versions. Choose one for each.').waitFor()
  assert.equal(await page.locator('#f-title').inputValue(), 'Water, says Ada', 'the form is as it was')
  await questions.nth(0).getByLabel('Take theirs').check()
  await questions.nth(1).getByLabel('Keep both').check()
  await page.getByRole('button', { name: 'Put the merge into the form' }).click()
  await page.getByText('1 place has two versions. Choose one.').waitFor()
  await questions.nth(2).getByLabel('Keep mine').check()
  await page.getByRole('button', { name: 'Put the merge into the form' }).click()
  assert.equal(await page.locator('#f-title').inputValue(), 'Water, says Rival')
  assert.match(
    await page.locator('#f-content').inputValue(),
    /^Water boils at 101 °C\.\nWater boils at 99 °C\.\n\nIt freezes at 1 °C/,
  )
  await commit(page)
  await page.waitForURL(`**/entries/${entry.slug}`)
  assert.equal((await latest(entry)).revisionCount, 3)
  await close()
})

test('after two conflicts in a row the person has seen both, and no text is lost', options, async () => {
  const entry = await begin('Water, in a hurry')
  const { page, close } = await visit(app.url, {}, [409])
  await page.goto(`/entries/${entry.slug}/revise`)
  await becomeActor(page, 'Ada')
  await page.locator('#f-summary').fill('Water, mine')
  await page.locator('#f-rationale').fill('Mine.')
  const second = await theyRevise(entry, { content: `${BASE}\nTwo.\n` })
  await commit(page)
  await conflict(page).waitFor()
  await page.getByRole('button', { name: 'Put the merge into the form' }).click()
  await theyRevise(second, { content: `${BASE}\nTwo.\n\nThree.\n` })
  await commit(page)
  await conflict(page).waitFor()
  await page.getByRole('button', { name: 'Put the merge into the form' }).click()
  await commit(page)
  await page.waitForURL(`**/entries/${entry.slug}`)
  const now = await latest(entry)
  assert.deepEqual([now.summary, now.content, now.revisionCount], ['Water, mine', `${BASE}\nTwo.\n\nThree.\n`, 4])
  await close()
})

test('a draft that began with an earlier revision opens with the changes since', options, async () => {
  const entry = await begin('Water, tomorrow')
  const { page, close } = await visit(app.url)
  await page.goto(`/entries/${entry.slug}/revise`)
  await page.locator('#f-content').fill(`${BASE}\nMine.\n`)
  await theyRevise(entry, { content: `Theirs.\n\n${BASE}` })
  await page.reload()
  await conflict(page).waitFor()
  await page.getByRole('button', { name: 'Put the merge into the form' }).click()
  assert.equal(await page.locator('#f-content').inputValue(), `Theirs.\n\n${BASE}\nMine.\n`)
  await close()
})

test(
  'the other writer’s change of a line next to mine stays, and so do the sources that each side added',
  options,
  async () => {
    const content = '1. For a tool, call search.\n2. For a service, call publish.\n'
    const entry = await newEntry(app.url, rival, { title: 'Two lines', content })
    const [theirSource, mySource] = [await begin('Their source'), await begin('My source')]
    const { page, close } = await visit(app.url, {}, [409])
    await page.goto(`/entries/${entry.slug}/revise`)
    await becomeActor(page, 'Ada')
    await page.locator('#f-content').fill(content.replace('a tool', 'every tool'))
    await page.locator('#f-rationale').fill('Every tool.')
    await page.locator('#f-source').fill(mySource.slug)
    await page.getByRole('button', { name: 'Add the source' }).click()
    await page.locator('[data-sources] li').waitFor()
    await theyRevise(entry, {
      content: content.replace('search', 'find').replace('publish', 'publish and wait'),
      sources: [{ entryId: theirSource.id, revisionId: theirSource.currentRevisionId }],
    })
    await commit(page)
    await conflict(page).waitFor()
    assert.equal(await page.locator('fieldset.question').count(), 0)
    await page.getByRole('button', { name: 'Put the merge into the form' }).click()
    const merged = '1. For every tool, call find.\n2. For a service, call publish and wait.\n'
    assert.equal(await page.locator('#f-content').inputValue(), merged)
    assert.deepEqual(await page.locator('[data-sources] li > a').allInnerTexts(), ['Their source', 'My source'])
    await commit(page)
    await page.waitForURL(`**/entries/${entry.slug}`)
    const now = await latest(entry)
    assert.equal(now.content, merged)
    const path = `/api/entries/${entry.slug}/revisions/${now.currentRevisionId}`
    const { sources } = expectStatus(await call<Revision>(app.url, 'GET', path), 200)
    assert.deepEqual(columnOf(sources, 'entryId'), [theirSource.id, mySource.id])
    await close()
  },
)

test('if both writers made the same change, nothing is left to send after the merge', options, async () => {
  const entry = await begin('Water, agreed')
  const { page, close } = await visit(app.url, {}, [409])
  await page.goto(`/entries/${entry.slug}/revise`)
  await becomeActor(page, 'Ada')
  await page.locator('#f-content').fill(`${BASE}\nAgreed.\n`)
  await page.locator('#f-rationale').fill('Agreed.')
  await theyRevise(entry, { content: `${BASE}\nAgreed.\n` })
  await commit(page)
  await conflict(page).waitFor()
  await page.getByRole('button', { name: 'Put the merge into the form' }).click()
  await commit(page)
  await page.getByText('This revision would change nothing').waitFor()
  assert.equal((await latest(entry)).revisionCount, 2)
  await close()
})
