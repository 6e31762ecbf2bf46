import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createSignals, isStopping, tellStop } from './signals.ts'

const ROUNDS = 20_000
const PATIENCE = 20_000

/** Waits for a commit in all of them, one after the other. */
const WAITER = `
  const { parentPort, workerData } = require('node:worker_threads')
  import(workerData.module).then(({ awaitCommit }) => {
    parentPort.postMessage('ready')
    for (const signals of workerData.all) {
      Atomics.store(signals, signals.length - 1, 1n)
      awaitCommit(signals, 0n)
    }
  })`

/** Signals, and a place behind them where the waiter says that it has come to them. */
const withPlace = () =>
  new BigInt64Array(new SharedArrayBuffer(createSignals().byteLength + BigInt64Array.BYTES_PER_ELEMENT))

test('whoever begins to wait while it is told to stop stops', async t => {
  const all = Array.from({ length: ROUNDS }, withPlace)
  const waiter = new Worker(WAITER, {
    eval: true,
    workerData: { all, module: new URL('./signals.ts', import.meta.url).href },
  })
  t.after(() => waiter.terminate())
  const ended = new Promise<void>(resolve => waiter.once('exit', () => resolve()))
  await new Promise(resolve => waiter.once('message', resolve))
  for (const [round, signals] of all.entries()) {
    const deadline = performance.now() + PATIENCE
    while (Atomics.load(signals, signals.length - 1) === 0n)
      assert.ok(performance.now() < deadline, `stuck at ${round}`)
    for (let spin = round % 400; spin > 0; spin--) isStopping(signals)
    tellStop(signals)
  }
  await ended
})
