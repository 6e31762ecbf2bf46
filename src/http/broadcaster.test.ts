import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { Reader } from '../engine/database.ts'
import type { ChangeFilter, ChangeKey } from '../memory/activity/rules.ts'
import type { StreamEvent, StreamOperation } from '../memory/operation.ts'
import { Broadcaster } from './events.ts'

const STREAMS = 100
const PATIENCE = 2_000

/** Every hundredth row is about entry 1. */
const keyOf = (sequence: number): ChangeKey => ({
  ...{ sequence, action: 'CREATE', actor: 1, entry: sequence % 100 === 0 ? 1 : 2, target: null, shown: true },
})

/** A list in memory whose every third position is not shown. It notifies when it grows, and counts the reads of its rows. */
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
    async after(_reader, from, limit, newest) {
      const found = list.shown(from).map((id): StreamEvent => ({ id, event: 'e', data: {}, key: keyOf(id) }))
      const events = found.slice(0, limit)
      list.rows += events.length
      const last = events.at(-1)?.id ?? from
      return { events, place: found.length < limit ? Math.max(last, newest) : last }
    },
  }
  const store = {
    reader: {} as Reader,
    onCommit(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return { ...list, list, follower: new Broadcaster(source, store, pino({ level: 'silent' })) }
}

const nothingAfter = (to: number) => ({ to, bytes: Buffer.alloc(0) })
const never = new AbortController().signal

/** Reads from a position to that of the newest row, and returns the ids. */
async function takeUntil(follower: Broadcaster, from: number, to: number, filter?: ChangeFilter): Promise<number[]> {
  const ids: number[] = []
  for (let place = from; place < to; ) {
    const stretch = await follower.next(place, PATIENCE, never, filter)
    assert.ok(stretch.to > place, `nothing came after ${place}`)
    ids.push(...[...stretch.bytes.toString().matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)))
    place = stretch.to
  }
  return ids
}

test('a hundred current streams share one read', async () => {
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

test('a stream with a filter gets its rows of the shared read', async () => {
  const { list, follower, grow, shown } = growingList()
  const filters = [{ entries: new Set([1]) }, { entries: new Set([3]) }, undefined]
  const begun = await Promise.all(filters.map(() => follower.begin()))
  assert.deepEqual(begun, [0, 0, 0])
  const [own, all] = [takeUntil(follower, 0, 1_000, filters[0]), takeUntil(follower, 0, 1_001, filters[2])]
  const other = follower.next(0, PATIENCE, never, filters[1])
  for (let n = 0; n < 50; n += 1) {
    grow(20)
    await new Promise(setImmediate)
  }
  grow(1)
  assert.deepEqual(await own, [100, 200, 400, 500, 700, 800, 1_000])
  assert.deepEqual(await all, shown(0))
  assert.deepEqual(await other, nothingAfter(1_001), 'it was not woken, and has the position after the skipped rows')
  assert.ok(list.rows < 2 * shown(0).length, `${list.rows} rows were read`)
})

test('rows that are committed while the first stream begins are sent at once', async () => {
  const { follower, list, grow, shown } = growingList()
  const beginning = follower.begin()
  // The position was requested, and no stream listens yet.
  assert.equal(list.listeners.size, 0)
  grow(2)
  assert.deepEqual(await takeUntil(follower, await beginning, 2), shown(0))
})

test('a lagging stream catches up and joins the others', async () => {
  const { follower, grow, shown } = growingList()
  grow(1_000)
  assert.equal(await follower.begin(), 1_000)
  const old = takeUntil(follower, 0, 1_020)
  const between = takeUntil(follower, 777, 1_020)
  grow(20)
  assert.deepEqual(await old, shown(0))
  assert.deepEqual(await between, shown(777))
})

test('silence, an end and a position in the future are distinguished', async () => {
  const { follower, grow, list } = growingList()
  await follower.begin()
  assert.deepEqual(await follower.next(0, 10, never), nothingAfter(0))
  const ending = new AbortController()
  const waiting = follower.next(0, PATIENCE, ending.signal)
  ending.abort()
  assert.deepEqual(await waiting, nothingAfter(0))
  assert.deepEqual(await follower.next(0, PATIENCE, ending.signal), nothingAfter(0))
  // A row that is not shown wakes no stream: the stream continues after it.
  grow(2)
  assert.deepEqual(await takeUntil(follower, 0, 2), [1, 2])
  const passing = follower.next(2, 200, never)
  grow(1)
  assert.deepEqual(await passing, nothingAfter(3))
  follower.end()
  assert.equal(list.listeners.size, 0, 'without streams the list is not followed')
})
