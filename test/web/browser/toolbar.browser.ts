import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { useApp } from '../../support/app.ts'
import { assertAccessible, assertNoOverflow, NO_BROWSER, visit } from '../../support/browser.ts'
import { eventually } from '../../support/process.ts'

const app = useApp()
const options = { skip: NO_BROWSER }

const field = (page: Page) => page.locator('#f-content')
const value = (page: Page): Promise<string> => field(page).inputValue()
const becomes = (page: Page, text: string): Promise<unknown> =>
  eventually(`the content is ${text}`, 10_000, async () => ((await value(page)) === text ? true : undefined))
const tool = (page: Page, name: string) =>
  page.getByRole('toolbar', { name: 'Format the content' }).getByRole('button', { name, exact: true })

/** Writes a text and selects a part of it. */
async function select(page: Page, text: string, selected: string): Promise<void> {
  await field(page).fill(text)
  const from = text.indexOf(selected)
  await page.evaluate(`document.querySelector('#f-content').setSelectionRange(${from}, ${from + selected.length})`)
}

test(
  'each button of the toolbar marks the selection as Markdown, and bold, code and lists are removed again',
  options,
  async () => {
    const { page, close } = await visit(app.url, { width: 320 })
    await page.goto('/publish')
    for (const [name, text, selected, marked] of [
      ['Bold', 'one two', 'two', 'one **two**'],
      ['Code', 'one two', 'two', 'one `two`'],
      ['Code block', 'one\ntwo ``` x', 'two ``` x', 'one\n````\ntwo ``` x\n````'],
      ['Link', 'one two', 'two', 'one [two](https://)'],
      ['Link', 'see https://a.example/', 'https://a.example/', 'see [](https://a.example/)'],
      ['List', 'one\ntwo', 'one\ntwo', '- one\n- two'],
      ['Task list', 'one\ntwo', 'wo', 'one\n- [ ] two'],
      ['Heading', 'one\ntwo', 'one', '## one\ntwo'],
    ] as const) {
      await select(page, text, selected)
      await tool(page, name).click()
      await becomes(page, marked)
      if (name.startsWith('Code b') || name === 'Link') continue
      await tool(page, name).click()
      await becomes(page, text)
    }
    assert.match(
      String(await page.evaluate("getComputedStyle(document.querySelector('#f-content')).fontFamily")),
      /monospace/,
    )
    await assertAccessible(page, 'the toolbar')
    await assertNoOverflow(page, 'the toolbar at 320 px')
    await close()
  },
)

test(
  'keys in the field press the buttons, arrow keys move between them, and undo and redo restore each step',
  options,
  async () => {
    const { page, close } = await visit(app.url)
    await page.goto('/publish')
    await field(page).focus()
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/toolbar.js')),
    )
    await page.keyboard.type('one two')
    await page.keyboard.press('Shift+Control+ArrowLeft')
    await page.keyboard.press('Control+b')
    assert.equal(await value(page), 'one **two**')
    await page.keyboard.type('three')
    await page.keyboard.press('Control+Shift+L')
    assert.equal(await value(page), '- one **three**')
    for (const text of ['one **three**', 'one **two**', 'one two', 'one', '', '']) {
      await page.keyboard.press('Control+z')
      assert.equal(await value(page), text)
    }
    for (const text of ['one', 'one two', 'one **two**', 'one **three**', '- one **three**', '- one **three**']) {
      await page.keyboard.press('Control+Shift+Z')
      assert.equal(await value(page), text)
    }
    assert.match((await page.locator('#f-content-count').textContent()) ?? '', /^15 of/)
    await page.keyboard.press('Shift+Tab')
    assert.equal(await tool(page, 'Bold').evaluate(one => one.matches(':focus')), true)
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await becomes(page, '## - one **three**')
    await close()
  },
)
