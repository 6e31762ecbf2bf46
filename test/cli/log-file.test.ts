import assert from 'node:assert/strict'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { spawn } from '../support/children.ts'
import { eventually, spawnService } from '../support/process.ts'
import { temporaryDirectory } from './command.ts'

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
