import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { copyOfPackage, ROOT, run, TSC, temporary } from './built.ts'
import { emptyRegistry } from './registry.ts'

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', '..', path), 'utf8')
/** The newcomer's script, as the README has it. */
const SCRIPT = /## From TypeScript.*?```ts\n(.*?)```/s.exec(read('README.md'))?.[1] ?? ''
const EXAMPLES = [...read('docs/client.md').matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code).join('\n')
const OPTIONS = { target: 'es2024', module: 'nodenext', strict: true, skipLibCheck: false, types: ['node'] }

let app: TestApp
let project: string
before(async () => {
  app = await startApp()
  const source = await copyOfPackage()
  project = await temporary()
  // Settings that the npm of these tests passes to scripts are not for another npm.
  const outer = Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_'))
  const npm = { npm_config_cache: join(project, 'cache'), npm_config_update_notifier: 'false' }
  const environment = { env: { ...Object.fromEntries(outer), ...npm } }
  await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: source, ...environment })
  const { dependencies } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const registry = await emptyRegistry(dependencies)
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const [tarball = ''] = (await readdir(project)).filter(name => name.endsWith('.tgz'))
  const quiet = ['--omit=optional', '--no-audit', '--no-fund', '--silent']
  await run('npm', ['install', ...quiet, `--registry=${registry}`, `./${tarball}`], { cwd: project, ...environment })
})
after(() => app.close())

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
  const built = join(project, 'node_modules', 'palimpsest', 'dist')
  const files = (await readdir(built, { recursive: true })).filter(file => file.includes('.'))
  assert.ok(files.includes('client/index.js') && files.includes('client/index.d.ts') && files.includes('tlog/tree.js'))
  for (const file of files) {
    const text = await readFile(join(built, file), 'utf8')
    for (const [, target = ''] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      assert.match(target, /^\.(?:\.\/tlog)?\/[a-z]+\.(?:js|ts)$/, file)
    }
    assert.doesNotMatch(text, /NodeJS|node:|reference types/, file)
  }
})

test('the packed tarball has no tests, and its command and its private memory run where it is installed', async () => {
  const modules = join(project, 'node_modules')
  const files = await readdir(join(modules, 'palimpsest'), { recursive: true })
  assert.ok(files.includes(join('src', 'main.ts')))
  assert.deepEqual(
    files.filter(file => /\.test\.ts$|^test/.test(file)),
    [],
  )
  // The registry of this test has empty packages: the true ones take their places.
  const { dependencies } = JSON.parse(await readFile(join(modules, 'palimpsest', 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    await rm(join(modules, name), { recursive: true, force: true })
    await symlink(join(ROOT, 'node_modules', name), join(modules, name))
  }
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, npm_config_offline: 'true' }
  const npx = (...args: string[]) => run('npx', ['--no', '--', 'palimpsest', ...args], { cwd: project, env })
  const { version } = JSON.parse(read('package.json')) as { version: string }
  assert.equal((await npx('--version')).stdout, `${version}\n`)

  const memory = npx('mcp', '--data-dir', join(project, 'memory'))
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  memory.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  memory.child.stdout?.once('data', () => memory.child.stdin?.end())
  assert.match((await memory).stdout, /"serverInfo":\{[^}]*"name":"palimpsest"/i)
})
