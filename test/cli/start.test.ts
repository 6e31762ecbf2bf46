import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { spawn } from '../support/children.ts'
import { temporaryDirectory } from './command.ts'

const START = join(import.meta.dirname, '../../scripts/start.js')

test('npm start serves, and the server ends with its parent process, also without a signal', async () => {
  const directory = temporaryDirectory()
  const settings = { PORT: '0', DATA_DIR: join(directory.path, 'data') }
  // A shell that does not pass signals on, as npm may start one.
  const shell = spawn('sh', ['-c', '"$0" "$1"; exit', process.execPath, START], {
    env: { ...process.env, ...settings },
  })
  let out = ''
  const closed = new Promise(resolve => shell.stdout.on('close', resolve))
  await new Promise<void>(resolve => {
    shell.stdout.on('data', chunk => {
      out += chunk
      if (out.includes('  try ')) resolve()
    })
  })
  const url = /is ready at (\S+)/.exec(out)?.[1] ?? ''
  assert.equal((await fetch(`${url}/health`)).status, 200)
  shell.kill('SIGKILL')
  // The server had the other end of this stream.
  await closed
  await assert.rejects(fetch(`${url}/health`))
  directory.remove()
})

test('the start names the file of the admin token or its setting, and a variable that is nearly a setting', async () => {
  for (const [setting, named] of [
    [{}, /admin token {2}\/.*\/admin-token\n/],
    [{ ADMIN_TOKEN: 'an-admin-token-0123456789' }, /admin token {2}as configured \(ADMIN_TOKEN\)\n/],
  ] as const) {
    const directory = temporaryDirectory()
    const misspelt = { PUBLIC_ULR: 'https://memory.example' }
    const env = { ...process.env, PORT: '0', DATA_DIR: join(directory.path, 'data'), ...misspelt, ...setting }
    const server = spawn(process.execPath, [START], { env })
    let [out, log] = ['', '']
    server.stderr.on('data', chunk => {
      log += chunk
    })
    await new Promise<void>(resolve => {
      server.stdout.on('data', chunk => {
        out += chunk
        if (out.includes('  try ')) resolve()
      })
    })
    assert.match(out, named)
    assert.match(log, /"level":40,.*"msg":"PUBLIC_ULR is no setting and has no effect; did you mean PUBLIC_URL\?"/)
    const closed = new Promise(resolve => server.stdout.on('close', resolve))
    server.kill('SIGTERM')
    await closed
    directory.remove()
  }
})
