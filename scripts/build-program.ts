import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Writes the program of the package: the sources without their types, in `lib/` beside `src/`. Node strips no types within a node_modules,
 * and a start would take three times as long if the program did it. `npm pack` runs this before it packs, and removes `lib/` afterwards.
 */

const ROOT = join(import.meta.dirname, '..')
const [SOURCES, PROGRAM] = [join(ROOT, 'src'), join(ROOT, 'lib')]
/** The address of another module of the program, as a text in quotes. */
const MODULE = /(['"])(\.{1,2}\/[^'"\n]*)\.ts\1/g

const { values } = parseArgs({ options: { remove: { type: 'boolean' } } })
rmSync(PROGRAM, { recursive: true, force: true })
if (!values.remove) {
  for (const file of globSync('**/*', { cwd: SOURCES })) {
    const source = join(SOURCES, file)
    if (file.endsWith('.test.ts') || !statSync(source).isFile()) continue
    const to = join(PROGRAM, file.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(to), { recursive: true })
    if (!file.endsWith('.ts')) cpSync(source, to)
    else writeFileSync(to, stripTypeScriptTypes(readFileSync(source, 'utf8')).replaceAll(MODULE, '$1$2.js$1'))
  }
}
