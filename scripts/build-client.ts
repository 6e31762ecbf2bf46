import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const USAGE = `Usage: npm run build:client -- --to DIRECTORY

Makes the package @palimpsest/client in a directory that does not exist yet: the modules of palimpsest/client, without dependencies.
`
const ROOT = join(import.meta.dirname, '..')
const NAME = '@palimpsest/client'
/** The members of package.json that both packages have in common. */
const SHARED = ['version', 'license', 'repository', 'homepage', 'bugs', 'type'] as const

const { values } = parseArgs({ options: { to: { type: 'string' } } })
if (values.to === undefined || existsSync(values.to)) {
  process.stderr.write(USAGE)
  process.exit(2)
}
const directory = values.to
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const TSC = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(ROOT, 'tsconfig.client.json')]
// Declarations keep their comments for editors; a browser loads modules without comments.
for (const options of [['--emitDeclarationOnly'], ['--declaration', 'false', '--removeComments']]) {
  execFileSync(process.execPath, [...TSC, ...options, '--outDir', directory], { stdio: 'inherit' })
}
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
const readme = read('docs/client.md')
  .replaceAll(/(?<!@)palimpsest\/client/g, NAME)
  .replaceAll(/\]\((?=[\w/.-]+\.md)/g, `](${documents}`)
writeFileSync(join(directory, 'README.md'), readme)
copyFileSync(join(ROOT, 'LICENSE'), join(directory, 'LICENSE'))
process.stdout.write(`${NAME} in ${directory}\n`)
