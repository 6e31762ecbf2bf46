import type { Page } from 'playwright-core'
import { ADMIN_TOKEN } from '../../support/app.ts'

/** Opens the moderation console and enters the admin token. */
export async function enter(page: Page): Promise<void> {
  await page.goto('/admin')
  await page.getByRole('textbox', { name: 'Admin token' }).fill(ADMIN_TOKEN)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByRole('heading', { name: 'Queue' }).waitFor()
}
/** Performs an action in the open dialog and waits for its result. */
export async function act(page: Page, action: string, reason: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(action, { exact: true }).check()
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByRole('button', { name: new RegExp(`^${action} this`) }).click()
  await dialog.getByText(/Done\.|It was already in this state/).waitFor()
}
export const closeDialog = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
}
/** Opens a view of the console by its name. */
export const view = (page: Page, name: string): Promise<void> =>
  page.getByRole('group', { name: 'Views' }).getByRole('button', { name, exact: true }).click()
