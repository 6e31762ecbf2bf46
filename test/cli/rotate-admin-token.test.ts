import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { call } from '../support/client.ts'
import { dropDatabaseOf, ENGINE, engineSettings } from '../support/engine.ts'
import { eventually, makeDirectory } from '../support/process.ts'
import { expectDone, expectRefusal } from './command.ts'
import { commandLine } from './people/in-process.ts'

const { inProcess, scratch } = commandLine()
const directory = makeDirectory()
after(async () => {
  await dropDatabaseOf(directory.path)
  directory.remove()
})

test('the admin token is replaced while the service runs, and the earlier one is refused', async () => {
  const DATA_DIR = join(directory.path, 'data')
  const settings = { DATA_DIR, ...(await engineSettings(directory.path, ENGINE)) }
  const app = await openApp(readConfig({ PORT: '0', ...settings }), { logger: pino({ level: 'silent' }) })
  await eventually('the store is ready', 60_000, async () => (app.readiness().ready ? true : undefined))
  const file = join(DATA_DIR, 'admin-token')
  const tokenIn = (): string => readFileSync(file, 'utf8').trim()
  const statusWith = async (token: string): Promise<number> =>
    (await call(app.url, 'GET', '/api/admin/snapshot', { headers: { authorization: `Bearer ${token}` } })).status
  const earlier = tokenIn()
  assert.equal(await statusWith(earlier), 200)
  const said = expectDone(await inProcess(['rotate-admin-token'], { env: settings }))
  assert.match(said, /has a new admin token; the earlier one is refused\.\n$/)
  const token = tokenIn()
  assert.notEqual(token, earlier)
  assert.ok(!said.includes(token))
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const refused = async () => ((await statusWith(earlier)) === 401 ? true : undefined)
  if (ENGINE === 'postgres') await eventually('every node refuses the earlier token', 60_000, refused)
  assert.equal(await statusWith(earlier), 401)
  assert.equal(await statusWith(token), 200)
  await app.close()
})

test('a configured token is not replaced, and a directory without a token is refused', async () => {
  const rotate = (env: Record<string, string>) => inProcess(['rotate-admin-token'], { env })
  expectRefusal(
    await rotate({ ADMIN_TOKEN: 'a-token-of-some-length' }),
    1,
    /ADMIN_TOKEN has the admin token: replace it there/,
  )
  expectRefusal(await rotate({ DATA_DIR: scratch() }), 1, /There is no admin token in .*--data-dir/)
})
