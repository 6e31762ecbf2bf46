import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { atEnd } from './at-end.ts'
import { missing, pathOf } from './programs.ts'

const CHROMIUM = pathOf('chromium') ?? 'chromium'
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PATIENCE = 30_000

/** The properties of a browser window. Width in CSS pixels. */
export type Look = { width?: number; dark?: boolean; forcedColors?: boolean; scripts?: boolean; touch?: boolean }

/** A page in its own browser context, and the errors that occurred in it. */
export type Visit = {
  page: Page
  context: BrowserContext
  /** Console errors, uncaught errors, requests to other hosts and failed requests, in order. */
  complaints: string[]
  /** Asserts that there are no errors, and closes the page. */
  close(): Promise<void>
}

/** The reason to skip a test that needs a browser; false if there is one. */
export const NO_BROWSER = missing('chromium')

/** The browser of this process, which the first page starts. It is closed after all tests. */
let browser: Promise<Browser> | undefined
atEnd(async () => (await browser)?.close())

/** Opens a page on a base address. `allowed` has the 4xx statuses of the API that are expected and not recorded as errors. */
export async function visit(base: string, look: Look = {}, allowed: number[] = []): Promise<Visit> {
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  const context = await (await browser).newContext({
    baseURL: base,
    viewport: { width: look.width ?? 1_100, height: 900 },
    colorScheme: look.dark ? 'dark' : 'light',
    forcedColors: look.forcedColors ? 'active' : 'none',
    reducedMotion: 'reduce',
    javaScriptEnabled: look.scripts ?? true,
    acceptDownloads: true,
    hasTouch: look.touch ?? false,
    isMobile: look.touch ?? false,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE)
  const complaints: string[] = []
  page.on('console', message => {
    const refused = /status of (\d+)/.exec(message.text())?.[1]
    if (refused !== undefined && allowed.includes(Number(refused))) return
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', error => complaints.push(`error: ${error.message}`))
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(`${base}/`) && !/^(?:data|blob):/.test(url)) complaints.push(`request to ${url}`)
  })
  const close = async (): Promise<void> => {
    assert.deepEqual(complaints, [])
    await context.close()
  }
  return { page, context, complaints, close }
}

type Axe = { run(options: unknown): Promise<{ violations: Violation[] }> }
type Violation = { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Asserts that axe-core finds no violation of WCAG 2.2 AA on the current page; with `rules`, no violation of these rules. */
export async function assertAccessible(page: Page, name: string, rules?: readonly string[]): Promise<void> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(AXE)
  const runOnly = rules === undefined ? { type: 'tag', values: WCAG } : { type: 'rule', values: rules }
  const violations = await page.evaluate(async only => {
    const { axe } = globalThis as unknown as { axe: Axe }
    return (await axe.run({ runOnly: only, resultTypes: ['violations'] })).violations
  }, runOnly)
  const violated = violations.map(({ id, help, nodes }) =>
    [`${id}: ${help}`, ...nodes.slice(0, 3).map(node => `  ${node.html}\n  ${node.failureSummary ?? ''}`)].join('\n'),
  )
  assert.deepEqual(violated, [], name)
}

/** Asserts that the page as a whole never scrolls horizontally. */
export async function assertNoOverflow(page: Page, name: string): Promise<void> {
  const [content, view] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )
  assert.ok(content <= view, `${name}: ${content} px in ${view} px`)
}
