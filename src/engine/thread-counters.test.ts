import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createSharedCounters, publish, STOPPING } from './thread.ts'

const ROUNDS = 20_000
const PATIENCE = 20_000

/** Waits for a commit in all of them, one after the other. */
const WAITER = `
  const { parentPort, workerData } = require('node:worker_threads')
  import(workerData.module).then(async ({ awaitBeyond, COMMITTED }) => {
    // The wait for an event does not keep a thread alive.
    parentPort.on('message', () => {})
    parentPort.postMessage('ready')
    for (const counters of workerData.all) {
      Atomics.store(counters, counters.length - 1, 1n)
      await awaitBeyond(counters, COMMITTED, 0n)
    }
    parentPort.close()
  })`

/** Counters, and a further place where the waiter notes that it has reached them. */
const withPlace = () =>
  new BigInt64Array(new SharedArrayBuffer(createSharedCounters().byteLength + BigInt64Array.BYTES_PER_ELEMENT))

test('a thread that begins to wait while the stop flag is set stops', async t => {
  const all = Array.from({ length: ROUNDS }, withPlace)
  const waiter = new Worker(WAITER, {
    eval: true,
    workerData: { all, module: new URL('./thread.ts', import.meta.url).href },
  })
  t.after(() => waiter.terminate())
  const ended = new Promise<void>(resolve => waiter.once('exit', () => resolve()))
  await new Promise(resolve => waiter.once('message', resolve))
  for (const [round, counters] of all.entries()) {
    const deadline = performance.now() + PATIENCE
    while (Atomics.load(counters, counters.length - 1) === 0n)
      assert.ok(performance.now() < deadline, `stuck at ${round}`)
    for (let spin = round % 400; spin > 0; spin--) Atomics.load(counters, STOPPING)
    publish(counters, STOPPING, 1n)
  }
  await ended
})
