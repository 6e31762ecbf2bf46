import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { encode } from 'uqr'
import type { Entry, Evidence, Revision } from '../../../src/contract/resources.ts'
import { voicesWords } from '../../../src/memory/evidence/rules.ts'
import { useApp } from '../../support/app.ts'
import { assertAccessible, assertNoOverflow, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry } from '../../support/client.ts'
import { becomeActor, fillEntry, publish } from './taking-part.ts'

const app = useApp()
const options = { skip: NO_BROWSER }
const read = async <T>(path: string): Promise<T> => expectStatus(await call<T>(app.url, 'GET', path), 200)
const record = (page: Page): Promise<void> => page.getByRole('button', { name: /^Record/ }).click()

test('a person creates an actor, an entry, revisions, evidence and a relation', options, async () => {
  const { page, close } = await visit(app.url)
  await page.goto('/publish')
  await becomeActor(page, 'Ada')
  const first = await publish(page, { title: 'Ports', summary: 'What a port is', content: 'A port is a *number*.' })
  await page.goto('/publish')
  await page.getByText('You write as Ada').waitFor()
  const slug = await publish(page, {
    title: 'HTTP',
    summary: 'What listens where',
    content: 'HTTP listens on port 80.',
    tags: ['http', 'Große Töne'],
    sources: [`${app.url}/entries/${first}`],
  })
  const entry = await read<Entry>(`/api/entries/${slug}`)
  assert.equal(entry.content, 'HTTP listens on port 80.')
  assert.deepEqual(entry.tags, ['http', 'Große Töne'])
  assert.equal(entry.actor.declared.name, 'Ada')
  const port = await read<Entry>(`/api/entries/${first}`)

  await page.goto(`/entries/${slug}/revise`)
  await page.locator('#f-content').fill('HTTP listens on port 80, HTTPS on 443.')
  await page.getByLabel('Expand').check()
  await page.locator('#f-rationale').fill('HTTPS was missing.')
  await page.locator('#f-source').fill(`/entries/${first}/revisions/${port.currentRevisionId}`)
  await page.getByRole('button', { name: 'Commit the revision' }).click()
  await page.waitForURL(`**/entries/${slug}`)
  const revised = await read<Entry>(`/api/entries/${slug}`)
  assert.equal(revised.revisionCount, 2)
  const revision = await read<Revision>(`/api/entries/${slug}/revisions/${revised.currentRevisionId}`)
  assert.deepEqual(revision.sources, [{ entryId: port.id, revisionId: port.currentRevisionId }])
  assert.equal(revision.rationale, 'HTTPS was missing.')

  await page.goto(`/entries/${slug}/verify`)
  await page.getByLabel('Could not tell').check()
  await page.getByLabel('Fairly sure').check()
  await page.locator('#f-rationale').fill('Asked a server.')
  await record(page)
  await page.waitForURL(`**/entries/${slug}/evidence`)
  await page.goto(`/entries/${slug}/contradict?revision=${revision.previousRevisionId}`)
  await page.locator('#f-rationale').fill('443 was missing.')
  await page.locator('#f-support').fill(first)
  await record(page)
  await page.waitForURL(`**/entries/${slug}/evidence`)
  const evidence = await read<Evidence>(`/api/entries/${slug}/evidence`)
  assert.deepEqual(
    evidence.verifications.map(({ result, confidence, revisionId }) => [result, confidence, revisionId]),
    [['INCONCLUSIVE', 0.75, revision.id]],
  )
  assert.deepEqual(
    evidence.contradictions.map(({ sourceEntryId, revisionId }) => [sourceEntryId, revisionId]),
    [[port.id, revision.previousRevisionId]],
  )

  await page.goto(`/entries/${slug}/relate`)
  await page.getByLabel('reuses').check()
  await page.locator('#f-target').fill(`${app.url}/entries/${first}`)
  await page.locator('#f-rationale').fill('It says what a port is.')
  await record(page)
  await page.waitForURL(`**/entries/${slug}/relations`)
  const relations = await read<{ items: unknown[] }>(`/api/entries/${slug}/relations`)
  assert.equal(relations.items.length, 1)
  await close()
})

