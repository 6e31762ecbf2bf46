import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { StoreFault } from '../engine/database.ts'
import type { Observation } from '../memory/activity/observe.ts'
import type { RemoteCaller } from '../memory/operation.ts'
import type { Store } from '../memory/store.ts'
import { Observer } from './observer.ts'

const HOUR = 3_600_000
const visitor = (actor: number, at = HOUR): RemoteCaller => ({
  actor,
  origin: { id: 'origin', day: '1970-01-01', networkKey: 'key', voice: 'origin' },
  userAgent: '',
  requestId: `request at ${at}`,
  at,
})
const READ = { action: 'READ', entry: 1, revision: 1, metadata: null } as const

/** A store that accepts batches on command, and records them. */
function slowStore() {
  const batches: Observation[][] = []
  const waiting: (() => void)[] = []
  const maintain = async (name: string, input: unknown): Promise<void> => {
    if (name !== 'recordObservations') return
    batches.push(input as Observation[])
    await new Promise<void>(resolve => waiting.push(resolve))
  }
  return { batches, store: { maintain } as unknown as Store, release: () => waiting.shift()?.() }
}

/** Returns the function that collects garbage. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

const observe = (store: Store) =>
  new Observer({ store, now: () => HOUR, writing: { cooldown: 0, dataClass: 'EXTERNAL' } }, assert.fail)

test('all callers that wait while a batch is written share the next one', async () => {
  const { batches, store, release } = slowStore()
  const observer = observe(store)
  observer.note(visitor(0), READ)
  const first = observer.flush()
  const others = Array.from({ length: 50 }, (_, n) => {
    observer.note(visitor(n + 1), READ)
    return observer.flush()
  })
  assert.equal(batches.length, 1)
  release()
  await first
  await new Promise(setImmediate)
  assert.deepEqual(
    batches.map(({ length }) => length),
    [1, 50],
  )
  release()
  await Promise.all(others)
  await observer.close()
  assert.equal(batches.length, 2)
})

test('a repetition within the hour is one observation of the first request, with a new count and time', async () => {
  const { batches, store, release } = slowStore()
  const observer = observe(store)
  for (const at of [HOUR + 5, HOUR + 1, HOUR + 9]) observer.note(visitor(1, at), READ)
  const flushed = observer.flush()
  release()
  await flushed
  const [[kept] = []] = batches
  assert.deepEqual(
    { times: kept?.times, at: kept?.at, lastAt: kept?.lastAt, requestId: kept?.requestId },
    { times: 3, at: HOUR + 1, lastAt: HOUR + 9, requestId: `request at ${HOUR + 1}` },
  )
  await observer.close()
})

test('observations beyond the capacity of the store wait, and all are counted', async () => {
  let kept = 0
  const maintain = async (_: string, input: unknown): Promise<void> => {
    await new Promise(setImmediate)
    for (const { times } of input as Observation[]) kept += times
  }
  const observer = observe({ maintain } as unknown as Store)
  let waited = 0
  for (let n = 0; n < 100_000; n++) {
    const room = observer.room()
    if (room !== undefined) {
      waited++
      await room
      assert.equal(observer.room(), undefined, 'the queue accepts observations after the wait')
    }
    observer.note(visitor(n), READ)
  }
  await observer.close()
  assert.ok(waited > 5, `waited ${waited} times`)
  assert.equal(kept, 100_000)
})

test('all simultaneous observations are counted if the store accepts them', async () => {
  let kept = 0
  const maintain = async (_: string, input: unknown): Promise<void> => {
    for (const { times } of input as Observation[]) kept += times
  }
  const observer = observe({ maintain } as unknown as Store)
  // Requests that were admitted while the queue had room do not check again.
  for (let n = 0; n < 75_000; n++) observer.note(visitor(n), READ)
  await observer.close()
  assert.equal(kept, 75_000)
})

test('long user agents take no more memory than short ones', async () => {
  const observer = observe({ maintain: async () => {} } as unknown as Store)
  const collect = collector()
  collect()
  const before = process.memoryUsage().heapUsed
  const anonymous = { ...visitor(0), actor: null }
  for (let n = 0; n < 5_000; n++) {
    observer.note({ ...anonymous, userAgent: String(n).padEnd(16_000, `-${n}`) }, READ)
    if (n % 500 === 0) await observer.flush()
  }
  await observer.flush()
  collect()
  const megabytes = (process.memoryUsage().heapUsed - before) / 1e6
  await observer.close()
  assert.ok(megabytes < 20, `${megabytes} MB are kept`)
})

test('requests do not wait for a store that accepts nothing; dropped observations are logged once each time, with their number', async () => {
  const reported: number[] = []
  let takes = false
  const maintain = async (): Promise<void> => {
    if (!takes) throw new StoreFault('full', new Error('no space'))
  }
  const store = { maintain } as unknown as Store
  const recording = { store, now: () => HOUR, writing: { cooldown: 0, dataClass: 'EXTERNAL' } as const }
  const observer = new Observer(recording, lost => reported.push(lost))
  observer.note(visitor(0), READ)
  await observer.flush()
  for (let n = 0; n < 60_000; n++) {
    assert.equal(observer.room(), undefined)
    observer.note(visitor(n), READ)
  }
  assert.deepEqual(reported, [])
  await observer.flush()
  assert.deepEqual(reported, [10_000])
  takes = true
  await observer.close()
  assert.deepEqual(reported, [10_000])
})
