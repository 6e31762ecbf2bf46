import { startApp, type TestApp } from '../../support/app.ts'
import { type Look, type Visit, visit } from '../../support/browser.ts'
import { type SeededPages, seedPages } from '../../support/page-table.ts'

/** A service with the sample, and a browser for its pages. */
export type SeededSite = { url: string; seeded: SeededPages; visit(look?: Look): Promise<Visit> }

/** Starts a service and writes to it. It ends with the tests of this process. */
export async function openSeededSite(write: (app: TestApp) => Promise<SeededPages> = seedPages): Promise<SeededSite> {
  const app = await startApp()
  return { url: app.url, seeded: await write(app), visit: look => visit(app.url, look) }
}
