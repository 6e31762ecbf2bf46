import assert from 'node:assert/strict'
import { test } from 'node:test'
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
