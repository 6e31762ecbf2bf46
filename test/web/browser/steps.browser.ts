import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Entry } from '../../../src/contract/resources.ts'
import { ADMIN_TOKEN, useApp } from '../../support/app.ts'
import { assertNoOverflow, type Look, NO_BROWSER, visit } from '../../support/browser.ts'
import { call, expectStatus, newActor, newEntry, revisionOf } from '../../support/client.ts'

const SPAM = 30
const CONTENT = 'Scale closes the whistle.\n\nVinegar removes it.\n'

let rival = ''
let entry: Entry
const app = useApp({}, async () => {
  rival = (await newActor(app.url, { declaredName: 'Rival' })).token
  const { token } = await newActor(app.url, { declaredName: 'Author' })
  const texts = { title: 'Kettle whistle', summary: 'It fails in winter.', content: 'Scale closes the whistle.\n' }
  const first = await newEntry(app.url, token, { ...texts, tags: ['kettles'] })
  const body = revisionOf(first, { content: CONTENT })
  entry = expectStatus(
    await call<Entry>(app.url, 'POST', `/api/entries/${first.slug}/revisions`, { token: rival, body }),
    201,
  )
  const judge = (await newActor(app.url)).token
  const about = { revisionId: entry.currentRevisionId, rationale: 'It whistled again.' }
  const verdict = { ...about, result: 'SUPPORTED', confidence: 1 }
  expectStatus(await call(app.url, 'POST', `/api/entries/${entry.slug}/verify`, { token: judge, body: verdict }), 201)
  const other = (await newActor(app.url)).token
  const objection = { ...about, rationale: 'It did not whistle.' }
  const path = `/api/entries/${entry.slug}/contradict`
  expectStatus(await call(app.url, 'POST', path, { token: other, body: objection }), 201)
})

/** A person at a page. A step is a press of a link, button or key, a choice, or a field that is filled. */
class Person {
  steps = 0
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }

  async press(target: Locator): Promise<void> {
    this.steps += 1
    await target.click()
  }

  button(name: string): Promise<void> {
    return this.press(this.page.getByRole('button', { name, exact: true }).first())
  }

  async write(field: Locator, text: string): Promise<void> {
    this.steps += 1
    await field.fill(text)
  }

  async key(name: string): Promise<void> {
    this.steps += 1
    await this.page.keyboard.press(name)
  }

  async type(text: string): Promise<void> {
    this.steps += 1
    await this.page.keyboard.type(text)
  }
}

type Task = { look?: Look; allowed?: number[]; from: () => string; run: (person: Person, page: Page) => Promise<void> }
const ofEntry = (): string => `/entries/${entry.slug}`

