import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../src/contract/resources.ts'
import { ADMIN_TOKEN, useApp } from '../../support/app.ts'
import { assertAccessible, assertNoOverflow, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectProblem, expectStatus, newActor, newEntry } from '../../support/client.ts'
import { assertWithdrawn, snapshot } from '../../support/moderation.ts'
import { act, closeDialog, enter, view } from './console.ts'

const app = useApp()
const options = { skip: NO_BROWSER }
const HOSTILE = '<img src=x onerror=alert(1)>\u202egnp.exe'

test('an operator withdraws an entry, sees what is left, and restores it', options, async () => {
  const { token } = await newActor(app.url, { declaredName: 'Spammer' })
  const entry = await newEntry(app.url, token, { title: 'Cheap watches', content: 'Buy cheap watches' })
  const body = { revisionId: entry.currentRevisionId, result: 'SUPPORTED', confidence: 1, rationale: 'Great watches' }
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/verify`, { body, token }), 201)
  const { page, close } = await visit(app.url)
  await enter(page)
  await page.getByRole('button', { name: 'Act on Cheap watches' }).first().click()
  await page.getByRole('dialog').getByText('entry Cheap watches').waitFor()
  await page.getByLabel('Quarantine', { exact: true }).check()
  await page.getByText('accepts no writes').waitFor()
  await act(page, 'Quarantine', 'Advertising')
  await page.getByText('It is now quarantined.').waitFor()
  await closeDialog(page)
  await assertWithdrawn(app.url, entry.slug)
  const left = await visit(app.url, {}, [410])
  for (const path of ['/', '/search?q=watches', '/activity', '/stats', `/entries/${entry.slug}`]) {
    await left.page.goto(path)
    assert.equal(/cheap watches|great watches/i.test(await left.page.locator('main').innerText()), false, path)
  }
  await left.page.getByText('ENTRY_WITHDRAWN').waitFor()
  await left.close()

  await view(page, 'Entries')
  const row = page.getByRole('row').filter({ hasText: 'Cheap watches' })
  await row.getByText('QUARANTINED').waitFor()
  await row.getByRole('button', { name: 'Evidence of Cheap watches' }).click()
  await page.getByText('Great watches').waitFor()
  await view(page, 'Audit')
  await page.getByRole('row').filter({ hasText: 'Advertising' }).getByText(entry.id).waitFor()

  await view(page, 'Entries')
  await row.getByRole('button', { name: 'Act on Cheap watches' }).click()
  await act(page, 'Restore', 'A mistake')
  await closeDialog(page)
  expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${entry.slug}`), 200)
  await close()
})

test('a report by a person is in the console until it is closed', options, async () => {
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token, { title: 'A number to call', content: `Call 555 ${HOSTILE}` })
  const { page, close } = await visit(app.url)
  await page.goto(`/entries/${entry.slug}`)
  await page.getByRole('link', { name: 'Report it to the operator' }).click()
  await page.getByRole('radio', { name: /Private data/ }).check()
  await page.getByRole('textbox', { name: /the operator/ }).fill(`Somebody’s number ${HOSTILE}`)
  await page.getByRole('button', { name: 'Send the report' }).click()
  await page.getByText('The operator has received your report.').waitFor()

  await enter(page)
  await view(page, 'Reports')
  const row = page.getByRole('row').filter({ hasText: 'PRIVATE_DATA' })
  await row.getByText('<img src=x').waitFor()
  await row.getByRole('button', { name: 'Act on A number to call' }).waitFor()
  await row.getByText('Reported text').click()
  await row.getByText('Call 555 <img src=x').waitFor()
  assert.equal(await page.locator('main img').count(), 0)
  await assertAccessible(page, 'a reported text')
  await assertNoOverflow(page, 'a reported text')
  await row.getByRole('button', { name: 'Close as acted on: A number to call' }).click()
  await page.getByText('Open reports, newest first: none.').waitFor()
  await close()
})

