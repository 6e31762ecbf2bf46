import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, matchesGlob, relative } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const filesUnder = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map(path => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter(path => path.endsWith('.ts') || (path.startsWith('src/tlog/verify/') && path.endsWith('.js')))
const SOURCES = filesUnder('src').filter(path => !path.endsWith('.test.ts'))

/** The layers of the table in ARCHITECTURE.md, from the bottom up: each with the patterns of its files below src. */
const LAYERS = [...read('ARCHITECTURE.md').matchAll(/^\| ([a-z, ]+) \| ((?:`[^`]+`(?:, )?)+) \|/gm)].map(
  ([, name = '', files = '']) => ({
    name,
    patterns: [...files.matchAll(/`([^`]+)`/g)].map(([, pattern = '']) => pattern),
  }),
)
/** The place of a file in the order of the layers. A file belongs to the first layer that names it. */
const layerOf = (path: string): number =>
  LAYERS.findIndex(({ patterns }) => patterns.some(pattern => matchesGlob(relative('src', path), pattern)))

const importsOf = (path: string): string[] =>
  [
    ...read(path).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g),
    ...read(path).matchAll(/new URL\(\s*'(\.[^']+\.ts)'/g),
  ].map(([, target = '']) => relative(ROOT, join(ROOT, dirname(path), target)))

test('imports run one way, from a layer of ARCHITECTURE.md to the same or a lower one', () => {
  assert.ok(LAYERS.length > 10)
  for (const path of SOURCES) {
    const layer = layerOf(path)
    assert.notEqual(layer, -1, `${path} belongs to no layer of ARCHITECTURE.md`)
    for (const target of importsOf(path)) {
      assert.ok(layerOf(target) <= layer, `${path} (${LAYERS[layer]?.name}) imports ${target}`)
    }
  }
  for (const [index, { name }] of LAYERS.entries()) {
    assert.ok(
      SOURCES.some(path => layerOf(path) === index),
      `the layer ${name} has no file`,
    )
  }
})

test('no two files import each other in a circle, types included', () => {
  const state = new Map<string, 'open' | 'done'>()
  const visit = (path: string, trail: string[]): void => {
    if (state.get(path) === 'done') return
    assert.notEqual(state.get(path), 'open', [...trail, path].join(' -> '))
    state.set(path, 'open')
    for (const [, target = ''] of read(path).matchAll(/from '(\.[^']+)'/g)) {
      visit(relative(ROOT, join(ROOT, dirname(path), target)), [...trail, path])
    }
    state.set(path, 'done')
  }
  for (const path of SOURCES) visit(path, [])
})

const FUNCTION_LINES = 50
/** A function declared at the margin, or an arrow bound to a name there, ends at the first line that is only its closing brace. */
function longFunctions(path: string): string[] {
  const lines = read(path).split('\n')
  return lines.flatMap((line, start) => {
    const declared = /^(?:export )?(?:async )?(?:function\*? (\w+)|const (\w+)[^=]*= (?:async )?\([\s\S]*=> ?\{$)/.exec(
      line,
    )
    if (declared === null) return []
    const end = lines.findIndex((other, index) => index > start && /^\}[),]*$/.test(other))
    const length = end - start + 1
    return length > FUNCTION_LINES ? [`${path} ${declared[1] ?? declared[2]}: ${length} lines`] : []
  })
}

test('functions are short', () => assert.deepEqual(SOURCES.flatMap(longFunctions), []))

/** Members that Node and libraries keep for themselves: the names with an underscore, and the listeners that they added. */
const PRIVATE_MEMBER = /[\w)\]?]\._\w|\['_\w|\b(?:rawListeners|listeners|removeAllListeners)\(|\.connection\.stream\b/

test('sources use no private member of Node or of a library', () => {
  for (const path of SOURCES) {
    for (const [at, line] of read(path).split('\n').entries()) {
      assert.doesNotMatch(line, PRIVATE_MEMBER, `${path}:${at + 1}`)
    }
  }
})

const LISTED = [
  ...readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter(file => file.isDirectory())
    .map(folder => `src/${folder.name}`),
  'bench',
  'bench/search',
  'scripts',
  'test/support',
]

test('a README has one short line for each file of its folder', () => {
  for (const folder of LISTED) {
    const readme = read(`${folder}/README.md`)
    assert.match(readme, new RegExp(`^# (?:\\w+/)?${basename(folder)}\\b`))
    const long = readme.split('\n').filter(line => line.length > 120)
    assert.deepEqual(long, [], `${folder}/README.md`)
    const listed = [...readme.matchAll(/^- `([\w./-]+(?:\.\w+|\/))` — \S/gm)].map(([, name = '']) => name)
    const files = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(file => file.isFile() && !/^README\.md$|\.test\.ts$/.test(file.name))
      .map(file => relative(join(ROOT, folder), join(file.parentPath, file.name)))
    const places = files.map(file => listed.find(name => name.endsWith('/') && file.startsWith(name)) ?? file)
    assert.deepEqual([...listed].sort(), [...new Set(places)].sort(), `${folder}/README.md`)
  }
})

type Lock = {
  packages: Record<string, { version?: string; resolved?: string; link?: boolean; hasInstallScript?: boolean }>
}

test('dependencies are exact, from the registry, and run nothing when they are installed', () => {
  for (const path of ['package.json', 'scripts/node/package.json']) {
    const manifest = JSON.parse(read(path)) as Record<string, Record<string, string> | undefined>
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']) {
      for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
        assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/, `${name} ${version}`)
      }
    }
    for (const hook of ['preinstall', 'install', 'postinstall', 'prepare'])
      assert.equal(manifest.scripts?.[hook], undefined)
  }
  const { packages } = JSON.parse(read('package-lock.json')) as Lock
  assert.ok(Object.keys(packages).length > 10)
  for (const [name, { resolved, link, hasInstallScript }] of Object.entries(packages)) {
    assert.notEqual(hasInstallScript, true, `${name} has an install script`)
    if (resolved !== undefined && !link) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, name)
  }
})

const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
  /\bgithub_pat_[A-Za-z0-9_]{40,}/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bsk-[A-Za-z0-9-]{32,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\./,
  /:\/\/[^\s/:@'"`${}<>]+:(?!password|secret)[^\s/:@'"`${}<>]{6,}@/,
]
const MACHINE_PATHS = /(?:^|[\s'"`(=:])(?:\/(?:home|Users|root|work)\/[\w.-]+|[A-Z]:\\\\?Users)/m
const isText = (path: string): boolean => !/\.(?:png|jpe?g|gif|ico|woff2?|gz|zip|db|pdf)$/.test(path)

test('no tracked file contains a secret or a path of a particular machine', () => {
  const tracked = existsSync(join(ROOT, '.git'))
    ? execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0')
    : []
  for (const path of tracked.filter(one => one !== '' && isText(one) && existsSync(join(ROOT, one)))) {
    const text = read(path)
    for (const secret of SECRETS) assert.doesNotMatch(text, secret, `${path} has a secret`)
    assert.doesNotMatch(text, MACHINE_PATHS, `${path} names a path of a machine`)
  }
})
