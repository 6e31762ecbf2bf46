import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Entry } from '../../../src/client/index.ts'
import { useApp } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { type Ended, expectDone, expectRefusal } from '../command.ts'
import { commandLine } from './in-process.ts'

const { inProcess, scratch } = commandLine()
const app = useApp()
const other = useApp()
const run = (args: readonly string[], url = app.url): Promise<Ended> => inProcess([...args, '--url', url])
const read = async (slug: string, url = app.url) => (await call(url, 'GET', `/api/entries/${slug}`)).body as Entry

/** A folder with these files. */
function folderOf(name: string, files: Record<string, string | Uint8Array>): string {
  const folder = join(scratch(), name)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}
const textsIn = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]))

test('import takes a folder of notes once, shows first what it would do, and revises a note that changed', async () => {
  const folder = folderOf('vault', {
    'kiln.md':
      '---\ntitle: "Kiln: slow cooling"\ntags:\n  - pottery/kiln\n  - "#glaze"\naliases: [x]\n---\n# Kiln\n\nCool it overnight.\n',
    'deep/door.md': '# Kiln door\n\nThe hinge bends.\n',
    'plain.md': '- No heading here\n',
    '.obsidian/cache.md': 'no note',
    'image.png': 'no note',
  })
  const planned = expectDone(await run(['import', folder, '--dry-run']))
  assert.equal(planned.match(/^new /gm)?.length, 3, planned)
  assert.equal((await call(app.url, 'GET', '/api/entries/kiln-door')).status, 404)
  const first = await run(['import', folder])
  expectDone(first)
  assert.match(first.stderr, /^3 new, 0 changed, 0 the same, 0 refused\.$/m)
  const { title, summary, content, tags } = await read('kiln-slow-cooling')
  assert.deepEqual(
    [title, summary, content, tags],
    ['Kiln: slow cooling', 'Cool it overnight.', '# Kiln\n\nCool it overnight.', ['pottery kiln', 'glaze']],
  )
  assert.equal((await read('plain')).summary, 'No heading here')
  writeFileSync(join(folder, 'deep/door.md'), '# Kiln door\n\nThe hinge bends in heat.\n')
  const second = await run(['import', folder])
  assert.match(second.stderr, /^0 new, 1 changed, 2 the same, 0 refused\.$/m)
  assert.equal((await read('kiln-door')).revisionCount, 2)
  assert.match((await run(['import', folder])).stderr, /^0 new, 0 changed, 3 the same/m)
})

test('with --sections each heading of the second level is an entry', async () => {
  const folder = folderOf('agents', {
    'AGENTS.md': '# House rules\n\nRead first.\n\n## Tests\n\nRun one file.\n\n## Style\n\nShort.\n',
  })
  assert.equal(expectDone(await run(['import', join(folder, 'AGENTS.md'), '--sections'])).match(/^new /gm)?.length, 3)
  assert.equal((await read('house-rules-tests')).content, 'Run one file.')
  assert.equal((await read('house-rules')).content, 'Read first.')
  assert.match((await run(['import', folder, '--sections'])).stderr, /^0 new, 0 changed, 3 the same/m)
})

test('a note that cannot be imported is named, and the others are imported', async () => {
  const folder = folderOf('bad', {
    'bytes.md': new Uint8Array([0xff, 0xfe, 0x41]),
    'empty.md': '---\ntitle: Empty\n---\n\n',
    'key.md': `-----BEGIN ${'PRIVATE'} KEY-----\n${'A'.repeat(64)}\n`,
    'long.md': 'x'.repeat(20_001),
    'open.md': '---\ntitle: no end\n',
    'twin.md': '# Kiln door\n\nOne.\n',
    'twin2.md': '# kiln  DOOR\n\nTwo.\n',
  })
  const { code, stdout, stderr } = await run(['import', folder])
  assert.equal(code, 1)
  assert.match(stdout, /^refused {2}.*bytes\.md {2}it is not text in UTF-8$/m)
  assert.match(stdout, /^refused {2}.*empty\.md {2}it is empty$/m)
  assert.match(stdout, /^refused {2}.*key\.md {2}it contains an actor token or a private key; remove it$/m)
  assert.match(stdout, /^refused {2}.*long\.md {2}content is invalid: /m)
  assert.match(stdout, /^new {6}.*open\.md {2}open$/m)
  assert.match(stdout, /^refused {2}.*twin2\.md {2}it has the title of .*twin\.md; give it another one$/m)
  assert.match(stderr, /5 notes refused; see above\.\n$/)
  expectRefusal(await run(['import', join(scratch(), 'no-such')]), 1, /cannot be read .* name a file or a folder/)
})

