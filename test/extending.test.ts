import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Entry, Revision } from '../src/contract/resources.ts'
import { call, expectStatus, newActor } from './support/client.ts'

const ROOT = join(import.meta.dirname, '..')
/** A field of an entry touches at most so many files, besides generated ones. */
const FIELD_FILES = 9

type Step = { path: string; kind: string; lines: string[] }
type Recipe = { title: string; steps: Step[] }

/** The recipes of docs/extending.md: each file with the lines to add, or with its whole text. */
function recipes(): Recipe[] {
  const text = readFileSync(join(ROOT, 'docs/extending.md'), 'utf8')
  const [, ...sections] = text.split(/^## /m)
  return sections.map(section => ({
    title: section.slice(0, section.indexOf('\n')),
    steps: [...section.matchAll(/`([\w./-]+)`:\n\n {3}```(\w+)\n([\s\S]*?) {3}```\n/g)].map(
      ([, path = '', kind = '', block = '']) => ({
        path,
        kind,
        lines: block
          .replace(/\n$/, '')
          .split('\n')
          .map(line => line.replace(/^ {3}/, '')),
      }),
    ),
  }))
}

/** Applies the lines of a difference to a text. Each line that stays or goes must occur after the one before, next to it unless `…` is between them. */
function patched(text: string, { path, lines }: Step): string {
  const source = text.split('\n')
  const out: string[] = []
  let at = 0
  let anywhere = true
  const rest: string[] = []
  /** Lines to add before the next line that is found. */
  let before: string[] = []
  const matches = (line: string, pattern: string): boolean =>
    pattern.endsWith('…') ? line.startsWith(pattern.slice(0, -1)) : line === pattern
  for (const line of lines) {
    const [sign, pattern] = [line[0] ?? ' ', line.slice(1)]
    if (sign === '+') {
      const line = pattern.endsWith('…') && rest.length > 0 ? pattern.slice(0, -1) + rest.shift() : pattern
      if (anywhere) before.push(line)
      else out.push(line)
      continue
    }
    if (pattern === '…') {
      anywhere = true
      continue
    }
    const found = anywhere ? source.findIndex((one, index) => index >= at && matches(one, pattern)) : at
    assert.ok(found >= 0 && matches(source[found] ?? '', pattern), `${path} has no line "${pattern}" there`)
    out.push(...source.slice(at, found), ...before)
    before = []
    if (sign === '-' && pattern.endsWith('…')) rest.push((source[found] ?? '').slice(pattern.length - 1))
    if (sign !== '-') out.push(source[found] ?? '')
    at = found + 1
    anywhere = false
  }
  return [...out, ...source.slice(at)].join('\n')
}

/** A copy of the project in which all recipes were followed. */
function extended(t: TestContext): string {
  const copy = mkdtempSync(join(tmpdir(), 'palimpsest-extended-'))
  t.after(() => rmSync(copy, { recursive: true, force: true }))
  for (const part of [
    'src',
    'docs',
    'scripts',
    'test',
    'bench',
    'bin',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'README.md',
    'CONTRIBUTING.md',
    'ARCHITECTURE.md',
  ])
    cpSync(join(ROOT, part), join(copy, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  for (const { steps } of recipes()) {
    for (const step of steps) {
      const file = join(copy, step.path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(
        file,
        step.kind === 'diff' ? patched(readFileSync(file, 'utf8'), step) : `${step.lines.join('\n')}\n`,
      )
    }
  }
  return copy
}

/** Runs Node in the copy, and asserts that it succeeds. */
function run(copy: string, ...args: string[]): void {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, env, encoding: 'utf8' })
  assert.equal(status, 0, `${args.join(' ')}\n${stdout}\n${stderr}`)
}

test('the guide leads to an operation, a field, an index, a page, a tool, a pattern and a setting that work', async t => {
  const field = recipes().find(({ title }) => title === 'A field of an entry')
  const files = new Set(field?.steps.map(({ path }) => path))
  assert.ok(files.size > 5 && files.size <= FIELD_FILES, `${files.size} files`)
  const copy = extended(t)
  run(copy, 'scripts/generate-docs.ts')
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      include: ['src'],
      files: ['test/acceptance/first.test.ts'],
      exclude: ['src/web/browser', '**/*.test.ts'],
    }),
  )
  run(copy, 'node_modules/typescript/bin/tsc', '--noEmit', '-p', '.')
  run(copy, '--test', 'test/architecture.test.ts', 'test/database/plans.test.ts', 'test/acceptance/first.test.ts')
  const { startApp } = (await import(join(copy, 'test/support/app.ts'))) as typeof import('./support/app.ts')
  const app = await startApp({ FOOTER: 'Open on Sundays.' }, { engine: 'embedded' })
  t.after(() => app.close())
  const { token } = await newActor(app.url)
  const body = { title: 'Tea', summary: 'A drink', content: 'Leaves in water.', language: 'en-GB' }
  const created = expectStatus(await call(app.url, 'POST', '/api/entries', { token, body }), 201) as Entry
  assert.equal((created as Entry & { language: string }).language, 'en-GB')
  const { currentRevisionId: previousRevisionId } = created
  const { language: _, ...text } = body
  const revised = { ...text, content: 'Changed.', previousRevisionId, changeType: 'CORRECT', rationale: 'Because.' }
  expectStatus(await call(app.url, 'POST', '/api/entries/tea/revisions', { token, body: revised }), 201)
  const sealed = { title: 'Seal', summary: 'A seal', content: 'It carries the seal of trust.' }
  const flagged = expectStatus(await call(app.url, 'POST', '/api/entries', { token, body: sealed }), 201) as Entry
  assert.deepEqual(flagged.signals, ['CLAIMS_TRUST'])
  const first = await call(app.url, 'GET', '/api/entries/tea/first')
  assert.equal((expectStatus(first, 200) as Revision).content, body.content)
  const line = (await (await fetch(`${app.url}/api/export`)).text())
    .split('\n')
    .find(one => one.includes('"type":"entry"'))
  assert.match(line ?? '', /"language":"en-GB"/)
  const page = await (await fetch(`${app.url}/entries/tea/first`, { headers: { accept: 'text/html' } })).text()
  assert.match(page, /Leaves in water\.[\s\S]*Open on Sundays\./)
  const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'first', arguments: { entry: 'tea' } } }
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const shown = await fetch(`${app.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(asked) })
  assert.ok((await shown.text()).includes(previousRevisionId))
})
