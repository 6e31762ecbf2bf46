import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { startApp, type TestApp } from '../support/app.ts'
import { copyOfPackage, run, TSC, temporary } from './built.ts'
import { emptyRegistry } from './registry.ts'

/** As somebody writes it who has the package installed, in ten lines. */
const SCRIPT = `import { createClient, type Entry, isClientError } from 'palimpsest/client'
const client = createClient({ baseUrl: process.argv[2] ?? '' })
await client.createActor({ declaredName: 'Installed' })
const entry: Entry = await client.createEntry({ title: 'Installed', summary: 'It is.', content: 'From a tarball.' })
await client.reviseWithRetry(entry.slug, () => ({ content: 'Revised.', changeType: 'CORRECT', rationale: 'To see.' }))
const { holds, revisions } = await client.verifyHistory(entry.slug)
for await (const found of client.all.searchEntries({ q: 'revised' })) console.log(found.slug, holds, revisions)
await client.readEntry('missing').catch((error: unknown) => console.log(isClientError(error) && error.code))
`
const OPTIONS = { target: 'es2024', module: 'nodenext', strict: true, skipLibCheck: false, types: ['node'] }

let app: TestApp
let project: string
before(async () => {
  app = await startApp()
  const source = await copyOfPackage()
  project = await temporary()
  const npm = { npm_config_cache: join(project, 'cache'), npm_config_update_notifier: 'false' }
  const environment = { env: { ...process.env, ...npm } }
  await run('npm', ['pack', '--silent', '--pack-destination', project], { cwd: source, ...environment })
  const { dependencies } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  const registry = await emptyRegistry(dependencies)
  await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const [tarball = ''] = (await readdir(project)).filter(name => name.endsWith('.tgz'))
  const quiet = ['--omit=optional', '--no-audit', '--no-fund', '--silent']
  await run('npm', ['install', ...quiet, `--registry=${registry}`, `./${tarball}`], { cwd: project, ...environment })
})

test('the installed client does a tour, in types and in deeds, without any package but its own', async () => {
  await writeFile(join(project, 'tour.ts'), SCRIPT)
  const typeRoots = [join(import.meta.dirname, '..', '..', 'node_modules', '@types')]
  const compilerOptions = { ...OPTIONS, typeRoots }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['tour.ts'] }))
  await run(TSC, ['-p', project]).catch((error: { stdout: string }) => assert.fail(error.stdout))
  const { stdout } = await run(process.execPath, ['tour.js', app.url], { cwd: project })
  assert.equal(stdout, 'installed true 2\nENTRY_NOT_FOUND\n')
})

test('the built client imports nothing but its own files, and names no type of Node or of a package', async () => {
  const built = join(project, 'node_modules', 'palimpsest', 'dist', 'client')
  const files = await readdir(built)
  assert.ok(files.includes('index.js') && files.includes('index.d.ts'))
  for (const file of files) {
    const text = await readFile(join(built, file), 'utf8')
    for (const [, target = ''] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      assert.match(target, /^\.\/[a-z]+\.(?:js|ts)$/, file)
    }
    assert.doesNotMatch(text, /NodeJS|node:|reference types/, file)
  }
})