test('an export of Markdown imports again without loss, into the same memory and into another one', async () => {
  const strange = [
    '---\ntitle: inside\n---\n\nText',
    'Ends with lines\n\n',
    'Windows\r\nlines\r\n',
    '"quotes": \\ # and 😀',
  ]
  for (const [number, content] of strange.entries()) {
    const title = `Strange "${number}": # text`
    expectDone(
      await inProcess(
        ['publish', '-', '--title', title, '--summary', 'It\'s: "so"', '--tags', 'a b,c', '--url', app.url],
        { input: `---\n---\n\n${content}\n` },
      ),
    )
  }
  const folder = join(scratch(), 'out')
  expectDone(await run(['export', '--markdown', folder]))
  assert.match((await run(['export', '--markdown', folder])).stderr, /^0 written, \d+ the same, 0 not overwritten\.$/m)
  assert.match((await run(['import', folder])).stderr, /^0 new, 0 changed, \d+ the same, 0 refused\.$/m)
  expectDone(await run(['import', folder], other.url))
  assert.match((await run(['import', folder], other.url)).stderr, /^0 new, 0 changed, \d+ the same, 0 refused\.$/m)
  const back = join(scratch(), 'back')
  expectDone(await run(['export', '--markdown', back], other.url))
  const withoutIds = (texts: Record<string, string>) =>
    Object.values(texts)
      .map(text => text.replace(/^(entry|revision): .*$/gm, '$1'))
      .sort()
  assert.deepEqual(withoutIds(textsIn(back)), withoutIds(textsIn(folder)))
})

test('a file that a person changed is not overwritten, and an entry that changed at both places is a conflict', async () => {
  const folder = join(scratch(), 'edited')
  expectDone(await run(['export', '--markdown', folder]))
  const file = join(folder, 'plain.md')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('- No heading here', '- My words'))
  const kept = await run(['export', '--markdown', folder])
  expectRefusal({ ...kept, stderr: kept.stderr.split('\n').slice(-2).join('\n') }, 1, /^1 file not overwritten\.$/)
  assert.match(readFileSync(file, 'utf8'), /My words/)
  expectDone(await run(['import', file]))
  assert.equal((await read('plain')).content, '- My words')
  writeFileSync(file, text.replace('- No heading here', '- Other words'))
  const { code, stdout } = await run(['import', file])
  assert.equal(code, 1)
  assert.match(stdout, /^refused {2}.*plain\.md {2}STALE_REVISION/m)
})

test('a service that names an entry like a path writes no file', async t => {
  const entry = { ...(await read('plain')), slug: '../outside' }
  const revision = (await call(app.url, 'GET', `/api/entries/plain/revisions/${entry.currentRevisionId}`)).body
  const answerTo = (url: string) =>
    url.startsWith('/api/entries?') ? { items: [entry] } : url.includes('/revisions/') ? revision : entry
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answerTo(request.url ?? '')))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const folder = join(scratch(), 'foreign', 'notes')
  const { port } = server.address() as AddressInfo
  const ended = await run(['export', '--markdown', folder], `http://127.0.0.1:${port}`)
  expectRefusal(ended, 1, /^The service names an entry "\.\.\/outside", which is no slug; export from another one\.$/)
  assert.deepEqual(readdirSync(folder), [])
  assert.equal(existsSync(join(folder, '../outside.md')), false)
})
