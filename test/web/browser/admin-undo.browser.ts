import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../src/contract/resources.ts'
import { startApp } from '../../support/app.ts'
import { assertAccessible, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry } from '../../support/client.ts'
import { moderate, snapshot } from '../../support/moderation.ts'
import { closeDialog, enter, view } from './console.ts'

const options = { skip: NO_BROWSER }

test('a filter stays when its field is left by Enter or Escape', options, async t => {
  const { url, close: stop } = await startApp()
  t.after(stop)
  const { token } = await newActor(url)
  for (const title of ['Lantern one', 'Lantern two', 'Kettle']) await newEntry(url, token, { title })
  const { page, close } = await visit(url)
  await enter(page)
  await view(page, 'Entries')
  for (const key of ['Enter', 'Escape']) {
    await page.keyboard.press('/')
    await page.keyboard.type('lantern')
    await page.keyboard.press(key)
    await page.keyboard.press('a')
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('a')
    await page.getByText('0 selected').waitFor()
    await page.getByLabel('Filter').fill('')
    await page.locator('tbody input').first().focus()
  }
  await close()
})

test('a hundred entries are withdrawn and restored in a few steps by the keyboard', options, async t => {
  const { url, close: stop } = await startApp()
  t.after(stop)
  const { token } = await newActor(url, { declaredName: 'Flood' })
  const MANY = 100
  const floods = await Promise.all(
    Array.from({ length: MANY }, (_, index) => newEntry(url, token, { title: `Flooded ${index}` })),
  )
  const honest = await newEntry(url, token, { title: 'Dry land' })
  const locked = floods[0] as Entry
  const ids = new Set(floods.map(({ id }) => id))
  await moderate(url, 'ENTRY', locked.id, 'BLOCK')
  const statuses = async () => {
    const { entries } = await snapshot(url)
    return Map.groupBy(entries, ({ status }) => status)
  }
  const { page, close } = await visit(url)
  await enter(page)
  await view(page, 'Entries')
  let steps = 0
  const press = async (keys: string): Promise<void> => {
    steps += 1
    await page.keyboard.press(keys)
  }
  await press('/')
  await page.keyboard.type('flooded')
  await press('Tab')
  await press('Space')
  await page.getByText('100 selected').waitFor()
  await press('m')
  await page.getByRole('dialog').getByText('100 entries', { exact: true }).waitFor()
  await page.getByRole('dialog').getByLabel('Quarantine').focus()
  await press('Space')
  await press('Tab')
  await page.keyboard.type('Flood')
  await press('Tab')
  await press('Enter')
  await page.locator('.notice:focus').getByText('100 of 100 changed.').waitFor()
  assert.equal(await page.locator('[data-problem]:visible').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Quarantine 100 entries' }).count(), 0)
  assert.ok(steps <= 10, `${steps} steps`)
  assert.equal((await statuses()).get('QUARANTINED')?.filter(({ id }) => ids.has(id)).length, MANY)
  expectStatus(await call(url, 'GET', `/api/entries/${honest.slug}`), 200)
  await closeDialog(page)
  await press('u')
  const undo = page.getByRole('button', { name: 'Undo the last action: quarantine of 100 entries' })
  await undo.and(page.locator(':focus')).waitFor()
  assert.equal((await statuses()).get('QUARANTINED')?.length, MANY)
  await press('Enter')
  await page.getByText('Undone: 100 of 100 actions.').waitFor()
  const after = await statuses()
  assert.equal(after.get('QUARANTINED')?.filter(({ id }) => ids.has(id)).length ?? 0, 0)
  assert.deepEqual(
    after.get('LOCKED')?.map(({ id }) => id),
    [locked.id],
  )
  await page.getByRole('button', { name: 'Undo the last action' }).and(page.locator(':disabled')).waitFor()
  await press('j')
  await press('x')
  await page.getByText('1 selected').waitFor()
  await close()
})

test('an action is undone after a reload, and every newest change of a target from the audit', options, async t => {
  const { url, close: stop } = await startApp()
  t.after(stop)
  const { token } = await newActor(url)
  const [first, second] = [
    await newEntry(url, token, { title: 'First' }),
    await newEntry(url, token, { title: 'Second' }),
  ]
  const statusOf = async (entry: Entry): Promise<number> =>
    (await call(url, 'GET', `/api/entries/${entry.slug}`)).status
  await moderate(url, 'ENTRY', first.id, 'HIDE')
  await moderate(url, 'ENTRY', second.id, 'QUARANTINE')
  const { page, close } = await visit(url)
  await enter(page)
  await page.getByRole('button', { name: 'Undo the last action: quarantine of 1 entry' }).click()
  await page.getByText('Undone: 1 of 1 actions.').waitFor()
  assert.deepEqual([await statusOf(first), await statusOf(second)], [410, 200])
  await page.reload()
  await enter(page)
  // An undo is not undone by the same button.
  await page.getByRole('button', { name: 'Undo the last action' }).and(page.locator(':disabled')).waitFor()
  await view(page, 'Audit')
  await page.getByRole('checkbox', { name: `Select HIDE ${first.id}` }).check()
  assert.equal(await page.getByRole('checkbox', { name: `Select QUARANTINE ${second.id}` }).count(), 0)
  await assertAccessible(page, 'a selected row of the audit')
  await page.getByRole('button', { name: 'Undo the selected' }).click()
  await page.getByText('Undone: 1 of 1 actions.').waitFor()
  assert.deepEqual([await statusOf(first), await statusOf(second)], [200, 200])
  assert.equal(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'), '[{},{}]')
  await close()
})
