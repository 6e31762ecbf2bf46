import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TIMEOUTS } from '../../src/http/connections.ts'
import { shareApp } from '../support/app.ts'
import { call, expectStatus } from '../support/client.ts'
import { STREAMS, type Stream } from './raw-streams.ts'
import { assertDocumented, exchange } from './raw-wire.ts'

/**
 * The longest time that any stream of bytes may keep a connection open: the timeout of the service and a margin for a busy machine, in
 * milliseconds.
 */
const MOST = 15_000
const PATIENCE = 2 * MOST

const app = shareApp()

async function prove({ bytes, outcomes, bodiless = false }: Stream): Promise<void> {
  const expected = Math.max(1, ...outcomes.map(({ length }) => length))
  const outcome = await exchange(app.url, Buffer.from(bytes as string), { expected, patience: PATIENCE, bodiless })
  for (const response of outcome.responses) assertDocumented(response, bodiless)
  assert.equal(outcome.leftover, '', 'bytes that are no response')
  const statuses = outcome.responses.map(({ status }) => status)
  const known = outcomes.some(wanted => wanted.join() === statuses.join())
  assert.ok(known, `answered [${statuses}] for one of ${JSON.stringify(outcomes)}`)
  if (statuses.length === 0) assert.ok(outcome.closed)
}

test('bytes of any kind get the error shape, a documented answer or a clean close', { concurrency: true }, async t => {
  assert.ok(STREAMS.length >= 60)
  assert.ok(TIMEOUTS.requestTimeout + TIMEOUTS.connectionsCheckingInterval <= MOST)
  await Promise.all(STREAMS.map(stream => t.test(stream.label, () => prove(stream))))
  assert.deepEqual(expectStatus(await call(app.url, 'GET', '/health'), 200), { status: 'ok' })
  const faults = app
    .log()
    .split('\n')
    .filter(line => line.includes('"level":50') || line.includes('"level":60'))
  assert.deepEqual(faults, [])
})
