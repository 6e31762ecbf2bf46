import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { StoreFault } from '../database/database.ts'
import type { Observation } from '../operations/observe.ts'
import type { Store } from '../operations/store.ts'
import { createObserver, type Visitor } from './observer.ts'

const HOUR = 3_600_000
const visitor = (actor: number, at = HOUR): Visitor => ({
  actor,
  origin: { id: 'origin', day: '1970-01-01', networkKey: 'key' },
  userAgent: '',
  requestId: `request at ${at}`,
  at,
})
const READ = { action: 'READ', entry: 1, revision: 1, metadata: null } as const

/** A store that keeps batches when it is let, and shows what it was given. */
function slowStore() {
  const batches: Observation[][] = []
  const waiting: (() => void)[] = []
  const keep = async (name: string, input: unknown): Promise<void> => {
    if (name !== 'recordObservations') return
    batches.push(input as Observation[])
    await new Promise<void>(resolve => waiting.push(resolve))
  }
  return { batches, store: { keep } as unknown as Store, release: () => waiting.shift()?.() }
}

/** Gives what collects garbage now. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

const observe = (store: Store) =>
  createObserver(store, () => ({ at: HOUR, cooldown: 0, dataClass: 'EXTERNAL' }), assert.fail)

test('everybody who waits while a batch is written shares the one that follows', async () => {
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

test('what is seen again within the hour is one observation of the first request, counted and dated anew', async () => {
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

test('more than the store keeps up with has to wait, and is counted to the last', async () => {
  let kept = 0
  const keep = async (_: string, input: unknown): Promise<void> => {
    await new Promise(setImmediate)
    for (const { times } of input as Observation[]) kept += times
  }
  const observer = observe({ keep } as unknown as Store)
  let waited = 0
  for (let n = 0; n < 100_000; n++) {
    const room = observer.room()
    if (room !== undefined) {
      waited++
      await room
      assert.equal(observer.room(), undefined, 'there is room after the wait')
    }
    observer.note(visitor(n), READ)
  }
  await observer.close()
  assert.ok(waited > 5, `waited ${waited} times`)
  assert.equal(kept, 100_000)
})

test('what came at once is counted to the last where the store takes it, however much it is', async () => {
  let kept = 0
  const keep = async (_: string, input: unknown): Promise<void> => {
    for (const { times } of input as Observation[]) kept += times
  }
  const observer = observe({ keep } as unknown as Store)
  // Whoever was admitted while there was room looks no second time.
  for (let n = 0; n < 75_000; n++) observer.note(visitor(n), READ)
  await observer.close()
  assert.equal(kept, 75_000)
})

test('long user agents take no more memory than short ones', async () => {
  const observer = observe({ keep: async () => {} } as unknown as Store)
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

test('nobody waits for a store that takes nothing; what finds no room is told once each time, and counted', async () => {
  const told: number[] = []
  let takes = false
  const keep = async (): Promise<void> => {
    if (!takes) throw new StoreFault('full', new Error('no space'))
  }
  const store = { keep } as unknown as Store
  const observer = createObserver(
    store,
    () => ({ at: HOUR, cooldown: 0, dataClass: 'EXTERNAL' }),
    lost => told.push(lost),
  )
  observer.note(visitor(0), READ)
  await observer.flush()
  for (let n = 0; n < 60_000; n++) {
    assert.equal(observer.room(), undefined)
    observer.note(visitor(n), READ)
  }
  assert.deepEqual(told, [])
  await observer.flush()
  assert.deepEqual(told, [10_000])
  takes = true
  await observer.close()
  assert.deepEqual(told, [10_000])
})
