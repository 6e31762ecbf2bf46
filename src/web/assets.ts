import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../contract/problem.ts'
import type { Page } from './page.ts'

const HERE = import.meta.dirname
const BROWSER = join(HERE, 'browser')
const TLOG = join(HERE, '..', 'tlog')
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
}

const inFolder = (folder: string, ending: RegExp): [string, string][] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(name => ending.test(name))
        .sort()
        .map(name => [name, readFileSync(join(folder, name), 'utf8')])
    : []

/** All modules are served side by side. */
const modules = [...inFolder(BROWSER, /\.js$/), ...inFolder(TLOG, /\.js$/)].map(([name, text]): [string, string] => [
  name,
  text.replaceAll('../../tlog/', './'),
])
const FILES = new Map<string, string>([...inFolder(HERE, /\.(?:css|svg)$/), ...modules])

/** One digest of all files: the relative imports of a module then name the version of the module itself. */
const VERSION = hash('sha256', JSON.stringify([...FILES]), 'base64url').slice(0, 12)

/** The address of a file of `web/` or `browser/` by its name; undefined if there is none. */
export const assetPath = (name: string): string | undefined =>
  FILES.has(name) ? `/assets/${VERSION}/${name}` : undefined

/** Styles, scripts and the logo. Caches may store them permanently. A page of an older version gets the present file, which is not cached. */
export const ASSETS: Page = {
  path: '/assets/{version}/{name}',
  formOf: ({ params: { version, name = '' } }) => (FILES.has(name) ? `${version === VERSION} ${name}` : undefined),
  render({ params: { version, name = '' } }) {
    const body = FILES.get(name)
    if (body === undefined) throw new Problem('ROUTE_NOT_FOUND')
    return { type: TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain', body, immutable: version === VERSION }
  },
}
