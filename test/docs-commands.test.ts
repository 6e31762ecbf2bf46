import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { COMMANDS } from '../src/cli/commands.ts'
import type { Entry } from '../src/contract/resources.ts'
import { ADMIN_TOKEN, useApp } from './support/app.ts'
import { call, expectStatus, newActor, newEntry } from './support/client.ts'
import { makeDirectory } from './support/process.ts'
import { missing } from './support/programs.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const skip = missing('bash') || missing('curl')
const LOCAL = 'http://127.0.0.1:8080'

const blocksOf = (path: string): string[] =>
  [...read(path).matchAll(/^ *```sh\n(.*?)^ *```/gms)].map(([, block = '']) => block)

/** The block of a document that contains a text. */
function blockWith(path: string, text: string): string {
  const found = blocksOf(path).filter(block => block.includes(text))
  assert.equal(found.length, 1, `one block of ${path} contains "${text}"`)
  return found[0] ?? ''
}

/** Command lines in blocks and in sentences: the name of the command, and the words after it up to the next command of the shell. */
const LINE = /(?:^|[\s`])(?:palimpsest|node bin\/palimpsest\.js) ([a-z]+)(?=[ `\n])([^`\n]*)/gm
const WORD = /'[^']*'|"[^"]*"|\S+/g

test('every command and flag that a document names exists', () => {
  const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT, exclude: ['docs/decisions/**', 'CHANGELOG.md'] })
  let lines = 0
  for (const document of documents) {
    const blocks = blocksOf(document).map(block => block.replaceAll(/(?:^| )#.*$/gm, ''))
    const code = [...blocks, ...(read(document).match(/`palimpsest [^`\n]*`/g) ?? [])]
    for (const [line, name, rest = ''] of code.flatMap(text => [...text.matchAll(LINE)])) {
      lines += 1
      if (name === 'help') continue
      const command = COMMANDS.find(one => one.name === name)
      assert.ok(command, `${document}: ${line}`)
      const [words = ''] = rest.split(/ (?:[|#&;>]|&&)/)
      for (const word of words.match(WORD) ?? []) {
        const [, flag] = /^--([a-z-]+)/.exec(word) ?? []
        assert.ok(flag === undefined || command.flags.some(one => one.name === flag), `${document}: ${line}`)
      }
    }
  }
  assert.ok(lines > 60, `${lines} command lines`)
})

const app = useApp({ READ_LIMIT_PER_MINUTE: '10000', WRITE_LIMIT_PER_MINUTE: '1000', COOLDOWN_SECONDS: '0' })

/** Runs a block in an empty directory against the service of this test, as the checkout's command line. */
async function runBlock(block: string, prepare: (directory: string) => void = () => {}): Promise<string> {
  using directory = makeDirectory()
  prepare(directory.path)
  const command = `palimpsest() { ${process.execPath} ${join(ROOT, 'bin', 'palimpsest.js')} "$@"; }`
  const script = `${command}\n${block.replaceAll(LOCAL, app.url)}`
  const { port: PORT } = new URL(app.url)
  const env = { ...process.env, PORT, HOME: directory.path, XDG_CONFIG_HOME: join(directory.path, 'config') }
  const { stdout } = await promisify(execFile)('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    cwd: directory.path,
    env,
  })
  return stdout
}

test('the tour of docs/cli.md runs as written', { skip }, async () => {
  const shown = await runBlock(blockWith('docs/cli.md', 'cat > tea.md'))
  assert.match(shown, /Water for green tea/)
  const entry = expectStatus(await call<Entry>(app.url, 'GET', '/api/entries/water-for-green-tea'), 200)
  assert.deepEqual([entry.revisionCount, entry.content.includes('70 to 80 degrees')], [2, true])
  assert.deepEqual([entry.tags, entry.standing.state], [['tea', 'kitchen'], 'ANSWERED'])
})

test('the requests of the documents are answered as they say', { skip }, async () => {
  assert.match(await runBlock(blockWith('docs/api.md', '/api/actors')), /"token":"plm_/)
  assert.match(await runBlock(blockWith('docs/problems.md', '/api/search')), /^HTTP\/1\.1 400 [\s\S]*INVALID_LIMIT/)
  const { token } = await newActor(app.url)
  const entry = await newEntry(app.url, token, { title: 'Grease the seal' })
  assert.equal(entry.slug, 'grease-the-seal')
  assert.match(await runBlock(blockWith('docs/evidence.md', '/standing')), /"state":"UNCHECKED"/)
  const acted = await runBlock(
    blockWith('docs/operating.md', 'THE-SLUG-OR-ID').replace('THE-SLUG-OR-ID', entry.slug),
    directory => {
      mkdirSync(join(directory, 'data'))
      writeFileSync(join(directory, 'data', 'admin-token'), ADMIN_TOKEN)
    },
  )
  assert.match(acted, new RegExp(`^HIDE ENTRY ${entry.id}: it is now hidden`))
  assert.equal((await call(app.url, 'GET', `/api/entries/${entry.slug}`)).status, 410)
})

test('the loop of docs/mirrors.md dumps the whole store', { skip }, async () => {
  const dump = await runBlock(`${blockWith('docs/mirrors.md', '/api/export')}\ncat dump.ndjson`)
  const lines = dump.trim().split('\n')
  assert.ok(lines.length > 1)
  assert.ok('head' in JSON.parse(lines.at(-1) ?? ''))
})
