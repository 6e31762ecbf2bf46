import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { startThread, YOUNG_MB } from './thread.ts'

/** How long the thread takes for an answer, in milliseconds. */
const ANSWER = 20
/** How long the main thread works in a turn, in milliseconds. Several answers arrive together after it. */
const TURN = 200
const TURNS = 18
/** Three times as many requests as the thread answers in that time. */
const ASKED_PER_TURN = (3 * TURN) / ANSWER
/** At the pace of the thread, so many requests are answered in 2 s, the longest wait. */
const QUEUE = 2_000 / ANSWER

const sleep = (milliseconds: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)

const ANSWERING = `
import { parentPort } from 'node:worker_threads'
parentPort.postMessage('ready')
parentPort.on('message', message => {
  if (message === 'close') return parentPort.close()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ANSWER})
  parentPort.postMessage([{ id: message.id, result: null }])
})`

test('a thread refuses requests that would wait too long, also if its answers arrive together', async () => {
  const file = new URL(`data:text/javascript,${encodeURIComponent(ANSWERING)}`)
  const fail = (error: Error): never => {
    throw error
  }
  const options = { pendingMax: 10_000, batched: false, together: 1, youngMb: YOUNG_MB, onDeath: fail }
  const thread = await startThread(file, {}, options)
  let longest = 0
  let refused = 0
  try {
    const asked: Promise<unknown>[] = []
    for (let turn = 0; turn < TURNS; turn++) {
      for (let n = 0; n < ASKED_PER_TURN; n++) asked.push(thread.ask({}).catch(() => refused++))
      longest = Math.max(longest, thread.pending())
      sleep(TURN)
      await nextTurn()
      await nextTurn()
    }
    await Promise.all(asked)
  } finally {
    await thread.close()
  }
  assert.ok(longest > ASKED_PER_TURN && longest <= 2 * QUEUE, `${longest} requests waited`)
  assert.ok(refused > 0)
})
