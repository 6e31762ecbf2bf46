import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { shareApp } from '../support/app.ts'
import { ROOT, run, TSC, temporary } from './built.ts'

const app = shareApp()
const SCRIPT = `
  import { createClient, ClientError } from '@palimpsest/client'
  import { verifyProof } from '@palimpsest/client/log'
  const client = createClient({ baseUrl: process.argv[2] })
  await client.createActor({ declaredName: 'Script' })
  const { slug } = await client.createEntry({ title: 'Oolong', summary: 'A tea', content: 'Steep it.' })
  console.log((await client.readEntry(slug)).title, typeof ClientError, typeof verifyProof)
`

test('the package of the client alone has no dependencies, and works where it is installed', async () => {
  const project = await temporary()
  const installed = join(project, 'node_modules', '@palimpsest', 'client')
  await mkdir(join(project, 'node_modules', '@palimpsest'), { recursive: true })
  await run(process.execPath, [join(ROOT, 'scripts/build-client.ts'), '--to', installed])
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  assert.equal(manifest.dependencies, undefined)
  assert.deepEqual((await readdir(installed)).sort(), ['LICENSE', 'README.md', 'client', 'package.json', 'tlog'])
  const readme = await readFile(join(installed, 'README.md'), 'utf8')
  assert.doesNotMatch(readme, /\]\((?!https?:|#)/)
  await writeFile(join(project, 'script.mjs'), SCRIPT)
  const { stdout } = await run(process.execPath, ['script.mjs', app.url], { cwd: project })
  assert.equal(stdout, 'Oolong function function\n')
  // The plain types of the package pass the checks of those that the sources derive from the contract.
  const checks = await readFile(join(import.meta.dirname, 'typed.ts'), 'utf8')
  assert.match(checks, /'\.\.\/\.\.\/src\/client\/index\.ts'/)
  const ofPackage = checks
    .replace('../../src/client/index.ts', '@palimpsest/client')
    .replaceAll('../../src/', `${join(ROOT, 'src')}/`)
  await writeFile(join(project, 'typed.ts'), ofPackage)
  const compilerOptions = { typeRoots: [join(ROOT, 'node_modules', '@types')], rewriteRelativeImportExtensions: false }
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: [], files: ['typed.ts'] }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
  await run(TSC, ['-p', project]).catch((error: { stdout: string }) => assert.fail(error.stdout))
})
