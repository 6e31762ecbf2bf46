import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PAGES } from '../src/http/status.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The pages of bad days by the anchors of their headings. */
const chapter = /^## Bad days\n(.*?)^## /ms.exec(read('docs/operating.md'))?.[1] ?? ''
const pages = new Map(
  chapter
    .split(/^### /m)
    .slice(1)
    .map(text => [(text.split('\n')[0] ?? '').toLowerCase().replaceAll(' ', '-'), text]),
)

test('each bad day has a page, and a row of doctor or of the status names it', () => {
  assert.ok(pages.size >= 12)
  assert.deepEqual([...new Set(Object.values(PAGES))].sort(), [...pages.keys()].sort())
  const rows = ['src/http/status.ts', ...['doctor', 'store', 'database'].map(name => `src/cli/doctor/${name}.ts`)]
  const sources = rows.map(read).join('\n')
  for (const row of Object.keys(PAGES)) {
    const names = [`what: '${row}'`, `what = '${row}'`, `['${row}', `, `lagging('${row}'`, `ok('${row}'`]
    assert.ok(
      names.some(name => sources.includes(name)),
      `no check makes the row "${row}"`,
    )
  }
})

test('each page says what one sees, what to do in order, and when it is over', () => {
  for (const [name, text] of pages) {
    assert.match(text, /\*\*You see\*\*/, name)
    assert.match(text, /^1\. /m, name)
    assert.match(text, /\*\*It is over\*\*/, name)
  }
})

test('each page names a drill: a test that exists', () => {
  for (const [name, text] of pages) {
    const [, file = '', title = ''] = /Drill: `([^`]+)`, "([^"]+)"\.\n/.exec(text) ?? []
    assert.ok(existsSync(join(root, file)), `${name}: ${file}`)
    assert.ok(read(file).includes(title), `${name}: ${file} has no test "${title}"`)
  }
})

test('each alert and each line of the log that a page names exists', () => {
  const alerts = read('deploy/prometheus.rules.yml')
  const sources = globSync('src/**/*.ts', { cwd: root }).map(read).join('\n')
  let lines = 0
  for (const [name, text] of pages) {
    for (const [, alert = ''] of text.matchAll(/`(Palimpsest\w+)`/g))
      assert.ok(alerts.includes(`alert: ${alert}\n`), `${name}: ${alert}`)
    const seen = /^\*\*You see\*\*.*$/m.exec(text)?.[0] ?? ''
    for (const [, line = ''] of seen.matchAll(/[`"]([A-Za-z]+[: ][^`"]*)[`"]/g)) {
      if (/^palimpsest /.test(line)) continue
      lines += 1
      assert.ok(sources.includes(line), `${name}: the service logs no line "${line}"`)
    }
  }
  assert.ok(lines > 12, `${lines} lines`)
})
