import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Entry, Evidence } from '../../../src/contract/resources.ts'
import { useApp } from '../../support/app.ts'
import { NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../../support/client.ts'

let rival = ''
const app = useApp({}, async () => {
  rival = (await newActor(app.url, { declaredName: 'Rival' })).token
})

/** How a person operates a page: with a keyboard alone, or with a finger and the keys of a telephone. */
type Hand = {
  press(target: Locator): Promise<void>
  choose(radio: Locator): Promise<void>
  write(field: Locator, text: string): Promise<void>
}

/** Keys that are pressed at most to reach something. */
const KEYS = 300
/** More radio buttons than a group has. */
const GROUP_MAX = 8

type Focusable = { name?: string; type?: string; checked?: boolean }
const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate(
    one => (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement === one,
  )

async function replaceText(page: Page, text: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

function keyboardOf(page: Page): Hand {
  const reach = async (target: Locator, isThere: () => Promise<boolean>): Promise<void> => {
    await target.waitFor()
    for (let key = 0; key < KEYS; key++) {
      if (await isThere()) return
      await page.keyboard.press('Tab')
    }
    assert.fail(`Tab does not reach ${target} on ${page.url()}`)
  }
  return {
    async press(target) {
      await reach(target, () => isFocused(target))
      await page.keyboard.press('Enter')
    },
    async choose(radio) {
      const name = await radio.getAttribute('name')
      const ofGroup = () =>
        page.evaluate(wanted => {
          const { activeElement } = (globalThis as unknown as { document: { activeElement: Focusable } }).document
          return activeElement.type === 'radio' && activeElement.name === wanted
        }, name)
      await reach(radio, ofGroup)
      await page.keyboard.press('Space')
      for (let key = 0; key < GROUP_MAX && !(await radio.isChecked()); key++) await page.keyboard.press('ArrowDown')
      assert.ok(await radio.isChecked())
    },
    async write(field, text) {
      await reach(field, () => isFocused(field))
      await replaceText(page, text)
    },
  }
}

const fingerOf = (page: Page): Hand => ({
  press: target => target.tap(),
  choose: radio => radio.tap(),
  async write(field, text) {
    await field.tap()
    await replaceText(page, text)
  },
})

const HANDS = {
  'by keyboard alone': { handOf: keyboardOf, look: { width: 1_100 } },
  'by touch at 360 px': { handOf: fingerOf, look: { width: 360, touch: true } },
} as const

for (const [how, { handOf, look }] of Object.entries(HANDS)) {
  test(`a reader finds, judges, corrects, verifies and merges ${how}`, { skip: NO_BROWSER }, async () => {
    const title = `Kettle whistle ${how}`
    const content = 'Scale closes the whistle.\n\nVinegar removes it.\n'
    const entry = await newEntry(app.url, rival, { title, summary: 'It fails in winter.', content })
    const address = `/entries/${entry.slug}`
    const now = async () => expectStatus(await call<Entry>(app.url, 'GET', `/api${address}`), 200)
    const { page, close } = await visit(app.url, look, [409])
    const hand = handOf(page)

    await page.goto('/')
    await hand.write(page.locator('#hero-q'), title)
    await hand.press(page.locator('.hero').getByRole('button', { name: 'Search' }))
    await page.waitForURL('**/search?q=**')
    await hand.press(page.locator('.result').getByRole('link', { name: title, exact: true }))
    await page.waitForURL(`**${address}`)

    await hand.press(page.getByRole('button', { name: 'It held' }))
    await hand.write(page.getByLabel('What did you see?'), 'It whistles again.')
    await hand.choose(page.getByLabel('Certain'))
    await hand.press(page.getByRole('button', { name: 'Record the result' }))
    await page.getByText('Recorded.').waitFor()

    await hand.press(page.locator('.actions').getByRole('link', { name: 'Revise' }))
    await page.waitForURL(`**${address}/revise`)
    await hand.write(page.locator('#f-content'), content.replace('Vinegar', 'Citric acid'))
    await hand.choose(page.getByLabel('Correct'))
    await hand.write(page.locator('#f-rationale'), 'Vinegar attacks the seal.')
    await hand.press(page.getByRole('button', { name: 'Commit the revision' }))
    await page.waitForURL(`**${address}`)
    assert.equal((await now()).content, content.replace('Vinegar', 'Citric acid'))

    await page.goto(`${address}/evidence`)
    await hand.press(page.getByRole('link', { name: 'Did it hold?' }))
    await page.waitForURL(`**${address}/verify?**`)
    await hand.choose(page.getByLabel('Could not tell'))
    await hand.choose(page.getByLabel('A guess'))
    await hand.write(page.locator('#f-rationale'), 'One kettle only.')
    await hand.press(page.getByRole('button', { name: 'Record the result' }))
    await page.waitForURL(`**${address}/evidence`)

    await page.goto(`${address}/revise`)
    await hand.write(page.locator('#f-content'), (await now()).content.replace('Scale', 'White scale'))
    await hand.choose(page.getByLabel('Expand'))
    await hand.write(page.locator('#f-rationale'), 'Names the colour.')
    const body = revisionOf(await now(), { content: `${(await now()).content}\nRinse it.\n` })
    expectStatus(await call(app.url, 'POST', `/api${address}/revisions`, { body, token: rival }), 201)
    await hand.press(page.getByRole('button', { name: 'Commit the revision' }))
    await hand.press(page.getByRole('button', { name: 'Put the merge into the form' }))
    await hand.press(page.getByRole('button', { name: 'Commit the revision' }))
    await page.waitForURL(`**${address}`)
    const merged = await now()
    assert.equal(merged.content, 'White scale closes the whistle.\n\nCitric acid removes it.\n\nRinse it.\n')
    assert.equal(merged.revisionCount, 4)
    const { verifications } = expectStatus(await call<Evidence>(app.url, 'GET', `/api${address}/evidence`), 200)
    assert.deepEqual(
      verifications.map(({ result, confidence, rationale }) => [result, confidence, rationale]),
      [
        ['INCONCLUSIVE', 0.25, 'One kettle only.'],
        ['SUPPORTED', 1, 'It whistles again.'],
      ],
    )
    await close()
  })
}