test('a draft is restored after a reload, and removed once it is discarded or sent', options, async () => {
  const { page, close } = await visit(app.url)
  const typed = { title: 'Draft', summary: 'Half', content: 'Half of it', tags: ['half'] }
  await page.goto('/publish')
  await fillEntry(page, typed)
  await page.reload()
  await page.getByText(/Your draft of .* was restored/).waitFor()
  assert.equal(await page.locator('#f-content').inputValue(), 'Half of it')
  assert.equal(await page.locator('[data-tags] li bdi').textContent(), 'half')
  assert.equal(await page.locator('#f-title-count').textContent(), '5 of 180')
  await page.getByRole('button', { name: 'Discard it' }).click()
  assert.equal(await page.locator('#f-title').inputValue(), '')
  assert.equal(await page.locator('[data-tags] li').count(), 0)
  await page.reload()
  assert.equal(await page.locator('#f-content').inputValue(), '')

  await becomeActor(page, 'Drafty')
  await publish(page, typed)
  await page.goto('/publish')
  await page.getByText('You write as Drafty').waitFor()
  assert.equal(await page.locator('#f-content').inputValue(), '')
  await close()
})

test('a token moves to another browser by a QR code, and no request has it in its address', options, async () => {
  const { page, close } = await visit(app.url)
  await page.goto('/actor')
  const token = await becomeActor(page, 'Mover')
  const id = (await page.locator('[data-id]').textContent()) ?? ''
  await page.getByRole('button', { name: 'Show the token' }).click()
  await page.getByRole('button', { name: 'Show it as a QR code' }).click()
  const drawn = await page.getByRole('img', { name: 'QR code of the token' }).locator('path').getAttribute('d')
  const address = `${app.url}/actor#${new URLSearchParams({ token, id })}`
  const { data } = encode(address, { border: 4 })
  assert.equal(drawn?.match(/M/g)?.length, data.flat().filter(Boolean).length)
  await assertAccessible(page, 'the QR code')
  await assertNoOverflow(page, 'the QR code')
  await page.getByRole('button', { name: 'Save the token as a file' }).focus()
  await page.getByRole('img', { name: 'QR code of the token' }).waitFor({ state: 'detached' })
  await close()

  const phone = await visit(app.url, { width: 360, touch: true })
  const seen: string[] = []
  phone.page.on('request', request => seen.push(request.url()))
  await phone.page.goto(address)
  const ask = phone.page.getByRole('button', { name: 'Use this token' })
  await ask.waitFor()
  assert.equal(phone.page.url(), `${app.url}/actor`)
  assert.equal(await phone.page.evaluate("localStorage.getItem('palimpsest.actor')"), null, 'nothing is stored yet')
  await assertAccessible(phone.page, 'the received token')
  await ask.click()
  await phone.page.getByText('You write as Mover').waitFor()
  await phone.page.locator('[data-you]').getByText('Mover').waitFor({ state: 'attached' })
  assert.ok(seen.length > 0 && !seen.some(url => new URL(url).pathname.includes('plm_') || url.includes(`?token`)))
  await phone.page.goto('/publish')
  await phone.page.goto(`/actor#token=plm_${'A'.repeat(33)}`)
  await phone.page.getByText('It replaces the actor of this browser').waitFor()
  await phone.page.getByRole('button', { name: 'Discard it' }).click()
  await phone.page.getByText('You write as Mover').waitFor()
  await phone.close()
})

test('a token is shown, saved, deleted, loaded again and never in an address', options, async () => {
  const { page, close } = await visit(app.url, {}, [401])
  const seen: string[] = []
  page.on('request', request => seen.push(request.url()))
  await page.goto('/actor')
  const token = await becomeActor(page, 'Keeper')
  assert.match(token, /^plm_[0-9A-Za-z]{33}$/)
  const absent = async (): Promise<void> => {
    assert.equal((await page.content()).includes(token), false)
    assert.equal(
      seen.some(url => url.includes(token)),
      false,
    )
  }
  await absent()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the token as a file' }).click(),
  ])
  const path = await file.path()
  assert.ok((await readFile(path, 'utf8')).includes(token))
  await page.reload()
  await page.getByText('You write as Keeper').waitFor()
  await absent()

  await page.getByRole('button', { name: 'Show the token' }).click()
  await page.locator('code.token').getByText(token).waitFor()
  await assertAccessible(page, 'the shown token')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy the token' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), token)
  await page.setViewportSize({ width: 360, height: 800 })
  await assertNoOverflow(page, 'the shown token')
  await page.getByRole('button', { name: 'Save the token as a file' }).focus()
  await page.getByRole('button', { name: 'Show the token' }).waitFor()
  await absent()

  await page.getByRole('button', { name: 'Remove the actor' }).click()
  await page.getByText('You write as Keeper').waitFor()
  await page.getByRole('button', { name: /Press again/ }).click()
  await page.getByRole('button', { name: 'Create the actor' }).waitFor()
  assert.equal(await page.evaluate('JSON.stringify(localStorage)'), '{}')

  await page.getByText('I already have a token').click()
  await page.locator('#f-token').fill(`plm_${'A'.repeat(33)}`)
  await page.getByRole('button', { name: 'Load the token' }).click()
  await page.locator('[data-load]').getByText('ACTOR_TOKEN_INVALID').waitFor()
  await page.locator('#f-token').fill('')
  await page.locator('#f-token-file').setInputFiles(path)
  await page.getByRole('button', { name: 'Load the token' }).click()
  await page.getByText('You write as Keeper').waitFor()
  await absent()
  await close()
})

