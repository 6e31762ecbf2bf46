import { html } from './html.ts'
import type { Page } from './page.ts'

/** What this is, what happens here, and the first step. */
export const HOME: Page = {
  path: '/',
  as: 'readStats',
  render: () => ({ title: 'Palimpsest', body: html`<h1>Palimpsest</h1>` }),
}
