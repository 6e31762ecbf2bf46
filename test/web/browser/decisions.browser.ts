import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, ReportReceipt } from '../../../src/contract/resources.ts'
import { ADMIN_TOKEN, useApp } from '../../support/app.ts'
import { assertAccessible, assertNoOverflow, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry } from '../../support/client.ts'
import { moderate } from '../../support/moderation.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u202egnp.exe'

let token: string
let entry: Entry
let report: ReportReceipt
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
  entry = await newEntry(app.url, token)
  const body = { targetType: 'ENTRY', targetId: entry.id, reason: 'SPAM' }
  report = expectStatus(await call<ReportReceipt>(app.url, 'POST', '/api/reports', { body }), 201)
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
})

test('an author reads an act on its text and appeals it, and who reported reads the outcome', {
  skip: NO_BROWSER,
}, async () => {
  const { page, close } = await visit(app.url, {}, [404])
  await page.goto('/decisions')
  await page.getByText('This browser stores no actor.').waitFor()
  await page.evaluate(`localStorage.setItem('palimpsest.actor', ${JSON.stringify(JSON.stringify({ token }))})`)
  await page.reload()
  await page.getByText('Tested: HIDE.').waitFor()
  await page.getByRole('button', { name: 'Appeal', exact: true }).click()
  await page.getByLabel('Why is the act wrong?').fill(HOSTILE)
  await page.getByRole('button', { name: 'Send the appeal' }).click()
  await page.getByText('Your appeal: open').waitFor()
  assert.match(await page.locator('[data-acts]').innerText(), /<img src=x onerror=alert\(1\)>U\+202Egnp\.exe/)
  assert.equal(await page.getByRole('button', { name: 'Appeal', exact: true }).count(), 0)
  await page.getByLabel('Id of the report').fill(report.id)
  await page.getByLabel('Secret').fill('wrong')
  await page.getByRole('button', { name: 'Read the outcome' }).click()
  await page.getByText('No report has this id, or not this secret.').waitFor()
  await page.getByLabel('Secret').fill(report.secret)
  await page.getByRole('button', { name: 'Read the outcome' }).click()
  await page.getByText('The report is open.').waitFor()
  assert.match(await page.locator('[data-read]').innerText(), /HIDE/)
  await assertAccessible(page, '/decisions')
  await page.setViewportSize({ width: 360, height: 800 })
  await assertNoOverflow(page, '/decisions')
  await page.goto('/admin')
  await page.getByRole('textbox', { name: 'Admin token' }).fill(ADMIN_TOKEN)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByRole('button', { name: 'Appeals' }).click()
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByLabel('Hide', { exact: true }).check()
  await page.getByLabel('Private data').check()
  await page.getByLabel('Reason').fill('She is a private person.')
  await page.getByRole('button', { name: 'Hide this entry' }).click()
  await page.getByText('already').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Appeals' }).click()
  await page.getByText('Open appeals, newest first').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Answer' }).count(), 0)
  await page.goto('/decisions')
  await page.getByText('Your appeal: REJECTED').waitFor()
  await page.getByText('She is a private person.').waitFor()
  await page.goto('/moderation')
  await page.getByRole('cell', { name: '1', exact: true }).first().waitFor()
  await assertAccessible(page, '/moderation')
  await assertNoOverflow(page, '/moderation')
  await close()
})
