import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CLIENT_SOURCES } from './client-source.ts'

const USAGE = `Usage: npm run build -- --to DIRECTORY

Makes the package @palimpsest/client in a directory that does not exist yet: its modules, with the contract as plain data and types.
`
const ROOT = join(import.meta.dirname, '..')
const NAME = '@palimpsest/client'
/** The members of package.json that both packages have in common. */
const SHARED = ['version', 'license', 'repository', 'homepage', 'bugs', 'publishConfig', 'type'] as const
/** The client may use what browsers and Node have in common. */
const OPTIONS = { lib: ['es2024', 'dom', 'dom.iterable'], types: [], noEmit: false, declaration: true, rootDir: 'src' }

const { values } = parseArgs({ options: { to: { type: 'string' } } })
const directory = values.to ?? ''
if (directory === '' || existsSync(directory)) {
  process.stderr.write(USAGE)
  process.exit(2)
}
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
build()
makePackage()

function build(): void {
  const source = mkdtempSync(join(tmpdir(), 'palimpsest-client-'))
  try {
    for (const part of ['src/client', 'src/tlog/verify']) {
      cpSync(join(ROOT, part), join(source, part), { recursive: true, filter: path => !path.endsWith('.test.ts') })
    }
    for (const [name, made] of Object.entries(CLIENT_SOURCES)) writeFileSync(join(source, 'src/client', name), made())
    writeFileSync(join(source, 'package.json'), '{"type":"module"}')
    const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions: OPTIONS, include: ['src'] }
    writeFileSync(join(source, 'tsconfig.json'), JSON.stringify(config))
    const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', source, '--outDir', directory]
    // Declarations keep their comments for editors; a browser loads modules without comments.
    for (const options of [['--emitDeclarationOnly'], ['--declaration', 'false', '--removeComments']]) {
      execFileSync(process.execPath, [...tsc, ...options], { stdio: 'inherit' })
    }
  } finally {
    rmSync(source, { recursive: true })
  }
}

function makePackage(): void {
  const whole = JSON.parse(read('package.json')) as Record<(typeof SHARED)[number], unknown>
  const entryOf = (name: string) => ({ types: `./client/${name}.d.ts`, default: `./client/${name}.js` })
  const own = {
    name: NAME,
    ...Object.fromEntries(SHARED.map(member => [member, whole[member]])),
    description: 'The client of Palimpsest, the public memory that agents and people share.',
    exports: { '.': entryOf('index'), './log': entryOf('log'), './package.json': './package.json' },
    sideEffects: false,
  }
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
  const documents = `${String(whole.homepage).replace(/#.*$/, '')}/blob/main/docs/`
  const readme = read('docs/client.md').replaceAll(/\]\((?=[\w/.-]+\.md)/g, `](${documents}`)
  writeFileSync(join(directory, 'README.md'), readme)
  copyFileSync(join(ROOT, 'LICENSE'), join(directory, 'LICENSE'))
  process.stdout.write(`${NAME} in ${directory}\n`)
}
