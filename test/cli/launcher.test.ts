import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { spawn } from '../support/children.ts'
import { AS_OLD, expectDone, expectRefusal, LAUNCHER, palimpsest, temporaryDirectory } from './command.ts'

const OLD_NODES = [process.env.OLD_NODE, '/usr/bin/node', '/usr/local/bin/node', '/usr/bin/nodejs']

function findOldNode(): string | undefined {
  return OLD_NODES.filter(path => path !== undefined).find(path => {
    if (!existsSync(path)) return false
    const [major = 0] = execFileSync(path, ['--version'], { encoding: 'utf8' }).slice(1).split('.').map(Number)
    return major < 24
  })
}

const old = findOldNode()
const withOldNode = (name: string, run: (node: string) => Promise<void>): void => {
  test(name, async t => {
    if (old !== undefined) return run(old)
    t.diagnostic('NOT TESTED: no Node before 24 was found; name one in OLD_NODE')
    t.skip('no old Node here')
  })
}

let directory: ReturnType<typeof temporaryDirectory>
let alone: string
before(() => {
  directory = temporaryDirectory()
  mkdirSync(join(directory.path, 'bin'))
  alone = join(directory.path, 'bin/palimpsest.js')
  copyFileSync(LAUNCHER, alone)
  writeFileSync(join(directory.path, 'package.json'), '{"type":"module"}')
})
after(() => directory.remove())

test('an old Node without a new one ends with one sentence that has the remedy', async () => {
  const ended = await palimpsest(['help'], { node: [process.execPath, ...AS_OLD], launcher: alone })
  expectRefusal(ended, 1, /needs Node 24\.15 or newer and this is 20\.20\.2; install Node 24 .*npm ci/)
  assert.equal(ended.stderr.trimEnd().split('\n').length, 1)
})

test('a Node that cannot be run ends with one sentence', async () => {
  const bundled = join(directory.path, `node_modules/node-${process.platform}-${process.arch}`)
  mkdirSync(join(bundled, 'bin'), { recursive: true })
  writeFileSync(join(bundled, 'package.json'), '{}')
  const ended = await palimpsest(['help'], { node: [process.execPath, ...AS_OLD], launcher: alone })
  expectRefusal(ended, 1, /cannot run .*bin\/node/)
})

withOldNode('a real old Node without a new one prints the same sentence', async node => {
  using elsewhere = temporaryDirectory()
  const launcher = join(elsewhere.path, 'palimpsest.js')
  copyFileSync(LAUNCHER, launcher)
  writeFileSync(join(elsewhere.path, 'package.json'), '{"type":"module"}')
  expectRefusal(await palimpsest(['help'], { node: [node], launcher }), 1, /needs Node 24\.15 or newer/)
})

withOldNode('an old Node starts the new one, and has its output and exit codes', async node => {
  assert.equal(expectDone(await palimpsest(['help'], { node: [node] })), expectDone(await palimpsest(['help'])))
  expectRefusal(await palimpsest(['serf'], { node: [node] }), 2, /no command "serf"/)
})

withOldNode('an old Node forwards signals to the new one, which stops cleanly', async node => {
  const env = { PATH: process.env.PATH, PORT: '0', DATA_DIR: join(directory.path, 'data'), LOG_LEVEL: 'silent' }
  const child = spawn(node, [LAUNCHER, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>(resolve => child.on('exit', code => resolve(code)))
  let said = ''
  for await (const chunk of child.stdout) {
    said += String(chunk)
    if (said.includes('/api/discovery')) break
  }
  const url = /http:\S+/.exec(said)?.[0] ?? ''
  assert.equal((await fetch(`${url}/health`)).status, 200)
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
  await assert.rejects(fetch(`${url}/health`))
})

withOldNode('a launcher ends with the signal that ended its child', async node => {
  const child = spawn(node, [LAUNCHER, 'load', '--from', '-', '--data-dir', join(directory.path, 'other')], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise<NodeJS.Signals | null>(resolve => child.on('exit', (_code, signal) => resolve(signal)))
  // The directory shows that the new Node is at work.
  const deadline = performance.now() + 60_000
  while (!existsSync(join(directory.path, 'other/palimpsest.db'))) {
    assert.ok(performance.now() < deadline, 'the load did not begin')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  child.kill('SIGHUP')
  assert.equal(await ended, 'SIGHUP')
})

test('the package also runs in a node_modules, with its threads', async () => {
  const root = join(LAUNCHER, '../..')
  const copy = join(directory.path, 'copy')
  for (const part of ['package.json', 'bin', 'src', 'scripts/build-program.ts'])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  execFileSync(process.execPath, [join(copy, 'scripts/build-program.ts')])
  rmSync(join(copy, 'src'), { recursive: true })
  const installed = join(directory.path, 'project/node_modules/palimpsest')
  mkdirSync(join(directory.path, 'project/node_modules'), { recursive: true })
  renameSync(copy, installed)
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'))
  const launcher = join(installed, 'bin/palimpsest.js')
  for (const args of [['help'], ['mcp', '--data-dir', join(directory.path, 'memory')]]) {
    const ended = await palimpsest(args, { launcher })
    expectDone(ended)
    assert.equal(ended.stderr, '')
  }
  assert.ok(existsSync(join(directory.path, 'memory/search.db')))
})
