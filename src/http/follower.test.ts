import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { Reader } from '../database/database.ts'
import type { StreamEvent, StreamOperation } from '../operations/operation.ts'
import { createFollower } from './follower.ts'

const STREAMS = 100
const PATIENCE = 2_000

/** A list in memory, of which every third place is not shown; it tells when it grows, and counts how often its rows are read. */
function growingList() {
  const listeners = new Set<() => void>()
  let size = 0
  const list = {
    rows: 0,
    listeners,
    grow(by: number): void {
      size += by
      for (const listener of listeners) listener()
    },
    size: () => size,
    shown: (above: number): number[] =>
      Array.from({ length: size - above }, (_, n) => above + n + 1).filter(id => id % 3 !== 0),
  }
  const source: StreamOperation = {
    newest: async () => size,
    async after(_reader, place, limit) {
      const events = list.shown(place).map((id): StreamEvent => ({ id, event: 'e', data: {} }))
      list.rows += Math.min(events.length, limit)
      return events.slice(0, limit)
    },
  }
  const store = {
    reader: {} as Reader,
    onCommit(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return { ...list, list, follower: createFollower(source, store, pino({ level: 'silent' })) }
}
type Follower = ReturnType<typeof growingList>['follower']

const never = new AbortController().signal

/** Takes from a place on until that of the newest row, and gives the ids. */
async function takeUntil(follower: Follower, from: number, to: number): Promise<number[]> {
  const ids: number[] = []
  for (let place = from; place < to; ) {
    const stretch = await follower.next(place, PATIENCE, never)
    assert.ok(stretch, `nothing came after ${place}`)
    assert.equal(stretch.from, place)
    ids.push(...[...stretch.bytes.toString().matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)))
    place = stretch.to
  }
  return ids
}

test('a hundred streams that are up to date are handed what is read once', async () => {
  const { list, follower, grow, size, shown } = growingList()
  grow(10)
  const begun = await Promise.all(Array.from({ length: STREAMS }, () => follower.begin()))
  assert.deepEqual([...new Set(begun)], [10])
  const taking = begun.map(from => takeUntil(follower, from, 310))
  for (let n = 0; n < 30; n += 1) {
    grow(10)
    await new Promise(setImmediate)
  }
  for (const ids of await Promise.all(taking)) assert.deepEqual(ids, shown(10))
  assert.equal(size(), 310)
  assert.ok(list.rows < 2 * shown(10).length, `${list.rows} rows were read for ${STREAMS} streams`)
})

test('what is committed while the first stream begins is not waited for', async () => {
  const { follower, list, grow, shown } = growingList()
  const beginning = follower.begin()
  // The place was asked for, and nobody listens yet.
  assert.equal(list.listeners.size, 0)
  grow(2)
  assert.deepEqual(await takeUntil(follower, await beginning, 2), shown(0))
})

test('who lags reads up to the others, and joins them', async () => {
  const { follower, grow, shown } = growingList()
  grow(1_000)
  assert.equal(await follower.begin(), 1_000)
  const old = takeUntil(follower, 0, 1_020)
  const between = takeUntil(follower, 777, 1_020)
  grow(20)
  assert.deepEqual(await old, shown(0))
  assert.deepEqual(await between, shown(777))
})

test('nothing for a while, an end, and a place ahead of all are told apart', async () => {
  const { follower, grow, list } = growingList()
  await follower.begin()
  assert.equal(await follower.next(0, 10, never), undefined)
  const ending = new AbortController()
  const waiting = follower.next(0, PATIENCE, ending.signal)
  ending.abort()
  assert.equal(await waiting, undefined)
  assert.equal(await follower.next(0, PATIENCE, ending.signal), undefined)
  // What is not shown is passed over in silence.
  grow(2)
  assert.deepEqual(await takeUntil(follower, 0, 2), [1, 2])
  grow(1)
  const stretch = await follower.next(2, PATIENCE, never)
  assert.deepEqual([stretch?.to, stretch?.bytes.length], [3, 0])
  follower.end()
  assert.equal(list.listeners.size, 0, 'without streams nothing is followed')
})
