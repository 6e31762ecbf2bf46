import assert from 'node:assert/strict'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { spawn } from '../support/children.ts'

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
