import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSignals, tellClosing, tellIndexed } from '../threads/signals.ts'
import { createIndexWaits } from './index-waits.ts'

const PATIENCE = 30_000

/** The outcomes so far. */
async function outcomes(waits: Promise<void>[]): Promise<string[]> {
  const open = new Promise<string>(resolve => setTimeout(resolve, 20, 'waiting'))
  const told = waits.map(wait =>
    wait.then(
      () => 'reached',
      (problem: { code: string }) => problem.code,
    ),
  )
  return Promise.all(told.map(one => Promise.race([one, open])))
}

test('a search continues once the index has reached its record, not before', async () => {
  const signals = createSignals()
  const waits = createIndexWaits(signals, { most: 10, patience: PATIENCE })
  const asked = [0n, 1n, 1n, 2n, 5n].map(record => waits.until(record))
  assert.deepEqual(await outcomes(asked), ['reached', 'waiting', 'waiting', 'waiting', 'waiting'])
  assert.equal(waits.pending(), 4)
  tellIndexed(signals, 2)
  assert.deepEqual(await outcomes(asked), ['reached', 'reached', 'reached', 'reached', 'waiting'])
  tellIndexed(signals, 7)
  assert.deepEqual((await outcomes(asked)).at(-1), 'reached')
  assert.equal(waits.pending(), 0)
  const later = waits.until(8n)
  tellIndexed(signals, 8)
  assert.deepEqual(await outcomes([later]), ['reached'])
})

test('searches that wait too long are refused together, and may be repeated', async () => {
  const signals = createSignals()
  const waits = createIndexWaits(signals, { most: 100, patience: 50 })
  const asked = Array.from({ length: 100 }, () => waits.until(1n))
  const settled = await Promise.allSettled(asked)
  const codes = settled.map(one => (one.status === 'rejected' ? one.reason.code : 'reached'))
  assert.deepEqual(new Set(codes), new Set(['NOT_READY']))
  assert.equal(waits.pending(), 0)
  const again = waits.until(1n)
  tellIndexed(signals, 1)
  await again
})

test('no more searches wait than allowed, and none once the store closes', async () => {
  const signals = createSignals()
  const waits = createIndexWaits(signals, { most: 2, patience: PATIENCE })
  const asked = [1n, 1n, 1n].map(record => waits.until(record))
  assert.deepEqual(await outcomes(asked), ['waiting', 'waiting', 'OVERLOADED'])
  tellClosing(signals)
  assert.deepEqual(await outcomes(asked), ['NOT_READY', 'NOT_READY', 'OVERLOADED'])
  assert.deepEqual(await outcomes([waits.until(1n)]), ['NOT_READY'])
})