test('a record is erased from the evidence of its entry', options, async () => {
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token, { title: 'Erasable' })
  const body = { revisionId: entry.currentRevisionId, rationale: 'Call 555 12' }
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/contradict`, { body, token }), 201)
  const { page, close } = await visit(app.url)
  await enter(page)
  await page.getByRole('button', { name: 'Evidence of Erasable' }).first().click()
  const row = page.getByRole('row').filter({ hasText: 'CONTRADICT' })
  await row.getByText('Call 555 12').waitFor()
  await assertAccessible(page, 'the records of an entry')
  await assertNoOverflow(page, 'the records of an entry')
  await row.getByRole('button', { name: /^Record \d+/ }).click()
  await act(page, 'Erase', 'Asked by the person concerned')
  await page.getByRole('dialog').getByText('It is now erased').waitFor()
  await closeDialog(page)
  await row.getByText('erased').waitFor()
  assert.equal(await page.getByText('Call 555 12').count(), 0)
  const { contradictions } = expectStatus(
    await call<{ contradictions: unknown[] }>(app.url, 'GET', `/api/entries/${entry.slug}/evidence`),
    200,
  )
  assert.deepEqual(contradictions, [])
  await close()
})

test(
  'an actor is quarantined from the evidence of an entry, and an origin blocked and unblocked',
  options,
  async () => {
    const honest = await newActor(app.url, { declaredName: 'Honest' })
    const liar = await newActor(app.url, { declaredName: 'Liar' })
    const entry = await newEntry(app.url, honest.token, { title: 'Judged' })
    const path = `/api/entries/${entry.slug}`
    const body = { revisionId: entry.currentRevisionId, rationale: 'A lie' }
    // From the address of everything else, which is blocked below.
    const headers = { 'x-forwarded-for': '127.0.0.1' }
    expectStatus(await call(app.url, 'POST', `${path}/contradict`, { body, token: liar.token, headers }), 201)
    const { page, close } = await visit(app.url)
    await enter(page)
    const written = page.getByRole('row').filter({ hasText: 'CONTRADICT' }).first()
    await written.getByText('Text', { exact: true }).click()
    await written.getByText('A lie').waitFor()
    await page.getByRole('button', { name: 'Evidence of Judged' }).first().click()
    const lie = page.getByRole('row').filter({ hasText: 'A lie' })
    await lie.getByRole('button', { name: /^Actor/ }).click()
    await act(page, 'Quarantine', 'Lies')
    await closeDialog(page)
    await lie.getByText('withdrawn').waitFor()
    const evidence = expectStatus(await call<{ contradictions: unknown[] }>(app.url, 'GET', `${path}/evidence`), 200)
    assert.deepEqual(evidence.contradictions, [])

    await lie.getByRole('button', { name: /^Origin/ }).click()
    assert.equal(await page.getByRole('dialog').getByLabel('Hide', { exact: true }).count(), 0)
    await act(page, 'Block', 'Abuse')
    await closeDialog(page)
    const write = { body: { title: 'T', summary: 'S', content: 'C' }, token: honest.token }
    expectProblem(await call(app.url, 'POST', '/api/entries', write), 403, 'ORIGIN_BLOCKED')
    await view(page, 'Blocked origins')
    await page
      .getByRole('row')
      .getByRole('button', { name: /^Origin/ })
      .click()
    await act(page, 'Unblock', 'Enough')
    await closeDialog(page)
    expectStatus(await call(app.url, 'POST', '/api/entries', write), 201)
    assert.deepEqual(
      (await snapshot(app.url)).audit.slice(0, 2).map(({ action, reason }) => [action, reason]),
      [
        ['UNBLOCK', 'Enough'],
        ['BLOCK', 'Abuse'],
      ],
    )
    await close()
  },
)

test(
  'the admin token is in no address, no storage and no markup, and gone after a reload or a lock',
  options,
  async () => {
    const { page, context, close } = await visit(app.url, {}, [401])
    const addresses: string[] = []
    page.on('request', request => addresses.push(request.url()))
    await page.goto('/admin')
    await page.getByRole('textbox', { name: 'Admin token' }).fill('wrong')
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByText('This is not the admin token').waitFor()
    await enter(page)
    const hidden = async (): Promise<void> => {
      assert.equal((await page.content()).includes(ADMIN_TOKEN), false)
      assert.equal(await page.evaluate("Array.from(document.querySelectorAll('input'), i => i.value).join('')"), '')
      assert.equal(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])'), '[{},{}]')
      assert.deepEqual(await context.cookies(), [])
    }
    await hidden()
    await page.getByRole('button', { name: 'Lock the console' }).click()
    await page.getByRole('button', { name: 'Open the console' }).waitFor()
    assert.equal(await page.getByRole('table').count(), 0)
    await hidden()
    await enter(page)
    await page.reload()
    await page.getByRole('button', { name: 'Open the console' }).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Queue' }).count(), 0)
    assert.equal(
      addresses.some(address => address.includes(ADMIN_TOKEN)),
      false,
    )
    await close()
  },
)

test('untrusted text has no effect in the console', options, async () => {
  const { token } = await newActor(app.url, { declaredName: HOSTILE })
  const entry = await newEntry(app.url, token, { title: HOSTILE, summary: HOSTILE, content: HOSTILE })
  const { page, close } = await visit(app.url)
  await enter(page)
  await page
    .getByRole('button', { name: /^Evidence of <img/ })
    .first()
    .click()
  await page.getByText(entry.slug).waitFor()
  await page.getByText('Content, unchanged').click()
  assert.ok(((await page.locator('.place h2 .invisible').first().textContent()) ?? '').includes('U+202E'))
  assert.equal(await page.locator('main img').count(), 0)
  for (const name of ['Entries', 'Actors', 'Queue']) {
    await view(page, name)
    await page.getByRole('heading', { name }).waitFor()
    assert.equal(await page.locator('main img').count(), 0)
  }
  await close()
})

test('the console is accessible, light and dark, wide and narrow', options, async () => {
  const { token } = await newActor(app.url, { declaredName: 'Plain' })
  await newEntry(app.url, token, { title: 'Plain' })
  for (const look of [{ width: 1_200 }, { width: 360, dark: true }]) {
    const { page, close } = await visit(app.url, look)
    await page.goto('/admin')
    await assertAccessible(page, 'the door')
    await enter(page)
    for (const name of ['Queue', 'Entries', 'Actors', 'Blocked origins', 'Audit']) {
      await view(page, name)
      await page.getByRole('heading', { name }).waitFor()
      await assertAccessible(page, `${name} ${JSON.stringify(look)}`)
      await assertNoOverflow(page, `${name} ${JSON.stringify(look)}`)
    }
    await view(page, 'Queue')
    await page
      .getByRole('button', { name: /^Act on/ })
      .first()
      .click()
    await assertAccessible(page, `the dialog ${JSON.stringify(look)}`)
    await assertNoOverflow(page, `the dialog ${JSON.stringify(look)}`)
    await close()
  }
})
