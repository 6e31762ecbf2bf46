import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeBundle } from '../../scripts/bundle.ts'
import { makeRelease } from '../../scripts/check-release.ts'
import { dependencies } from '../../scripts/dependencies.ts'
import { palimpsest } from '../cli/command.ts'
import { run } from '../client/built.ts'
import { makeDirectory } from '../support/process.ts'
import { missing } from '../support/programs.ts'
import { ROOT } from './unit.ts'

const SKIP = { skip: missing('zip') || missing('unzip') }
const directory = makeDirectory()
after(directory.remove)
const release = join(directory.path, 'release')
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))
const { version, engines } = readJson(ROOT, 'package.json')
const BUNDLE = `palimpsest-${version}.mcpb`
const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

before(async () => {
  if (SKIP.skip === false) await makeRelease(release)
})

test(
  'the bundle starts by its manifest where it is unpacked, and offers the tools of a private memory',
  SKIP,
  async () => {
    const unpacked = join(directory.path, 'unpacked')
    await run('unzip', ['-q', join(release, BUNDLE), '-d', unpacked])
    const manifest = readJson(unpacked, 'manifest.json')
    for (const member of ['manifest_version', 'name', 'version', 'description', 'author', 'server'])
      assert.ok(manifest[member], member)
    assert.deepEqual([manifest.version, manifest.compatibility.runtimes], [version, { node: engines.node }])
    assert.ok(existsSync(join(unpacked, manifest.server.entry_point)))

    const { command, args } = manifest.server.mcp_config
    assert.equal(command, 'node')
    const memory = join(directory.path, 'memory')
    const values = { '${__dirname}': unpacked, '${user_config.directory}': memory }
    const filled = (args as string[]).map(arg =>
      Object.entries(values).reduce((text, [name, value]) => text.replace(name, value), arg),
    )
    const [launcher = '', ...words] = filled
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const messages = [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
    ]
    const input = messages.map(message => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')
    const { stdout, stderr, code } = await palimpsest(words, { launcher, input, cwd: directory.path })
    assert.deepEqual([code, stderr], [0, ''])
    const answers = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const tools = answers.find(({ id }) => id === 2).result.tools.map(({ name }: { name: string }) => name)
    assert.ok(tools.includes('find') && tools.includes('publish') && tools.includes('forget'), tools.join())
    assert.ok(existsSync(join(memory, 'palimpsest.db')))
  },
)

test('the same program makes the same bundle', SKIP, async () => {
  const first = hashOf(join(release, BUNDLE))
  const again = makeDirectory()
  after(again.remove)
  await makeBundle(again.path, join(release, 'program'))
  assert.equal(hashOf(join(again.path, BUNDLE)), first)
})

test('the entry for the MCP registry has the bundle by its address in the release and its hash', SKIP, () => {
  const entry = readJson(release, 'server.json')
  const { packages, ...committed } = readJson(ROOT, 'server.json')
  assert.deepEqual({ ...entry, packages: entry.packages.slice(0, -1) }, { ...committed, packages })
  assert.deepEqual(entry.packages.at(-1), {
    registryType: 'mcpb',
    identifier: `https://github.com/palimpsest/palimpsest/releases/download/v${version}/${BUNDLE}`,
    fileSha256: hashOf(join(release, BUNDLE)),
    transport: { type: 'stdio' },
  })
})

test('a package under a licence that is not allowed is refused by its name', () => {
  const packages = { '': { version }, 'node_modules/a/node_modules/b': { version: '1.0.0', license: 'GPL-3.0-only' } }
  assert.throws(
    () => dependencies({ packages }),
    /^Error: b 1\.0\.0 has GPL-3\.0-only; replace the package, or allow it/,
  )
  const nameless = { packages: { 'node_modules/c': { version: '2.0.0' } } }
  assert.throws(() => dependencies(nameless), /^Error: c 2\.0\.0 has no licence;/)
})

test('the bill of materials has each package of an installation, with its licence and its hash in npm', SKIP, () => {
  const { metadata, components, specVersion } = readJson(release, 'sbom.cdx.json')
  assert.deepEqual([specVersion, metadata.component.purl], ['1.5', `pkg:npm/%40palimpsest/memory@${version}`])
  const expected = dependencies().map(({ name, version }) => `${name}@${version}`)
  assert.ok(expected.length > 50)
  assert.deepEqual(components.map((one: { 'bom-ref': string }) => one['bom-ref']).sort(), expected.sort())
  const text = readFileSync(join(release, 'program', 'THIRD-PARTY.md'), 'utf8')
  for (const name of expected) assert.ok(text.includes(`| \`${name.slice(0, name.lastIndexOf('@'))}\` |`), name)
})
