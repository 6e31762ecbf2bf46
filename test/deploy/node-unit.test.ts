import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { call, expectStatus } from '../support/client.ts'
import { databaseOf, NO_POSTGRES } from '../support/engine.ts'
import { freePort } from '../support/ports.ts'
import {
  assertNeeded,
  grantsOf,
  type Machine,
  makeMachine,
  NO_NODE,
  type Running,
  runUnit,
  useService,
} from './unit.ts'

const UNIT = 'palimpsest@.service'
const OPEN = { COOLDOWN_SECONDS: '0', LOG_LEVEL: 'warn' }
const TOKEN = 'an-admin-token-of-the-machine'

/** A machine with the secrets of a node. */
async function makeNodeMachine(): Promise<Machine> {
  const machine = makeMachine()
  machine.credential('database-url', await databaseOf(machine.path))
  machine.credential('admin-token', TOKEN)
  machine.credential('origin-key', 'a-key-of-all-the-nodes')
  return machine
}

test('the unit of a node over PostgreSQL serves, and stores only its search index and the head of the log', {
  skip: NO_NODE || NO_POSTGRES,
}, async () => {
  const machine = await makeNodeMachine()
  const instances = [String(await freePort()), String(await freePort())]
  const states = instances.map(instance => machine.state(`palimpsest-${instance}`))
  const [first, second] = instances.map(instance => runUnit(UNIT, { machine, instance, env: OPEN })) as [
    Running,
    Running,
  ]
  const slug = await useService(await first.url, TOKEN)
  expectStatus(await call(await second.url, 'GET', `/api/entries/${slug}`), 200)
  for (const { code, stderr } of [await first.stop(), await second.stop()]) {
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  }
  for (const state of states) {
    assert.deepEqual(
      readdirSync(state).filter(file => !/^(search-node\.db|palimpsest\.lock|log-head)/.test(file)),
      [],
    )
  }
})

test('the unit of a node grants only what the service needs', { skip: NO_NODE || NO_POSTGRES }, async () => {
  const machine = await makeNodeMachine()
  // This path is needed only if the database has its own certificate authority.
  const grants = grantsOf(UNIT).filter(grant => grant !== '--allow-fs-read=/etc/palimpsest')
  const instance = String(await freePort())
  machine.state(`palimpsest-${instance}`)
  await assertNeeded(UNIT, grants, { machine, instance, env: OPEN })
})
