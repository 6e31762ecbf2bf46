import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { copyOfPackage, run, TSC, temporary } from './built.ts'
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
  // What an npm that runs these tests tells its scripts is not for another one.
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

test('what the README says of TypeScript compiles and works where the package is installed, without any package but its own', async () => {
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