test('invalid input is reported at its field, in code points and bytes', options, async () => {
  const { page, close } = await visit(app.url)
  await page.goto('/publish')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('Title is missing.').waitFor()
  assert.equal(await page.evaluate('document.activeElement.id'), 'f-title')
  await page.locator('#f-title').fill('😀'.repeat(181))
  await page.locator('#f-summary').fill('S')
  await page.locator('#f-content').fill('漢'.repeat(20_000))
  assert.equal(await page.locator('#f-title-count').textContent(), '181 of 180')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('Title is 1 character too long.').waitFor()
  await page.locator('#f-title').fill('😀'.repeat(180))
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText(/bytes too large for one request/).waitFor()
  await page.locator('#f-tag').fill('no/slash')
  await page.locator('#f-content').fill('Short.')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText(/is not a valid tag/).waitFor()
  await page.locator('#f-tag').fill('')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.waitForURL(/\/entries\//)
  await close()
})

test('while one types, the form shows similar entries with their standing', options, async () => {
  const { token } = await newActor(app.url)
  const storks = await newEntry(app.url, token, { title: 'Migration of storks', summary: '<b>South</b>' })
  const body = { revisionId: storks.currentRevisionId, rationale: 'They stay.' }
  const contradict = `/api/entries/${storks.slug}/contradict`
  expectStatus(await call(app.url, 'POST', contradict, { token: (await newActor(app.url)).token, body }), 201)
  const { page, close } = await visit(app.url, {}, [429])
  const asked: string[] = []
  page.on('request', request => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/api/similar') asked.push(`${searchParams.get('title')}|${searchParams.get('summary')}`)
  })
  await page.goto('/publish')
  await page.locator('#f-title').pressSequentially('Storks')
  await page.getByRole('link', { name: 'Migration of storks' }).waitFor()
  await page.getByText('<b>South</b>').waitFor()
  const phrase = `contradicted, ${voicesWords({ for: 0, against: 1, inconclusive: 0 })}`
  await page.locator('[data-similar]').getByText(phrase).waitFor()
  assert.deepEqual(asked, ['Storks|'], 'one search after a pause')
  await page.locator('#f-summary').pressSequentially('South')
  await page.waitForResponse(/summary=South$/)
  await page.locator('#f-title').fill('Quite another thing')
  await page.locator('[data-similar]').waitFor({ state: 'hidden' })
  await page.route('**/api/similar?*', route =>
    route.fulfill({ status: 429, json: { error: { code: 'RATE_LIMITED' } } }),
  )
  await page.locator('#f-title').fill('Storks again')
  await page.waitForResponse(/title=Storks\+again/)
  assert.equal(await page.locator('[data-similar]').isVisible(), false)
  await close()
})

test('everything can be done by keyboard, the text before the identity', options, async () => {
  const storks = await newEntry(app.url, (await newActor(app.url)).token, { title: 'Where storks fly' })
  const { page, close } = await visit(app.url)
  await page.goto('/publish')
  const reach = async (id: string): Promise<void> => {
    for (let step = 0; step < 60; step += 1) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()')) === id) return
    }
    assert.fail(`${id} is not reached with the Tab key`)
  }
  for (const [id, text] of [
    ['f-title', 'By keys'],
    ['f-summary', 'Typed'],
    ['f-content', 'All of it'],
    ['f-tag', 'keys,'],
  ]) {
    await reach(id ?? '')
    await page.keyboard.type(text ?? '')
  }
  await reach('f-source')
  await page.keyboard.type('storks fly')
  await page.getByRole('option', { name: /^Where storks fly/ }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.locator('[data-sources] li').waitFor()
  await reach('f-declaredName')
  await page.keyboard.type('Keys')
  await page.keyboard.press('Enter')
  await page.locator('code.token').waitFor()
  await reach('I have saved it')
  await page.keyboard.press('Enter')
  await reach('Publish')
  await page.keyboard.press('Space')
  await page.waitForURL(/\/entries\/by-keys$/)
  const entry = await read<Entry>('/api/entries/by-keys')
  assert.deepEqual(entry.tags, ['keys'])
  const { sources } = await read<Revision>(`/api/entries/by-keys/revisions/${entry.currentRevisionId}`)
  assert.deepEqual(sources, [{ entryId: storks.id, revisionId: storks.currentRevisionId }])
  await close()
})

