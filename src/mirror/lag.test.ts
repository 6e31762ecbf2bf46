import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MirrorLag } from './lag.ts'

const SECOND = 1_000

test('a mirror is ready from its first complete copy until the lag passes the limit', () => {
  let now = 5 * SECOND
  const lag = new MirrorLag(10, () => now)
  assert.equal(lag.obstacle(), 'copying its original')
  lag.progress(40, 100)
  now = 65 * SECOND
  assert.deepEqual(lag.metrics(), { copied: 40, newest: 100, seconds: 60 })
  assert.equal(lag.obstacle(), 'copying its original')
  lag.progress(100, 100)
  lag.reached(64 * SECOND)
  assert.equal(lag.obstacle(), undefined)
  now = 74 * SECOND
  assert.equal(lag.obstacle(), undefined)
  now += 1
  assert.equal(lag.obstacle(), 'lagging after its original')
  lag.progress(100, 100)
  lag.reached(now)
  assert.equal(lag.obstacle(), undefined)
})

test('a mirror that always lacks the newest rows lags by the age of the oldest state that it has not reached', () => {
  let now = 0
  const lag = new MirrorLag(10, () => now)
  for (let second = 0; second <= 60; second++) {
    now = second * SECOND
    lag.progress(second, second + 2)
    lag.reached(now)
    if (second >= 2) assert.equal(lag.obstacle(), undefined, `at ${second}`)
  }
  assert.ok(lag.metrics().seconds <= 4, String(lag.metrics().seconds))
  for (let second = 61; second <= 75; second++) {
    now = second * SECOND
    lag.progress(60, second + 2)
    lag.reached(now)
  }
  assert.equal(lag.obstacle(), 'lagging after its original')
})