/** The tasks, by the words of the table in test/README.md. */
const TASKS: Record<string, Task> = {
  'Find an entry, and see whether to trust it and why': {
    from: () => '/',
    async run(person, page) {
      await person.write(page.locator('#hero-q'), 'kettle whistle')
      await person.press(page.locator('.hero').getByRole('button', { name: 'Search' }))
      await person.press(page.locator('.result').getByRole('link', { name: 'Kettle whistle' }).first())
      await page.locator('.standing').getByText('1 of 2 says it holds').waitFor()
      await page.locator('.why').getByText('It did not whistle.').waitFor()
    },
  },
  'Correct a text while a rival revises it': {
    allowed: [409],
    from: ofEntry,
    async run(person, page) {
      await person.press(page.locator('.actions').getByRole('link', { name: 'Revise' }))
      await person.write(page.locator('#f-content'), CONTENT.replace('Vinegar', 'Citric acid'))
      await person.press(page.getByLabel('Correct'))
      await person.write(page.locator('#f-rationale'), 'Vinegar attacks the seal.')
      const body = revisionOf(entry, { content: CONTENT.replace('Scale', 'White scale') })
      expectStatus(await call(app.url, 'POST', `/api${ofEntry()}/revisions`, { token: rival, body }), 201)
      await person.button('Commit the revision')
      await person.button('Commit the merge')
      await page.locator('.column .prose').getByText('Citric acid removes it.').waitFor()
    },
  },
  'See who wrote a sentence': {
    from: ofEntry,
    async run(person, page) {
      await person.press(page.locator('.tabs').getByRole('link', { name: 'Layers' }))
      const part = page.locator('.part', { has: page.locator('.words', { hasText: ' removes it' }) })
      await part.locator('.words').first().hover()
      await part
        .locator('.note', { hasText: /^Revision \d+ by / })
        .first()
        .waitFor()
    },
  },
  'Verify a text': {
    from: ofEntry,
    async run(person, page) {
      await person.button('It held')
      await person.write(page.getByLabel('What did you see?'), 'It whistles.')
      await person.press(page.getByLabel('Certain'))
      await person.button('Record the result')
      await page.getByText('Recorded.').waitFor()
    },
  },
  'Publish by phone': {
    look: { width: 360, touch: true },
    from: () => '/',
    async run(person, page) {
      await assertNoOverflow(page, 'the home page')
      await person.button('Menu')
      await person.press(page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name: 'Publish' }))
      await person.write(page.locator('#f-title'), 'A kettle of copper')
      await person.write(page.locator('#f-summary'), 'It heats evenly.')
      await person.write(page.locator('#f-content'), 'Copper conducts heat well.')
      await person.button('Publish')
      await page.waitForURL('**/entries/a-kettle-of-copper')
    },
  },
  'Follow a topic': {
    from: ofEntry,
    async run(person, page) {
      await person.press(page.locator('.chips').getByRole('link', { name: 'kettles' }))
      await person.button('Follow')
      await page.getByRole('button', { name: 'Unfollow' }).waitFor()
    },
  },
  'Withdraw 30 entries of spam': {
    from: () => '/admin',
    async run(person, page) {
      const { token } = await newActor(app.url, { declaredName: 'Spammer' })
      for (let number = 0; number < SPAM; number += 1) await newEntry(app.url, token, { title: `Buy lamps ${number}` })
      await person.write(page.getByRole('textbox', { name: 'Admin token' }), ADMIN_TOKEN)
      await person.button('Open the console')
      await person.press(page.getByRole('group', { name: 'Views' }).getByRole('button', { name: 'Entries' }))
      await person.write(page.getByLabel('Filter'), 'buy lamps')
      await person.key('Tab')
      await person.key('Space')
      await page.getByText(`${SPAM} selected`).waitFor()
      await person.key('m')
      const dialog = page.getByRole('dialog')
      await person.press(dialog.getByLabel('Quarantine'))
      await person.write(dialog.getByLabel('Reason'), 'Spam')
      await person.press(dialog.getByRole('button', { name: `Quarantine ${SPAM} entries` }))
      await page.getByText(`${SPAM} of ${SPAM} changed.`).waitFor()
    },
  },
  'Move the token to a phone': {
    from: () => '/actor',
    async run(person, page) {
      await person.write(page.getByLabel('Name'), 'Mover')
      await person.button('Create the actor')
      person.steps = 0
      await person.button('I have saved it')
      await person.button('Show the token')
      await person.button('Show it as a QR code')
      await page.getByRole('img', { name: 'QR code of the token' }).waitFor()
      const { token } = JSON.parse((await page.evaluate<string>("localStorage.getItem('palimpsest.actor')")) ?? '{}')
      const phone = await visit(app.url, { width: 360, touch: true }, [400])
      await phone.page.goto(`/actor#token=${token}`)
      await person.press(phone.page.getByRole('button', { name: 'Use this token' }))
      await phone.page.locator('[data-kept]').getByText('You write as').waitFor()
      await phone.close()
    },
  },
  'Cite a revision as BibTeX': {
    from: ofEntry,
    async run(person, page) {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await person.press(page.getByText('Cite', { exact: true }))
      await person.button('Copy as BibTeX')
      await page.getByText('Copied').waitFor()
      assert.match(await page.evaluate<string>('navigator.clipboard.readText()'), /^@misc\{kettle-whistle-r\d/)
    },
  },
  'Find and open an entry by keys alone': {
    from: () => '/',
    async run(person, page) {
      await person.key('/')
      await person.type('kettle whistle')
      await person.key('Enter')
      await page.waitForURL('**/search?q=**')
      await person.key('j')
      await person.key('Enter')
      await page.waitForURL(`**${ofEntry()}`)
    },
  },
}

/** The number of steps of each task, as the table in test/README.md has it. */
const documented = new Map(
  [
    ...readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8').matchAll(/^\| ([A-Z][^|]+) \| (\d+) \|$/gm),
  ].map(([, task = '', steps = '']) => [task, Number(steps)]),
)

test('test/README.md has the number of steps of every task', () => {
  assert.deepEqual([...documented.keys()], Object.keys(TASKS))
})

for (const [name, { look = {}, allowed = [], from, run }] of Object.entries(TASKS)) {
  test(`steps: ${name}`, { skip: NO_BROWSER }, async () => {
    const { page, close } = await visit(app.url, look, allowed)
    await page.goto(from())
    const person = new Person(page)
    await run(person, page)
    assert.equal(person.steps, documented.get(name), name)
    await close()
  })
}
