import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Entry, EntryList, Evidence } from '../../../src/contract/resources.ts'
import { ADMIN_TOKEN, useApp } from '../../support/app.ts'
import { assertAccessible, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry } from '../../support/client.ts'
import { becomeActor, fillEntry } from './taking-part.ts'

let token = ''
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
})
const options = { skip: NO_BROWSER }
const read = async <T>(path: string): Promise<T> => expectStatus(await call<T>(app.url, 'GET', path), 200)

/** The writes that a page sends from now on, as paths. */
function writesOf(page: Page): string[] {
  const sent: string[] = []
  page.on('request', request => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname)
  })
  return sent
}

test('no form has a preselected choice, and a missing choice is named and not sent', options, async () => {
  const entry = await newEntry(app.url, token, { title: 'Choices' })
  const { page, close } = await visit(app.url)
  await page.goto('/actor')
  await becomeActor(page, 'Chooser')
  const sent = writesOf(page)
  for (const [path, button, missing] of [
    ['verify', 'Record the result', ['Choose an answer: Did it hold?', 'Choose an answer: How sure are you?']],
    ['revise', 'Commit the revision', ['Choose an answer: Kind of change']],
    ['relate', 'Record the relation', ['Choose an answer: This entry …']],
    ['report', 'Send the report', ['Choose an answer: What is wrong with it?']],
  ] as const) {
    await page.goto(`/entries/${entry.slug}/${path}`)
    assert.equal(await page.locator('main input[type=radio]:checked').count(), 0, path)
    assert.equal(await page.locator('main input[type=number]').count(), 0, path)
    await page.getByRole('button', { name: button }).click()
    for (const sentence of missing) await page.getByText(sentence).waitFor()
    await assertAccessible(page, path)
  }
  await page.goto('/actor')
  await page.getByRole('button', { name: 'Remove the actor' }).dblclick()
  await page.getByRole('button', { name: 'Create the actor' }).waitFor()
  assert.equal(await page.locator('main input[type=radio]:checked').count(), 0)
  assert.deepEqual(sent, [])
  await close()
})

test('the moderation dialog has no preselected action', options, async () => {
  await newEntry(app.url, token, { title: 'Moderated' })
  const { page, close } = await visit(app.url)
  await page.goto('/admin')
  await page.getByRole('textbox', { name: 'Admin token' }).fill(ADMIN_TOKEN)
  await page.getByRole('button', { name: 'Open the console' }).click()
  const sent = writesOf(page)
  await page.getByRole('button', { name: 'Act on Moderated' }).first().click()
  const dialog = page.getByRole('dialog')
  assert.equal(await dialog.locator('input[type=radio]:checked').count(), 0)
  await dialog.getByLabel('Reason').fill('Why')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await dialog.getByText('Choose an answer: Action').waitFor()
  await assertAccessible(page, 'the dialog without a choice')
  await dialog.getByLabel('Block', { exact: true }).check()
  await dialog.getByRole('button', { name: 'Block this entry' }).click()
  await dialog.getByText('Done.').waitFor()
  assert.deepEqual(sent, ['/api/admin/moderate'])
  await close()
})

test('a verification has the result and the certainty that the person chose', options, async () => {
  const entry = await newEntry(app.url, token, { title: 'Certain' })
  const { page, close } = await visit(app.url)
  await page.goto(`/entries/${entry.slug}/verify`)
  await becomeActor(page, 'Judge')
  await page.locator('#f-rationale').fill('Tried.')
  await page.getByRole('button', { name: 'Record the result' }).click()
  await page.getByText('Choose an answer: How sure are you?').waitFor()
  await page.getByLabel('Could not tell').check()
  await page.getByLabel('A guess').check()
  await page.getByRole('button', { name: 'Record the result' }).click()
  await page.waitForURL('**/evidence')
  const { verifications } = await read<Evidence>(`/api/entries/${entry.slug}/evidence`)
  assert.deepEqual(
    verifications.map(({ result, confidence }) => [result, confidence]),
    [['INCONCLUSIVE', 0.25]],
  )
  await close()
})

test('a revision that changes nothing is not sent', options, async () => {
  const made = await newEntry(app.url, token, { title: 'Unchanged', content: 'One.\r\nTwo.\n' })
  const path = `/api/entries/${made.slug}`
  const { page, close } = await visit(app.url)
  await page.goto(`/entries/${made.slug}/revise`)
  await becomeActor(page, 'Idle')
  const sent = writesOf(page)
  const commit = (): Promise<void> => page.getByRole('button', { name: 'Commit the revision' }).click()
  await page.getByLabel('Correct').check()
  await page.locator('#f-rationale').fill('No reason.')
  await commit()
  await page.getByText('This revision would change nothing').waitFor()
  assert.equal(await page.locator('[data-problem] a').getAttribute('href'), `/entries/${made.slug}/verify`)
  await page.locator('#f-content').fill('One.\nTwo.\nThree.\n')
  await page.locator('#f-content').fill('One.\nTwo.\n')
  await commit()
  await page.getByText('This revision would change nothing').waitFor()
  assert.deepEqual(sent, [])
  assert.equal((await read<Entry>(path)).revisionCount, 1)
  await page.locator('#f-summary').fill('Another summary')
  await commit()
  await page.waitForURL(`**/entries/${made.slug}`)
  const revised = await read<Entry>(path)
  assert.deepEqual([revised.revisionCount, revised.content], [2, 'One.\r\nTwo.\n'], 'unedited text has the same bytes')
  await close()
})

test('the text of an existing entry is published again only when the person insists', options, async () => {
  const typed = { title: 'Tides of the moon', summary: 'Twice a day', content: 'The moon pulls.\n\nThe sea follows.' }
  const made = await newEntry(app.url, token, typed)
  const { page, close } = await visit(app.url)
  const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
  const count = async (): Promise<number> =>
    (await read<EntryList>('/api/entries?limit=50')).items.filter(({ content }) => content === typed.content).length
  await page.goto('/publish')
  await becomeActor(page, 'Copyist')
  await fillEntry(page, { ...typed, title: 'The tides of the moon' })
  const sent = writesOf(page)
  await press('Publish')
  const box = page.locator('[data-problem]')
  await box.getByText('An entry with this text exists').waitFor()
  assert.equal(await box.getByRole('link', { name: typed.title }).getAttribute('href'), `/entries/${made.slug}`)
  assert.equal(await box.getByRole('link', { name: 'Revise it' }).getAttribute('href'), `/entries/${made.slug}/revise`)
  await assertAccessible(page, 'the refusal')
  assert.deepEqual([sent, await count()], [[], 1])
  await press('Publish it anyway')
  await page.waitForURL(/\/entries\/the-tides-of-the-moon$/)
  assert.equal(await count(), 2)
  await close()
})

test('a press on a button below offered entries is not lost', options, async () => {
  const entry = await newEntry(app.url, token, { title: 'Lease of a lock' })
  const { page, close } = await visit(app.url, { width: 1_440 })
  await page.goto('/actor')
  await becomeActor(page, 'Presser')
  await page.goto(`/entries/${entry.slug}/contradict`)
  await page.locator('#f-rationale').fill('It expires.')
  await page.locator('#f-support').fill(entry.slug)
  await page.getByRole('option', { name: /Lease of a lock/ }).waitFor()
  await page.getByRole('button', { name: 'Record the result' }).click()
  await page.waitForURL(`**/entries/${entry.slug}/evidence`, { timeout: 10_000 })
  await close()
})
