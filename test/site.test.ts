import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { buildSite } from '../scripts/build-site.ts'
import { makeDirectory } from './support/process.ts'

const directory = makeDirectory()
after(() => directory.remove())
const site = join(directory.path, 'site')
const pages = buildSite(site)
const read = (path: string): string => readFileSync(join(site, path), 'utf8')
const PAGES = globSync('**/*.html', { cwd: site })

test('every document is a page of the site', () => {
  assert.equal(PAGES.length, pages)
  for (const document of globSync(['*.md', 'docs/**/*.md'], { cwd: join(import.meta.dirname, '..') })) {
    const page = document.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html')
    assert.ok(PAGES.includes(page), document)
  }
})

test('every link and every picture of the site leads to a file and a heading that exist', () => {
  for (const page of PAGES) {
    for (const [, address = ''] of read(page).matchAll(/ (?:href|src)="([^"]+)"/g)) {
      if (/^(?:https?|mailto):/.test(address)) continue
      const [path = '', anchor] = address.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      assert.ok(existsSync(join(site, target)), `${page} links to ${address}`)
      if (anchor !== undefined)
        assert.ok(read(target).includes(` id="${decodeURIComponent(anchor)}"`), `${page}: ${address}`)
    }
  }
})

test('a page of the site has one heading of the first level, runs no script and loads nothing from other hosts', () => {
  for (const page of PAGES) {
    const text = read(page)
    assert.equal([...text.matchAll(/<h1[ >]/g)].length, 1, page)
    assert.doesNotMatch(text, /<script|<iframe| src="https?:|<link[^>]+href="https?:/, page)
  }
})
