import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { expectDone, palimpsest } from '../cli/command.ts'
import { assertNeeded, grantsOf, makeMachine, NO_NODE, runUnit, useService } from './unit.ts'

const UNIT = 'palimpsest.service'
const OPEN = { COOLDOWN_SECONDS: '0', LOG_LEVEL: 'warn', PORT: '0' }

test('the unit of the embedded store serves, and its backup unit copies the store', {
  skip: NO_NODE,
}, async () => {
  const machine = makeMachine()
  const state = machine.state('palimpsest')
  const backups = machine.state('palimpsest-backups')
  const unit = runUnit(UNIT, { machine, env: OPEN })
  const slug = await useService(await unit.url, readFileSync(join(state, 'admin-token'), 'utf8').trim())

  const { code, stderr } = await runUnit('palimpsest-backup.service', { machine }).ended
  assert.equal(code, 0, stderr)
  const [backup = '', ...others] = readdirSync(backups)
  assert.deepEqual(others, [])
  assert.match(backup, /^palimpsest-\d{8}-\d{6}\.db$/)
  expectDone(await palimpsest(['check', '--file', join(backups, backup)]))
  const restored = join(machine.path, 'restored')
  expectDone(await palimpsest(['restore', '--from', join(backups, backup), '--data-dir', restored]))
  assert.match(expectDone(await palimpsest(['export', '--data-dir', restored])), new RegExp(`"${slug}"|Gyokuro`))

  const ended = await unit.stop()
  assert.deepEqual({ code: ended.code, stderr: ended.stderr }, { code: 0, stderr: '' })
})

test('the unit of the embedded store grants only what the service needs', { skip: NO_NODE }, async () => {
  const machine = makeMachine()
  machine.state('palimpsest')
  await assertNeeded(UNIT, grantsOf(UNIT), { machine, env: OPEN })
})
