import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { spawn } from '../support/children.ts'
import { eventually, spawnService } from '../support/process.ts'
import { missing } from '../support/programs.ts'
import { LAUNCHER, temporaryDirectory } from './command.ts'

/** The only thread of the pool is busy, so the first lines are not written yet when the process wants to end. */
const PROGRAM = `
  import { pbkdf2 } from 'node:crypto'
  import { LogFile } from '${join(import.meta.dirname, '../../src/cli/log-file.ts')}'
  const file = new LogFile(2, () => {})
  pbkdf2('a', 'b', 30_000, 64, 'sha512', () => {})
  file.write('first ' + 'x'.repeat(5_000) + '\\n')
  file.write('second\\n')
  file.end('last', () => process.exit(0))
`

test('the last line of a log that a thread still writes comes after all others', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines = (await text(child.stderr)).trim().split('\n')
  assert.deepEqual(
    lines.map(line => line.split(' ')[0]),
    ['first', 'second', 'last'],
  )
})

/** Runs a service on a terminal, and ends it when a line arrives on standard input. */
const ON_TERMINAL = '"$NODE" "$LAUNCHER" serve & read line; kill $!; wait'

test('the log of a service on a terminal is readable', { skip: missing('script') }, async t => {
  const { path, remove } = temporaryDirectory()
  t.after(remove)
  const env = { PATH: process.env.PATH, NODE: process.execPath, LAUNCHER, DATA_DIR: join(path, 'data'), PORT: '0' }
  const child = spawn('script', ['-qec', ON_TERMINAL, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', chunk => {
    shown += chunk
  })
  const ended = once(child, 'close')
  await eventually('the service is ready', 60_000, async () => / ready url=/.test(shown) || undefined)
  child.stdin.write('\n')
  await ended
  assert.match(shown, /^\d\d:\d\d:\d\d info {2}ready url=http:\S+\r$/m)
  assert.match(shown, /^\d\d:\d\d:\d\d info {2}stopping signal=SIGTERM\r$/m)
  assert.doesNotMatch(shown, /^\{/m)
})

test('SIGHUP reopens a renamed log file and stops nothing, and the log names the signal that stops the service', async t => {
  const { path, remove } = temporaryDirectory()
  t.after(remove)
  const linesIn = (file: string): { msg: string; signal?: string }[] =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const [log, renamed] = [join(path, `${signal}.log`), join(path, `${signal}.log.1`)]
    const env = { DATA_DIR: join(path, signal), LOG_LEVEL: 'info' }
    const wrap = ['sh', '-c', 'exec "$@" 2>>"$0"', log]
    const { child, output, ended } = spawnService(['serve'], { env, wrap })
    await eventually('the service is ready', 60_000, async () => output.stdout.includes('ready at') || undefined)
    // The line is written before the file is renamed.
    await eventually(
      'a line is written',
      10_000,
      async () => readFileSync(log, 'utf8').includes('"ready"') || undefined,
    )
    renameSync(log, renamed)
    child.kill('SIGHUP')
    await eventually('the file is there again', 10_000, async () => existsSync(log) || undefined)
    child.kill(signal)
    assert.equal((await ended).code, 0)
    assert.ok(!linesIn(renamed).some(({ msg }) => msg === 'stopping'))
    assert.deepEqual(
      linesIn(log).map(line => [line.msg, line.signal]),
      [
        ['the log file was reopened', 'SIGHUP'],
        ['stopping', signal],
      ],
    )
  }
})
