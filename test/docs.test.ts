import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { GENERATED_DOCS } from '../scripts/docs.ts'
import { SETTINGS } from '../src/config.ts'
import { OPERATIONS } from '../src/contract/operations.ts'
import { PROBLEMS } from '../src/contract/problems.ts'
import { GROUNDS } from '../src/contract/vocabulary.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

for (const [path, made] of Object.entries(GENERATED_DOCS)) {
  test(`${path} equals the generated document (npm run docs)`, () => {
    assert.equal(read(path), made())
  })
}

test('every link between documents leads to an existing file', () => {
  const documents = globSync('**/*.md', { cwd: root, exclude: ['node_modules/**'] })
  assert.ok(documents.length > 10)
  for (const document of documents) {
    for (const [, target = ''] of read(document).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^(?:https?:|mailto:|\/)/.test(target)) continue
      assert.ok(existsSync(join(root, dirname(document), target)), `${document} links to ${target}`)
    }
  }
})

test('the README of the tests names every folder of tests and of their support', () => {
  const text = read('test/README.md')
  for (const folder of globSync('test/*/', { cwd: root })) {
    const name = basename(folder)
    if (name !== 'support') assert.ok(text.includes(`| \`${name}\``), `test/README.md does not name ${name}`)
  }
})

test('every npm script that a document names exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  for (const document of globSync(['*.md', 'docs/**/*.md'], { cwd: root })) {
    for (const [, name = ''] of read(document).matchAll(/npm run ([a-z:]+)/g))
      assert.ok(name in scripts, `${document}: npm run ${name}`)
  }
})

test('every setting, problem and operation that a document names exists', () => {
  const names = new Set([
    ...Object.values(SETTINGS).flatMap(({ name }) => [name, `${name}_FILE`]),
    ...Object.keys(PROBLEMS),
    ...GROUNDS,
    // OpenTelemetry itself reads these.
    ...['OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES'],
  ])
  const paths = new Set(Object.values(OPERATIONS).map(({ path }) => path.replaceAll(/\{\w+\}/g, '{}')))
  for (const document of ['README.md', 'docs/operating.md']) {
    for (const [, name = ''] of read(document).matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=[^`]*)?`/g)) {
      assert.ok(names.has(name), `${document} names ${name}`)
    }
    for (const [, path = ''] of read(document).matchAll(/`(?:GET|POST) (\/api\/[^`\s?]*)/g)) {
      assert.ok(paths.has(path.replaceAll(/\{\w+\}/g, '{}')), `${document} names ${path}`)
    }
  }
})

test('every decision record has a context, a decision and consequences', () => {
  const records = globSync('docs/decisions/*.md', { cwd: root }).filter(path => !path.endsWith('README.md'))
  assert.ok(records.length >= 5)
  for (const record of records) {
    for (const heading of ['## Context', '## Decision', '## Consequences'])
      assert.ok(read(record).includes(heading), `${record}: ${heading}`)
  }
})
