import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry, Evidence } from '../../../src/contract/resources.ts'
import { useApp } from '../../support/app.ts'
import { assertAccessible, assertNoOverflow, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../../support/client.ts'
import { becomeActor } from './taking-part.ts'

let token = ''
const app = useApp({}, async () => {
  token = (await newActor(app.url)).token
})
const options = { skip: NO_BROWSER }

test('a short text stays in sight while a result is written beside it', options, async () => {
  const entry = await newEntry(app.url, token, { content: 'The valve opens at 3 bar.' })
  const { page, close } = await visit(app.url, { width: 1_440 })
  await page.goto(`/entries/${entry.slug}`)
  await page.getByText('The valve opens').selectText()
  await page.getByRole('button', { name: 'It did not' }).click()
  await page.locator('#f-quote').waitFor()
  assert.equal(await page.locator('#f-quote').inputValue(), 'The valve opens at 3 bar.')
  for (const place of ['#f-support', '#f-name']) {
    await page.locator(place).scrollIntoViewIfNeeded()
    await page.evaluate('scrollBy(0, 500)')
    const box = await page.locator('.prose p').boundingBox()
    assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 900, `${place}: ${JSON.stringify(box)}`)
    await page.evaluate('scrollTo(0, 0)')
  }
  await close()
})

test(
  'a reader without an actor records a result beside the text, by keyboard, and nothing is preselected',
  options,
  async () => {
    const entry = await newEntry(app.url, token)
    const { page, close } = await visit(app.url, { width: 360 })
    const loaded: string[] = []
    page.on('request', request => loaded.push(request.url()))
    await page.goto(`/entries/${entry.slug}`)
    assert.ok(loaded.length <= 4, loaded.join(' '))
    assert.equal(await page.locator('.answers [aria-pressed="true"]').count(), 0)
    for (const name of ['It held', 'It did not', 'Could not tell']) {
      const box = await page.getByRole('button', { name }).boundingBox()
      assert.ok(box !== null && box.height >= 44, name)
    }
    await page.getByRole('button', { name: 'It held' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'What did you see?' }).waitFor()
    await assertAccessible(page, 'an open answer')
    await assertNoOverflow(page, 'an open answer')
    await page.keyboard.type('I ran it twice.')
    await page.getByLabel('Certain').check()
    await page.getByLabel('Your name').fill('A first reader')
    await page.getByRole('button', { name: 'Could not tell' }).click()
    await page.getByRole('button', { name: 'Record the result' }).click()
    await page.getByText('Recorded.').waitFor()
    await assertAccessible(page, 'a recorded answer')
    const path = `/api/entries/${entry.slug}/evidence`
    const { verifications } = expectStatus(await call<Evidence>(app.url, 'GET', path), 200)
    const found = verifications.map(({ result, confidence, rationale, revisionId }) => [
      result,
      confidence,
      rationale,
      revisionId,
    ])
    assert.deepEqual(found, [['INCONCLUSIVE', 1, 'I ran it twice.', entry.currentRevisionId]])
    assert.match(await page.evaluate('localStorage.getItem("palimpsest.actor")'), /plm_/)
    await page.reload()
    await page.getByRole('button', { name: 'Could not tell' }).click()
    await page.getByText('under the actor of this browser').waitFor()
    await close()
  },
)

test('without JavaScript an answer leads to the form for the same revision', options, async () => {
  const entry = await newEntry(app.url, token)
  const { page, close } = await visit(app.url, { scripts: false })
  await page.goto(`/entries/${entry.slug}`)
  await page.getByRole('button', { name: 'It held' }).click()
  await page.waitForURL(`**/entries/${entry.slug}/verify?revision=${entry.currentRevisionId}**`)
  assert.equal(await page.getByText('You judge this exact revision').count(), 1)
  await close()
})

test('a note of a layer shows on focus, inside the window, at every width', options, async () => {
  const entry = await newEntry(app.url, token, { content: 'One sentence. Another sentence that is longer.' })
  for (const width of [360, 1_440]) {
    const { page, close } = await visit(app.url, { width, scripts: width === 1_440 })
    await page.goto(`/entries/${entry.slug}/layers`)
    const ref = page.locator('.layer-text .ref').first()
    await ref.focus()
    const note = ref.locator('.note')
    assert.equal(await page.evaluate('getComputedStyle(document.activeElement.querySelector(".note")).opacity'), '1')
    const box = await note.boundingBox()
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box))
    await assertNoOverflow(page, `layers at ${width} px`)
    await close()
  }
})

