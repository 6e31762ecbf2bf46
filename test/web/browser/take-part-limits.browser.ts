import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { NO_BROWSER, visit } from '../../support/browser.ts'
import { eventually } from '../../support/process.ts'
import { becomeActor, fillEntry, publish } from './taking-part.ts'

const COOLDOWN = 5
/** The clock of the service does not advance: the test ends a cooldown itself, independent of the speed of the browser. */
const at = Date.now()

let app: TestApp
before(async () => {
  if (NO_BROWSER) return
  app = await startApp({ COOLDOWN_SECONDS: String(COOLDOWN) }, { now: () => at })
})
const options = { skip: NO_BROWSER }
const typed = { title: 'Soon', summary: 'Too soon', content: 'Again' }

test(
  'a temporary refusal counts down, retains the typed text, and enables the form when the wait is over',
  options,
  async () => {
    const { page, close } = await visit(app.url, {}, [429])
    await page.goto('/publish')
    await becomeActor(page, 'Hasty')
    await publish(page, { ...typed, content: 'First' })
    await page.goto('/publish')
    await fillEntry(page, typed)
    const send = page.getByRole('button', { name: 'Publish', exact: true })
    await send.click()
    await page.getByText('You sent a write of this kind too soon').waitFor()
    const left = page.locator('[data-left]')
    const seconds = Number(await left.textContent())
    assert.ok(seconds >= 1 && seconds <= COOLDOWN, String(seconds))
    assert.equal(await send.getAttribute('aria-disabled'), 'true')
    await page.getByText('You can send it now.').waitFor()
    assert.equal(await send.getAttribute('aria-disabled'), 'false')
    assert.equal(await page.locator('#f-content').inputValue(), 'Again')
    app.advance(COOLDOWN * 1_000)
    await send.click()
    await page.waitForURL(/\/entries\/soon-/)
    await close()
  },
)

test('without an answer no text is lost, and the page reports no failure', options, async () => {
  app.advance(COOLDOWN * 1_000)
  const { page, context } = await visit(app.url)
  await page.goto('/publish')
  await becomeActor(page, 'Cut off')
  await fillEntry(page, typed)
  await context.setOffline(true)
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('It may or may not have been stored').waitFor()
  assert.equal(await page.locator('#f-content').inputValue(), 'Again')
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.waitForURL(/\/entries\//)
  // The browser reports the requests that got no answer.
  await context.close()
})

test('a page that writes too soon shows how long to wait, and counts down', options, async () => {
  const strict = await startApp({ READ_LIMIT_PER_MINUTE: '1' })
  const { page, close } = await visit(strict.url, {}, [429])
  await page.goto('/activity')
  const refused = await page.goto('/activity')
  assert.equal(refused?.status(), 429)
  const left = page.locator('[data-retry-after]')
  const first = Number(await left.textContent())
  assert.ok(first >= 1 && first <= 60, String(first))
  await eventually('the count goes down', 5_000, async () => Number(await left.textContent()) < first || undefined)
  await close()
  await strict.close()
})
