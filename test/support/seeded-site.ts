import { startApp, type TestApp } from './app.ts'
import { type Look, openBrowser, type Visit, visit } from './browser.ts'
import { type SeededPages, seedPages } from './page-table.ts'

/** A service with the sample, and a browser for its pages. */
export type SeededSite = { url: string; seeded: SeededPages; visit(look?: Look): Promise<Visit> }

/** Starts a service, writes to it, and starts a browser. Both end with the tests of this process. */
export async function openSeededSite(write: (app: TestApp) => Promise<SeededPages> = seedPages): Promise<SeededSite> {
  const app = await startApp()
  const browser = await openBrowser()
  return { url: app.url, seeded: await write(app), visit: look => visit(browser, app.url, look) }
}
