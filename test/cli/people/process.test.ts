import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { newActor, newEntry } from '../../support/client.ts'
import { expectRefusal, LAUNCHER, palimpsest } from '../command.ts'
import { inProcess, scratch } from './in-process.ts'

let app: TestApp
let env: { PALIMPSEST_URL: string; XDG_CONFIG_HOME: string }
before(async () => {
  app = await startApp()
  env = { PALIMPSEST_URL: app.url, XDG_CONFIG_HOME: join(scratch(), 'config') }
  const { token } = await newActor(app.url)
  const content = 'a line\n'.repeat(2_500)
  for (let made = 0; made < 30; made += 1) await newEntry(app.url, token, { title: `Long ${made}`, content })
})
after(() => app.close())

test('a reader that goes away ends a list quietly', async t => {
  const child = spawn(process.execPath, [LAUNCHER, 'search', '--json', '--limit', '1000'], {
    env: { ...process.env, ...env },
  })
  t.after(() => child.kill('SIGKILL'))
  let told = ''
  child.stderr.on('data', chunk => {
    told += chunk
  })
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const [code] = (await once(child, 'close')) as [number]
  assert.deepEqual([code, told], [0, ''])
})

test('a process ends with the exit code of the refusal', async () => {
  expectRefusal(await palimpsest(['show', 'not-there'], { env }), 3, /^ENTRY_NOT_FOUND: /)
})

test('colour is for a terminal whose owner has not declined it', async () => {
  const style = '\u001b['
  const shown = async (terminal: number | undefined, more: Record<string, string> = {}): Promise<string> =>
    (await inProcess(['show', 'long-1'], { env: { ...env, ...more }, ...(terminal === undefined ? {} : { terminal }) }))
      .stdout
  assert.ok((await shown(80)).includes(style))
  assert.ok(!(await shown(undefined)).includes(style))
  assert.ok(!(await shown(80, { NO_COLOR: '1' })).includes(style))
  assert.ok(!(await shown(80, { TERM: 'dumb' })).includes(style))
  assert.ok((await shown(80, { NO_COLOR: '' })).includes(style))
})