test(
  'a slider shows the layers of another revision in place, by keyboard, and by its button without scripts',
  options,
  async () => {
    let entry = await newEntry(app.url, token, { content: 'One is first.' })
    for (const content of ['One is first. Two is second.', 'One is first. Two is second. Three is third.']) {
      const body = revisionOf(entry, { content })
      entry = expectStatus(
        await call<Entry>(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { token, body }),
        201,
      )
    }
    for (const scripts of [true, false]) {
      const { page, close } = await visit(app.url, { width: 360, scripts })
      await page.goto(`/entries/${entry.slug}/layers`)
      await page.getByText('Three is third.').waitFor()
      const slider = page.getByRole('slider', { name: 'Revision' })
      await slider.press('ArrowLeft')
      if (scripts) await page.getByText('2 of 3').waitFor()
      else await page.getByRole('button', { name: 'Show', exact: true }).click()
      await page.getByText('The text of revision 2, with the evidence of today.').waitFor()
      assert.equal(await page.getByText('Three is third.').count(), 0)
      assert.ok(page.url().endsWith('?at=2'), page.url())
      if (scripts) {
        assert.equal(await slider.evaluate(one => one.matches(':focus')), true)
        await assertAccessible(page, 'an earlier revision in layers')
      }
      await assertNoOverflow(page, 'an earlier revision in layers')
      await close()
    }
  },
)

test(
  'the pointer on a revision of the list lights its sentences, and the focus on a sentence lights its revision',
  options,
  async () => {
    const first = await newEntry(app.url, token, { content: 'One is first.' })
    const body = revisionOf(first, { content: 'One is first. Two is second.' })
    expectStatus(await call(app.url, 'POST', `/api/entries/${first.slug}/revisions`, { token, body }), 201)
    const { page, close } = await visit(app.url, { width: 1_440 })
    await page.goto(`/entries/${first.slug}/layers`)
    const isLit = (selector: string): Promise<boolean> =>
      page
        .locator(selector)
        .evaluate(one => !/, 0\)|transparent/.test(one.computedStyleMap().get('background-color')?.toString() ?? ''))
    const [row, part] = ['.layers .ink-0', '.layer-text .part.ink-0']
    assert.deepEqual([await isLit(row), await isLit(part)], [false, false])
    await page.locator(row).hover()
    assert.deepEqual([await isLit(part), await isLit('.layer-text .part.ink-4')], [true, false])
    await page.mouse.move(0, 0)
    assert.equal(await isLit(part), false)
    await page.locator(`${part} .ref`).focus()
    assert.deepEqual([await isLit(row), await isLit('.layers .ink-4')], [true, false])
    await close()
  },
)

test('the number of a layer is a target of 24 px, also beside a link and in a heading', options, async () => {
  const content = '## A heading\n\n![a picture](https://example.com/picture.png)\n\n- [a link](https://example.com/)\n'
  const entry = await newEntry(app.url, token, { title: 'A title that takes more than one line. '.repeat(4), content })
  for (const look of [{ width: 360, touch: true }, { width: 1_440 }]) {
    const { page, close } = await visit(app.url, look)
    await page.goto(`/entries/${entry.slug}/layers`)
    const sizes = await page.locator('.ref').evaluateAll(all =>
      all.map(one => {
        const { width, height } = one.getBoundingClientRect()
        return Math.min(width, height)
      }),
    )
    assert.ok(sizes.length >= 4 && Math.min(...sizes) >= 24, `${sizes}`)
    await assertAccessible(page, `layers at ${look.width} px`)
    await close()
  }
})

test('an earlier revision is found by the filter, and restored to the byte as a new revision', options, async () => {
  const { token } = await newActor(app.url, { declaredName: 'Restorer' })
  const texts = { title: 'Restored', summary: 'A text', content: 'The first text.\n\n  With *marks*.' }
  let entry = await newEntry(app.url, token, texts)
  const first = entry.currentRevisionId
  for (let n = 0; n < 6; n += 1) {
    const body = revisionOf(entry, { content: `Number ${n}.`, ...(n === 3 ? { changeType: 'CORRECT' } : {}) })
    const answer = await call<Entry>(app.url, 'POST', `/api/entries/${entry.slug}/revisions`, { token, body })
    entry = expectStatus(answer, 201)
  }
  for (const look of [{ width: 1_440 }, { width: 360, dark: true }]) {
    const { page, close } = await visit(app.url, look)
    await page.goto(`/entries/${entry.slug}/history`)
    await page.getByLabel('Kind').selectOption('Created')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.waitForURL('**kind=CREATE**')
    assert.equal(await page.locator('li.revision').count(), 1)
    await assertAccessible(page, 'a filtered history')
    await assertNoOverflow(page, 'a filtered history')
    await page.getByRole('link', { name: 'restore revision 1' }).click()
    await page.getByText('The form has the text of').waitFor()
    await assertAccessible(page, 'the form of a restoration')
    await assertNoOverflow(page, 'the form of a restoration')
    if (look.width > 360) {
      await becomeActor(page, 'Restorer')
      await page.getByLabel('Correct').check()
      await page.getByRole('button', { name: 'Commit the revision' }).click()
      await page.waitForURL(`**/entries/${entry.slug}`)
    }
    await close()
  }
  const restored = expectStatus(await call<Entry>(app.url, 'GET', `/api/entries/${entry.slug}`), 200)
  assert.deepEqual([restored.content, restored.revisionCount], [texts.content, 8])
  assert.notEqual(restored.currentRevisionId, first)
})

