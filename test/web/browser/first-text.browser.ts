import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../src/contract/resources.ts'
import { useApp } from '../../support/app.ts'
import { NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus } from '../../support/client.ts'
import { fillEntry } from './taking-part.ts'

const app = useApp()
const options = { skip: NO_BROWSER }

test('a first text and its actor need one press', options, async () => {
  const { page, close } = await visit(app.url)
  await page.goto('/publish')
  await fillEntry(page, { title: 'One press', summary: 'Sent at once', content: 'The actor came with the text.' })
  await page.locator('#f-declaredName').fill('Newcomer')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.waitForURL(/\/entries\/one-press/)
  const entry = expectStatus(await call<Entry>(app.url, 'GET', '/api/entries/one-press'), 200)
  assert.equal(entry.actor.declared.name, 'Newcomer')
  await page.goto('/actor')
  await page.getByText('You write as Newcomer').waitFor()
  await close()
})

test('a browser that stores nothing asks for the actor first', options, async () => {
  const { page, close } = await visit(app.url)
  await page.addInitScript('Object.defineProperty(window, "localStorage", { get() { throw new Error("no storage") } })')
  await page.goto('/publish')
  await fillEntry(page, { title: 'Unkept', summary: 'A token', content: 'It would be lost.' })
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('this browser stores no token').waitFor()
  assert.equal(await page.evaluate('document.activeElement.id'), 'f-declaredName')
  await page.getByRole('button', { name: 'Create the actor' }).click()
  await page.getByText('It is shown only once').waitFor()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.waitForURL(/\/entries\/unkept/)
  await close()
})
