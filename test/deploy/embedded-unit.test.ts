import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeLogKey } from '../../src/tlog/key-files.ts'
import { expectDone, palimpsest } from '../cli/command.ts'
import { someWitness } from '../support/log-files.ts'
import { makeDirectory, spawnService } from '../support/process.ts'
import { assertNeeded, grantsOf, type Machine, makeMachine, NO_NODE, runUnit, useService } from './unit.ts'

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

test('the unit of a failure writes an alert, and runs the program of the operator with the name of the unit', async () => {
  const machine = makeMachine()
  const report = () => runUnit('palimpsest-failed@.service', { machine, instance: 'palimpsest-backup.service' }).ended
  const alert = /^<1>palimpsest-backup\.service has failed: systemctl status palimpsest-backup\.service has the reason/
  const alone = await report()
  assert.equal(alone.code, 0, alone.stderr)
  assert.match(alone.stdout, alert)
  const program = join(machine.path, 'settings/on-failure')
  writeFileSync(program, '#!/bin/sh\necho "called with $1"; exit 3\n', { mode: 0o755 })
  const called = await report()
  assert.equal(called.code, 3, 'a program that fails is seen')
  assert.match(called.stdout, alert)
  assert.match(called.stdout, /^called with palimpsest-backup\.service$/m)
})

test('the unit of the embedded store grants only what the service needs', { skip: NO_NODE }, async () => {
  const machine = makeMachine()
  machine.state('palimpsest')
  await assertNeeded(UNIT, grantsOf(UNIT), { machine, env: withFiles(machine) })
})

/** Settings that name a file of the settings, and a credential of a drop-in. */
function withFiles(machine: Machine): Record<string, string> {
  const policy = join(machine.path, 'settings/witness-policy')
  writeFileSync(policy, `witness one ${someWitness('one.example').vkey}\nquorum one\n`)
  machine.credential('log-key', makeLogKey())
  return { ...OPEN, TLOG_WITNESSES: policy, TLOG_KEY_FILE: join(machine.path, 'credentials/log-key') }
}

test('the unit reads the witness policy and the key of a drop-in, and a start names the sandbox that hides a file', {
  skip: NO_NODE,
}, async () => {
  const machine = makeMachine()
  machine.state('palimpsest')
  const env = withFiles(machine)
  const unit = runUnit(UNIT, { machine, env })
  const keys = await (await fetch(`${await unit.url}/log/keys`)).text()
  assert.match(keys, /one\.example/)
  assert.equal((await unit.stop()).code, 0)

  const elsewhere = join(machine.path, 'elsewhere')
  writeFileSync(elsewhere, 'quorum none\n')
  for (const [name, value] of Object.entries({ TLOG_WITNESSES: elsewhere, TLOG_KEY_FILE: elsewhere })) {
    const { code, stderr } = await runUnit(UNIT, { machine, env: { ...env, [name]: value } }).ended
    assert.equal(code, 1)
    assert.match(
      stderr,
      new RegExp(`^${name} names .*elsewhere, which cannot be read \\(the sandbox of Node hides it: put`),
    )
  }
})

test('a file that is missing in the sandbox of systemd is reported with the remedy', async () => {
  const { path, remove } = makeDirectory()
  const wrap = ['sh', '-c', 'SYSTEMD_EXEC_PID=$$ exec "$@"', 'sh']
  const env = { DATA_DIR: path, TLOG_KEY_FILE: '/nowhere/log-key' }
  const { code, stderr } = await spawnService(['serve'], { env, wrap }).ended
  remove()
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^TLOG_KEY_FILE names .*no such file or directory, in the sandbox of the unit: pass .* LoadCredential/,
  )
})