test('the other end of a relation is found by its words, and its title is text', options, async () => {
  const { token } = await newActor(app.url)
  const one = await newEntry(app.url, token, { title: 'Quorum reads' })
  const other = await newEntry(app.url, token, { title: '<img src=x onerror=alert(1)> lease renewal' })
  const { page, close } = await visit(app.url, { width: 360 })
  await page.goto(`/entries/${one.slug}/relate`)
  await page.locator('#f-target').fill('lease renew')
  await page.getByRole('option', { name: /lease renewal/ }).waitFor()
  await assertAccessible(page, 'found entries')
  await assertNoOverflow(page, 'found entries')
  await page.keyboard.press('Escape')
  await page.getByRole('listbox').waitFor({ state: 'hidden' })
  await page.locator('#f-target').fill('lease renewal')
  await page.getByRole('option', { name: /lease renewal/ }).click()
  await page.getByText('Chosen: <img src=x onerror=alert(1)> lease renewal').waitFor()
  assert.equal(await page.locator('#f-target').inputValue(), `/entries/${other.slug}`)
  assert.equal(await page.locator('main img').count(), 0)
  await close()
})

test('an open preview follows the text beside it, and a title from a search is compared at once', options, async () => {
  await newEntry(app.url, (await newActor(app.url)).token, { title: 'Vacuum of swollen tables' })
  const { page, close } = await visit(app.url, { width: 1_440 })
  await page.goto('/publish?title=Vacuum+of+swollen+tables')
  assert.equal(await page.locator('#f-title').inputValue(), 'Vacuum of swollen tables')
  await page.getByRole('link', { name: 'Vacuum of swollen tables' }).waitFor()
  await page.locator('#f-content').fill('First *words*')
  await page.getByRole('button', { name: 'Preview the content' }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.locator('em').getByText('words').waitFor()
  await page.locator('#f-content').fill('Then a **second** text')
  await preview.locator('strong').getByText('second').waitFor()
  const [text, shown] = [await page.locator('#f-content').boundingBox(), await preview.boundingBox()]
  assert.ok(text && shown && shown.x >= text.x + text.width, 'beside the text')
  await assertAccessible(page, 'an open preview')
  await page.getByRole('button', { name: 'Close the preview' }).click()
  await preview.waitFor({ state: 'hidden' })
  await close()
})

test('hostile texts have no effect in any field, and are stored as they were typed', options, async () => {
  const hostile = '"><img src=x onerror=alert(1)><script>alert(2)</script>\u202e{{7*7}}[a](javascript:alert(3))'
  const { page, complaints, close } = await visit(app.url)
  page.on('dialog', dialog => {
    complaints.push(`dialog ${dialog.message()}`)
    dialog.dismiss().catch(() => {})
  })
  await page.goto('/publish')
  await becomeActor(page, hostile)
  const support = await newEntry(app.url, (await newActor(app.url)).token, { title: hostile })
  await fillEntry(page, { title: hostile, summary: hostile, content: hostile, sources: [support.slug] })
  await page.locator('#f-tag').fill(hostile)
  await page.locator('#f-tag').press('Enter')
  await page.getByText('is not a valid tag').waitFor()
  await page.locator('#f-tag').fill('')
  await page.getByRole('button', { name: 'Preview the content' }).click()
  await page.locator('[data-place] p').first().waitFor()
  assert.equal(await page.locator('[data-place] img, [data-place] script, [href^="javascript:"]').count(), 0)
  await page.reload()
  await page.getByText(/Your draft of/).waitFor()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.waitForURL(/\/entries\//)
  const slug = page.url().split('/').at(-1) ?? ''
  const entry = await read<Entry>(`/api/entries/${slug}`)
  assert.deepEqual([entry.title, entry.summary, entry.content], [hostile, hostile, hostile])
  for (const path of ['revise', 'verify', 'contradict', 'relate']) {
    await page.goto(`/entries/${slug}/${path}`)
    await page.getByText('You write as').waitFor()
    assert.equal(await page.locator('main img, main script').count(), 0, path)
  }
  await close()
})
