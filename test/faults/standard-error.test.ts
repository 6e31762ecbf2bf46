import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { LAUNCHER } from '../cli/command.ts'
import { spawn } from '../support/children.ts'
import { fill } from '../support/full-disk.ts'
import { makeDirectory } from '../support/process.ts'
import { mountSmallDisk, NO_MOUNT } from './tools.ts'

const directory = makeDirectory()
const disk = join(directory.path, 'disk')
const unmount = mountSmallDisk(disk, '1m')
process.on('exit', () => {
  if (unmount !== false) unmount()
  directory.remove()
})

/** Shell that makes the pipe $0, fills it, and runs a command whose standard error it is: no process ever reads it. */
const UNREAD = 'mkfifo "$0" && exec 3<>"$0" && head -c 65536 /dev/zero >&3 && exec "$@" 2>"$0"'

/** Runs a command line whose standard error goes to a file, or to a pipe that is full. */
function run(args: readonly string[], file: string, shell = 'exec "$@" 2>"$0"') {
  const child = spawn('sh', ['-c', shell, file, process.execPath, LAUNCHER, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, LOG_LEVEL: 'debug' },
  })
  return { child, ended: new Promise<number | null>(resolve => child.on('close', resolve)) }
}

/** Command lines that write to standard error, and the exit codes that they promise. */
const REFUSED: readonly (readonly [args: readonly string[], code: number])[] = [
  [['chekc'], 2],
  [['check', '--data-dir', '/nowhere'], 1],
  [['search', 'hello', '--url', 'http://127.0.0.1:1'], 6],
  [['mcp', '--url', 'ftp://127.0.0.1'], 2],
]

/** Calls `find` of `palimpsest mcp` over a new private store, which logs each call. */
async function talk({ child, ended }: ReturnType<typeof run>, between: (n: number) => void): Promise<void> {
  const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]()
  const ask = async (id: number, method: string, params: object): Promise<void> => {
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const { value = '' } = await lines.next()
    assert.deepEqual((({ id, error }) => ({ id, error }))(JSON.parse(value || '{}')), { id, error: undefined })
  }
  const host = { name: 'host', version: '1.0.0' }
  await ask(0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: host })
  for (let n = 1; n < 10; n++) {
    await ask(n, 'tools/call', { name: 'find', arguments: { q: 'anything' } })
    between(n)
  }
  child.stdin?.end()
  assert.equal(await ended, 0)
}

const MCP = ['mcp', '--data-dir', join(directory.path, 'memory')]

test('with standard error on a full disk a command ends with its documented exit code', {
  skip: NO_MOUNT,
}, async () => {
  const log = join(disk, 'refused')
  const ballast = fill(disk, 0)
  for (const [args, code] of REFUSED) assert.equal(await run(args, log).ended, code, args.join(' '))
  assert.equal(readFileSync(log, 'utf8'), '')
  rmSync(ballast)
})

test('with standard error on a full disk palimpsest mcp answers, and with free space reports how many lines it dropped', {
  skip: NO_MOUNT,
}, async () => {
  const log = join(disk, 'mcp')
  const ballast = fill(disk, 0)
  await talk(run(MCP, log), n => {
    if (n === 5) rmSync(ballast)
  })
  const logged = readFileSync(log, 'utf8')
  const dropped = Number(/^(\d+) lines were dropped here/m.exec(logged)?.[1])
  assert.ok(dropped >= 5, logged)
  assert.match(logged, /"operation":"findEntries"/)
})

test('a standard error that no process reads delays no command', async () => {
  const [args, code] = REFUSED[0] ?? []
  assert.equal(await run(args ?? [], join(directory.path, 'pipe'), UNREAD).ended, code)
  await talk(run(MCP, join(directory.path, 'pipe-mcp'), UNREAD), () => {})
})