test('a text that did not hold is contradicted, and marked words become the quote', options, async () => {
  const entry = await newEntry(app.url, token, { content: 'Rinse **it** first.\n\nWait `0 s` here. Dry it.' })
  const other = await newEntry(app.url, token)
  const { page, close } = await visit(app.url)
  await page.goto(`/entries/${entry.slug}`)
  await page.evaluate(`document.getSelection().selectAllChildren(document.querySelectorAll('.prose p')[0])`)
  await page.getByText('Marked: Rinse it first.').waitFor()
  await page.getByRole('button', { name: 'It did not' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Which sentence?').waitFor()
  assert.equal(await page.getByLabel('Which sentence?').inputValue(), 'Rinse **it** first.')
  assert.equal(await page.getByText('How sure are you?').isVisible(), false)
  await assertAccessible(page, 'an open contradiction')
  await page.getByLabel('What did you see?').fill('It leaks.')
  await page.getByLabel('An entry that supports you').fill(`/entries/${other.slug}`)
  await page.getByRole('button', { name: 'Record the result' }).click()
  await page.getByText('Recorded.').waitFor()

  await page.goto(`/entries/${entry.slug}/contradict`)
  await page.getByRole('link', { name: 'Wait `0 s` here.' }).click()
  await page.waitForURL('**/contradict?**quote=**')
  assert.equal(await page.getByLabel('It did not').isChecked(), true)
  await assertAccessible(page, 'a contradiction with a quote')
  await page.locator('#f-rationale').fill('It boils.')
  await page.getByLabel('Which sentence?').fill('Not in it.')
  await page.getByRole('button', { name: 'Record the result' }).click()
  await page.getByText('The revision does not contain the quote.').waitFor()
  await page.getByLabel('Which sentence?').fill('Wait `0 s` here.')
  await page.getByRole('button', { name: 'Record the result' }).click()
  await page.waitForURL('**/evidence')
  const path = `/api/entries/${entry.slug}/evidence`
  const { contradictions } = expectStatus(await call<Evidence>(app.url, 'GET', path), 200)
  assert.deepEqual(
    contradictions.map(one => [one.quote, one.revisionId, one.rationale, one.sourceEntryId]),
    [
      ['Wait `0 s` here.', entry.currentRevisionId, 'It boils.', null],
      ['Rinse **it** first.', entry.currentRevisionId, 'It leaks.', other.id],
    ],
  )
  await close()
})

test('similar entries are read once a reader scrolls to their place, and move nothing', options, async () => {
  const summary = 'Scale closes the whistle.'
  const titleOf = (part: number): string =>
    `Kettle whistle fails in winter, in the north and in the mountains, part ${part}`
  const [entry, ...others] = await Promise.all(
    [1, 2, 3, 4].map(part => newEntry(app.url, token, { title: titleOf(part), summary })),
  )
  for (const width of [360, 1_440]) {
    const { page, close } = await visit(app.url, { width })
    await page.addInitScript(`globalThis.shifts = []
      new PerformanceObserver(list => shifts.push(...list.getEntries().map(one => one.value)))
        .observe({ type: 'layout-shift', buffered: true })`)
    await page.setViewportSize({ width, height: 400 })
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    await page.goto(`/entries/${entry?.slug}`)
    const part = page.locator('[data-later]')
    assert.deepEqual([await part.getByRole('link').count(), asked.filter(path => /relations/.test(path))], [1, []])
    await part.scrollIntoViewIfNeeded()
    await part.locator(`a[href="/entries/${others[0]?.slug}"]`).waitFor()
    assert.equal(await part.locator('li').count(), 3)
    await assertAccessible(page, 'similar entries')
    await assertNoOverflow(page, 'similar entries')
    assert.deepEqual(await page.evaluate('shifts'), [])
    await close()
  }
})

test('code is copied by a button that takes no room and is reached by keyboard', options, async () => {
  const content = 'Run it:\n\n```sh\nnpm ci && npm start\n```\n\nThen wait.\n'
  const entry = await newEntry(app.url, token, { content })
  for (const look of [{ width: 1_100 }, { width: 360, touch: true }]) {
    const { page, context, close } = await visit(app.url, look)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`/entries/${entry.slug}`)
    const copy = page.getByRole('button', { name: 'Copy code' })
    const [code, button] = [await page.locator('.prose pre').boundingBox(), await copy.boundingBox()]
    assert.ok(code !== null && button !== null)
    assert.ok(
      button.y >= code.y && button.y + button.height <= code.y + code.height + 8,
      JSON.stringify([code, button]),
    )
    assert.ok(button.height >= (look.touch ? 44 : 24), `${button.height} px`)
    await page.locator('.prose pre').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'npm ci && npm start\n')
    await assertAccessible(page, 'copied code')
    await assertNoOverflow(page, 'copied code')
    await close()
  }
})
