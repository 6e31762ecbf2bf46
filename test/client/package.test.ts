import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startLocalRegistry } from '../../scripts/local-registry.ts'
import { npm, packPackages } from '../../scripts/packages.ts'
import { AS_OLD } from '../cli/command.ts'
import { useApp } from '../support/app.ts'
import { run, TSC, temporary } from './built.ts'

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8')
/** The newcomer's script, as the README has it. */
const SCRIPT = /## From TypeScript.*?```ts\n(.*?)```/s.exec(read('README.md'))?.[1] ?? ''
const EXAMPLES = [...read('docs/client.md').matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code).join('\n')
const OPTIONS = { target: 'es2024', module: 'nodenext', strict: true, skipLibCheck: false, types: ['node'] }

let project: string
const app = useApp({}, async () => {
  project = await temporary()
  const archives = await packPackages(project)
  const registry = await startLocalRegistry()
  after(registry.stop)
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await npm(project, 'install', '--no-audit', '--no-fund', `--registry=${registry.url}`, ...archives)
})

test('the TypeScript example of the README compiles and runs where the package is installed, without any other package', async () => {
  assert.ok(SCRIPT.includes("'http://127.0.0.1:8080'"))
  await writeFile(join(project, 'tour.ts'), SCRIPT.replace('http://127.0.0.1:8080', app.url))
  assert.match(EXAMPLES, /reviseWithRetry/)
  await writeFile(join(project, 'examples.ts'), EXAMPLES)
  const typeRoots = [join(import.meta.dirname, '..', '..', 'node_modules', '@types')]
  const compilerOptions = { ...OPTIONS, typeRoots }
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['tour.ts', 'examples.ts'] }),
  )
  await run(TSC, ['-p', project]).catch((error: { stdout: string }) => assert.fail(error.stdout))
  const { stdout } = await run(process.execPath, ['tour.js'], { cwd: project })
  assert.equal(stdout, 'true\nOolong\n')
})

test('the built client imports nothing but its own files, and names no type of Node or of a package', async () => {
  const built = join(project, 'node_modules', '@palimpsest', 'client')
  const files = (await readdir(built, { recursive: true })).filter(file => /\.(?:js|ts)$/.test(file))
  assert.ok(
    files.includes('client/index.js') && files.includes('client/index.d.ts') && files.includes('tlog/verify/tree.js'),
  )
  for (const file of files) {
    const text = await readFile(join(built, file), 'utf8')
    for (const [, target = ''] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      assert.match(target, /^\.(?:\.\/tlog\/verify)?\/[a-z]+\.(?:js|ts)$/, file)
    }
    assert.doesNotMatch(text, /NodeJS|node:|reference types/, file)
  }
})

/** The maximum of what a browser loads before the first call, in bytes: the sum of its modules, each compressed by gzip. */
const LOADED_MAX = 8_000

test('a browser loads at most 8 kB for @palimpsest/client, without the verification of logs, which is an entry of its own', async () => {
  const built = join(project, 'node_modules', '@palimpsest', 'client', 'client')
  /** The modules that a module imports statically, and theirs. */
  const loadedFor = async (name: string, seen = new Map<string, number>()): Promise<Map<string, number>> => {
    if (seen.has(name)) return seen
    const text = await readFile(join(built, name), 'utf8')
    seen.set(name, gzipSync(text, { level: 9 }).length)
    for (const [, target = ''] of text.matchAll(/^(?:import|export|\}) ?.*?(?:from )?'(\.[^']+)';$/gm))
      await loadedFor(join(dirname(name), target), seen)
    return seen
  }
  const loaded = await loadedFor('index.js')
  assert.ok(loaded.has('request.js') && loaded.has('table.js'), [...loaded.keys()].join())
  assert.ok(![...loaded.keys()].some(name => name.includes('tlog')), 'the log is not loaded')
  const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0)
  assert.ok(bytes <= LOADED_MAX, `${bytes} bytes`)
  assert.ok((await loadedFor('log.js')).has('../tlog/verify/verify.js'))
  const script = `import { createClient } from '@palimpsest/client'
    import { canonicalJson, evidenceHashOf, verifyCheckpoint, verifyLogFiles, verifyProof } from '@palimpsest/client/log'
    const { reasons } = await verifyProof('nothing', { keys: [] })
    console.log([canonicalJson, evidenceHashOf, verifyCheckpoint, verifyLogFiles].every(one => typeof one === 'function'), reasons.length > 0)
    await createClient({ baseUrl: process.argv[2] }).readEntry('none').catch(({ code, message }) => console.log(code, message.includes('search for it')))`
  await writeFile(join(project, 'verify.js'), script)
  const { stdout } = await run(process.execPath, ['verify.js', app.url], { cwd: project })
  assert.equal(stdout, 'true true\nENTRY_NOT_FOUND true\n')
})

/** The largest size of the installed package with its dependencies, in bytes, and the longest wait for its first answer. */
const INSTALLED_MAX = 60_000_000
const FIRST_ANSWER_MAX_MS = 60_000

test('the packed archive installs at most 60 MB, without types, tests and a Node', async () => {
  const modules = join(project, 'node_modules')
  const files = await readdir(join(modules, '@palimpsest', 'memory'), { recursive: true })
  assert.ok(files.includes(join('lib', 'main.js')))
  assert.deepEqual(
    files.filter(file => /\.ts$|^(?:src|test)/.test(file)),
    [],
  )
  const installed = await readdir(modules, { recursive: true, withFileTypes: true })
  const sizes = installed.filter(file => file.isFile()).map(file => statSync(join(file.parentPath, file.name)).size)
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  assert.ok(bytes > 5_000_000 && bytes <= INSTALLED_MAX, `${bytes} bytes`)
  assert.ok(!installed.some(({ name }) => name.startsWith('node-linux-')))
})

test('the installed command and its private memory answer within a minute', async () => {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, npm_config_offline: 'true' }
  const timeout = FIRST_ANSWER_MAX_MS
  const npx = (...args: string[]) => run('npx', ['--no', '--', 'palimpsest', ...args], { cwd: project, env, timeout })
  const { version } = JSON.parse(read('package.json')) as { version: string }
  assert.equal((await npx('--version')).stdout, `${version}\n`)

  const memory = npx('mcp', '--data-dir', join(project, 'memory'))
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  memory.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  memory.child.stdout?.once('data', () => memory.child.stdin?.end())
  assert.match((await memory).stdout, /"serverInfo":\{[^}]*"name":"palimpsest"/i)
})

test('an old Node ends the installed command with one sentence that names the remedy', async () => {
  const launcher = join(project, 'node_modules', '@palimpsest', 'memory', 'bin', 'palimpsest.js')
  const ended = run(process.execPath, [...AS_OLD, launcher, '--version'], { cwd: project })
  const remedy = 'install Node 24 from https://nodejs.org and run the command again'
  const stderr = `palimpsest needs Node 24.15 or newer and this is 20.20.2; ${remedy}.\n`
  await assert.rejects(ended, { code: 1, stdout: '', stderr })
})
