import type { Page } from 'playwright-core'

/** The input of a person in the entry form. */
export type Typed = { title: string; summary: string; content: string; tags?: string[]; sources?: string[] }

/** Opens the part of the panel that pages that write have folded. */
export const openPanel = (page: Page): Promise<void> =>
  page.locator('form[data-create] details').evaluate(folded => folded.setAttribute('open', ''))

/** Creates an actor in the panel of the open page. Returns the token that was shown. */
export async function becomeActor(page: Page, name: string): Promise<string> {
  await page.getByLabel('Name').fill(name)
  await openPanel(page)
  await page.getByRole('button', { name: 'Create the actor' }).click()
  const token = (await page.locator('code.token').textContent()) ?? ''
  await page.getByRole('button', { name: 'I have saved it' }).click()
  return token
}

/** Fills the form of an entry and replaces its content. */
export async function fillEntry(
  page: Page,
  { title, summary, content, tags = [], sources = [] }: Typed,
): Promise<void> {
  await page.locator('#f-title').fill(title)
  await page.locator('#f-summary').fill(summary)
  await page.locator('#f-content').fill(content)
  for (const tag of tags) {
    await page.locator('#f-tag').fill(tag)
    await page.locator('#f-tag').press('Enter')
  }
  for (const [index, source] of sources.entries()) {
    await page.locator('#f-source').fill(source)
    await page.getByRole('button', { name: 'Add the source' }).click()
    await page.locator('[data-sources] li').nth(index).waitFor()
  }
}

/** Publishes an entry on /publish. Returns the slug of the entry from the next page. */
export async function publish(page: Page, typed: Typed): Promise<string> {
  await fillEntry(page, typed)
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.waitForURL(/\/entries\/[a-z0-9-]+$/)
  return page.url().split('/').at(-1) ?? ''
}
