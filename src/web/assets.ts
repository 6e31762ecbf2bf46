import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Problem } from '../contract/problem.ts'
import type { Page } from './page.ts'

const HERE = import.meta.dirname
const BROWSER = join(HERE, 'browser')
const VERIFY = join(HERE, '..', 'tlog', 'verify')
const MEMORY = join(HERE, '..', 'memory')
const TYPES: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
  png: 'image/png',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
}
const typeOf = (name: string): string => TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain'
/** The pictures that other programs show for a page, drawn by `scripts/images.ts`. */
const IMAGES = ['card.png', 'touch-icon.png', 'favicon.ico']
/**
 * The serif in weights 400 to 700, made by `scripts/serif.ts`: the characters of English, and the accented letters of Western Europe. Other
 * characters use fonts of the reader's system.
 */
const FONTS = ['serif.woff2', 'serif-accents.woff2']

const inFolder = (folder: string, ending: RegExp): [string, string][] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(name => ending.test(name))
        .sort()
        .map(name => [name, readFileSync(join(folder, name), 'utf8')])
    : []

/** The rules that a module imports from `memory` are served within that module, so that they take no request of their own. */
const RULES = new Map(inFolder(MEMORY, /\.js$/).map(([name, text]) => [name, text.replace(/^export /gm, '')]))

/** All modules are served from one directory. Lines that only contain a comment and indentation are removed. */
const modules = [BROWSER, VERIFY]
  .flatMap(folder => inFolder(folder, /\.js$/))
  .map(([name, text]): [string, string] => [
    name,
    text
      .replace(/^import .* from '\.\.\/\.\.\/memory\/([\w-]+\.js)'$/gm, (_, rules: string) => RULES.get(rules) ?? '')
      .replace(/'\.\.\/\.\.\/tlog\/verify\//g, "'./")
      .replace(/(?<= from ')\w+(?=')/g, './$&.js')
      .replace(/^ *(?:\/\*\*?(?:(?!\*\/)[\s\S])*\*\/|\/\/ .*)\n/gm, '')
      .replace(/^ +/gm, ''),
  ])
/** A package that browsers run, with its licence. */
function packaged(name: string): [string, string] {
  const main = fileURLToPath(import.meta.resolve(name))
  const licence = readFileSync(join(dirname(main), '..', 'LICENSE'), 'utf8')
  return [`${name}.js`, `/*\n${licence}*/\n${readFileSync(main, 'utf8')}`]
}

/**
 * The parts of each style sheet in `styles/`, in the order of the cascade. `style.css` is for all pages, `forms.css` for pages with
 * scripts, `admin.css` for the moderation console. Comments and insignificant spaces are removed.
 */
const SHEETS = {
  'style.css':
    'base components controls layout home search lists entry life layers evidence difference history plots relations figures documents problem touch print',
  'forms.css': 'forms conflict',
  'admin.css': 'admin',
}
const sheets = Object.entries(SHEETS).map(([name, parts]): [string, string] => [
  name,
  parts
    .split(' ')
    .map(part => readFileSync(join(HERE, 'styles', `${part}.css`), 'utf8'))
    .join('')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*([{};>])\s*/g, '$1')
    .replaceAll(';}', '}')
    .replace(/([:,])\s+/g, '$1')
    .replace(/(?<=[\s:,(-])0\./g, '.'),
])
const binaries = [...IMAGES, ...FONTS].map((name): [string, Buffer] => [name, readFileSync(join(HERE, name))])
const FILES = new Map<string, string | Buffer>([
  ...sheets,
  ...inFolder(HERE, /\.svg$/),
  ...binaries,
  ...modules,
  packaged('uqr'),
])

/** One digest of all files, so that the relative imports of a module name the same version as the module. */
const VERSION = [...FILES]
  .reduce((digest, [name, body]) => digest.update(`${name}\n${body.length}\n`).update(body), createHash('sha256'))
  .digest('base64url')
  .slice(0, 12)

/** The address of a file of `web/` or `browser/`; undefined if there is no file of that name. */
export const assetPath = (name: string): string | undefined =>
  FILES.has(name) ? `/assets/${VERSION}/${name}` : undefined

const IMPORTS = new Map(
  modules.map(([name, text]) => [
    name,
    [...text.matchAll(/^(?:import|\}).*? from '\.\/([\w-]+\.js)'/gm)].map(([, imported = '']) => imported),
  ]),
)

/** The modules that these modules import, directly or indirectly. A page lists them so that a browser loads them in parallel. */
export function importedBy(names: readonly string[]): string[] {
  const found = new Set(names)
  for (const name of found) for (const imported of IMPORTS.get(name) ?? []) found.add(imported)
  return [...found].slice(names.length)
}

/**
 * Styles, scripts, the serif and the logo. Caches may store them permanently. A page of an older version receives the present file, marked
 * as not cacheable.
 */
export const ASSETS: Page = {
  path: '/assets/{version}/{name}',
  formOf: ({ params: { version, name = '' } }) => (FILES.has(name) ? `${version === VERSION} ${name}` : undefined),
  render({ params: { version, name = '' } }) {
    const body = FILES.get(name)
    if (body === undefined) throw new Problem('ROUTE_NOT_FOUND')
    return { type: typeOf(name), body, immutable: version === VERSION }
  },
}

/** Addresses that browsers request without a link. Their files can change, so caches must revalidate them. */
const ICONS = { '/favicon.ico': 'favicon.ico', '/apple-touch-icon.png': 'touch-icon.png' }
export const ICON_PAGES: readonly Page[] = Object.entries(ICONS).map(([path, name]) => ({
  path,
  render: () => ({ type: typeOf(name), body: FILES.get(name) ?? '' }),
}))
