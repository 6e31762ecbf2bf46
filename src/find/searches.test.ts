import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSharedCounters, publishClosing, publishIndexed } from '../engine/counters.ts'
import { IndexBarrier } from './searches.ts'

const PATIENCE = 30_000

/** The outcomes so far. */
async function outcomes(waits: Promise<void>[]): Promise<string[]> {
  const open = new Promise<string>(resolve => setTimeout(resolve, 20, 'waiting'))
  const outcomes = waits.map(wait =>
    wait.then(
      () => 'reached',
      (problem: { code: string }) => problem.code,
    ),
  )
  return Promise.all(outcomes.map(one => Promise.race([one, open])))
}

test('a search continues once the index has reached its record, not before', async () => {
  const counters = createSharedCounters()
  const barrier = new IndexBarrier(counters, { most: 10, patience: PATIENCE })
  const asked = [0n, 1n, 1n, 2n, 5n].map(record => barrier.until(record))
  assert.deepEqual(await outcomes(asked), ['reached', 'waiting', 'waiting', 'waiting', 'waiting'])
  assert.equal(barrier.pending(), 4)
  publishIndexed(counters, 2)
  assert.deepEqual(await outcomes(asked), ['reached', 'reached', 'reached', 'reached', 'waiting'])
  publishIndexed(counters, 7)
  assert.deepEqual((await outcomes(asked)).at(-1), 'reached')
  assert.equal(barrier.pending(), 0)
  const later = barrier.until(8n)
  publishIndexed(counters, 8)
  assert.deepEqual(await outcomes([later]), ['reached'])
})

test('searches that wait too long are refused together, and may be repeated', async () => {
  const counters = createSharedCounters()
  const barrier = new IndexBarrier(counters, { most: 100, patience: 50 })
  const asked = Array.from({ length: 100 }, () => barrier.until(1n))
  const settled = await Promise.allSettled(asked)
  const codes = settled.map(one => (one.status === 'rejected' ? one.reason.code : 'reached'))
  assert.deepEqual(new Set(codes), new Set(['NOT_READY']))
  assert.equal(barrier.pending(), 0)
  const again = barrier.until(1n)
  publishIndexed(counters, 1)
  await again
})

test('no more searches wait than allowed, and none once the store closes', async () => {
  const counters = createSharedCounters()
  const barrier = new IndexBarrier(counters, { most: 2, patience: PATIENCE })
  const asked = [1n, 1n, 1n].map(record => barrier.until(record))
  assert.deepEqual(await outcomes(asked), ['waiting', 'waiting', 'OVERLOADED'])
  publishClosing(counters)
  assert.deepEqual(await outcomes(asked), ['NOT_READY', 'NOT_READY', 'OVERLOADED'])
  assert.deepEqual(await outcomes([barrier.until(1n)]), ['NOT_READY'])
})
