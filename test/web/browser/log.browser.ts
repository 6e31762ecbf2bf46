import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../src/contract/resources.ts'
import { useApp } from '../../support/app.ts'
import { assertAccessible, assertNoOverflow, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry } from '../../support/client.ts'
import { moderate } from '../../support/moderation.ts'
import { eventually } from '../../support/process.ts'

const RECORDS = 7
const HOSTILE = '<img src=x onerror=alert(1)>\u202egnp.exe'

let entries: Entry[]
const app = useApp({}, async () => {
  const { token } = await newActor(app.url)
  entries = []
  for (let record = 1; record < RECORDS; record++) entries.push(await newEntry(app.url, token))
  const [{ slug, currentRevisionId: revisionId }] = entries as [Entry]
  const body = { revisionId, result: 'SUPPORTED', confidence: 1, rationale: HOSTILE }
  expectStatus(await call(app.url, 'POST', `/api/entries/${slug}/verify`, { body, token }), 201)
  await signed(RECORDS)
})
const options = { skip: NO_BROWSER }
const signed = (record: number): Promise<true> =>
  eventually('a checkpoint', 60_000, async () => {
    const { text } = await call(app.url, 'GET', '/log/checkpoint')
    return Number(text.split('\n')[1]) >= record ? true : undefined
  })

test(
  'a person follows a revision to the public log, where the browser recomputes its proof step by step',
  options,
  async () => {
    const { page, close } = await visit(app.url)
    await page.goto(`/entries/${entries[2]?.slug}/history`)
    await page.getByRole('link', { name: 'record 3' }).click()
    await page.getByText('Record 3 is in the public log, under the signed root of 7 records.').waitFor()
    // One node for each hash, and the root, are computed: they are bold.
    assert.equal(await page.locator('[data-tree] .lit').count(), 4)
    assert.equal(await page.locator('[data-tree] path').count(), 7)
    await page.getByRole('img', { name: 'The path of record 3 to the root of 7 records' }).waitFor()
    assert.equal(await page.locator('[data-steps]').isVisible(), false)
    await page.getByText('The steps').click()
    // Statement, leaf, three hashes up to the root of seven leaves, the root, and the signatures.
    assert.equal(await page.locator('[data-steps] > li').count(), 7)
    const { text } = await call(app.url, 'GET', '/log/checkpoint')
    const root = text.split('\n')[2] ?? ''
    assert.equal(await page.locator('[data-steps] > li').nth(4).locator('code').last().innerText(), root)
    assert.ok((await page.locator('[data-checkpoint]').innerText()).includes(root))
    await page.getByLabel('Number of the record').fill('7')
    await page.getByRole('button', { name: 'Recompute' }).click()
    await page.getByText('Record 7 is in the public log').waitFor()
    assert.match(await page.locator('[data-steps]').innerText(), /<img src=x onerror=alert\(1\)>U\+202Egnp\.exe/)
    await assertAccessible(page, '/log')
    await page.setViewportSize({ width: 360, height: 800 })
    await assertNoOverflow(page, '/log')
    await close()
  },
)

test('a changed proof is reported as invalid, and a missing one as missing', options, async () => {
  const { page, close } = await visit(app.url, {}, [404])
  await page.route('**/api/log/records/2/proof', async route => {
    const answer = await route.fetch()
    const proof = await answer.text()
    const [, extra = ''] = /^extra (.*)$/m.exec(proof) ?? []
    const forged = Buffer.from(extra, 'base64').toString('latin1').replace('EXTERNAL', 'INTERNAL')
    await route.fulfill({
      response: answer,
      body: proof.replace(extra, Buffer.from(forged, 'latin1').toString('base64')),
    })
  })
  await page.goto('/log?record=2')
  await page.getByText('Record 2 is NOT proved.').waitFor()
  assert.equal(await page.locator('[data-tree] path:first-child.lit').count(), 0, 'the root is not computed')
  await page.goto('/log?record=99')
  await page.getByText(/Record 99 is not proved: .* 404 NOT_IN_LOG/).waitFor()
  await close()
})

test('a withdrawn record is still proved by its entry, without its statement', options, async () => {
  const entry = entries.at(-1) as Entry
  await moderate(app.url, 'ENTRY', entry.id, 'HIDE')
  await signed(RECORDS + 1)
  const { page, close } = await visit(app.url)
  await page.goto(`/log?record=${RECORDS - 1}`)
  await page.getByText('Record 6 is in the public log').waitFor()
  await page.getByText('The steps').click()
  const steps = await page.locator('[data-steps]').innerText()
  assert.ok(steps.includes('is not public') && !steps.includes(entry.slug))
  await close()
})

test('without script the page draws a tree, and no path', options, async () => {
  const { page, close } = await visit(app.url, { scripts: false, forcedColors: true })
  await page.goto('/log')
  const { height = 0 } = (await page.getByRole('img', { name: 'A tree of eight records' }).boundingBox()) ?? {}
  assert.ok(height > 100)
  assert.equal(await page.locator('[data-tree] .lit').count(), 0)
  assert.equal(await page.getByText('The steps').isVisible(), false)
  await close()
})
