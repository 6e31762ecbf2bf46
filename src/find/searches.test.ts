import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLOSING, createSharedCounters, INDEXED, publish } from '../engine/thread.ts'
import type { SearchRequest } from '../memory/searching.ts'
import { IndexBarrier, SearchPool, type SearchThread } from './searches.ts'

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
  publish(counters, INDEXED, 2n)
  assert.deepEqual(await outcomes(asked), ['reached', 'reached', 'reached', 'reached', 'waiting'])
  publish(counters, INDEXED, 7n)
  assert.deepEqual((await outcomes(asked)).at(-1), 'reached')
  assert.equal(barrier.pending(), 0)
  const later = barrier.until(8n)
  publish(counters, INDEXED, 8n)
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
  publish(counters, INDEXED, 1n)
  await again
})

test('no more searches wait than allowed, and none once the store closes', async () => {
  const counters = createSharedCounters()
  const barrier = new IndexBarrier(counters, { most: 2, patience: PATIENCE })
  const asked = [1n, 1n, 1n].map(record => barrier.until(record))
  assert.deepEqual(await outcomes(asked), ['waiting', 'waiting', 'OVERLOADED'])
  publish(counters, CLOSING, 1n)
  assert.deepEqual(await outcomes(asked), ['NOT_READY', 'NOT_READY', 'OVERLOADED'])
  assert.deepEqual(await outcomes([barrier.until(1n)]), ['NOT_READY'])
})

const QUERY: SearchRequest = { q: 'q', tag: null, sort: 'recent', limit: 1, offset: 0 }

/** Threads that answer on demand. */
function createThreads() {
  const threads: { answer: () => void; closed: boolean }[] = []
  const start = async (): Promise<SearchThread> => {
    const waiting: (() => void)[] = []
    const thread = {
      answer: () => {
        waiting.shift()?.()
      },
      closed: false,
    }
    threads.push(thread)
    return {
      ask: () => new Promise(resolve => waiting.push(() => resolve({ entries: [], more: false }))),
      pending: () => waiting.length,
      close: async () => {
        thread.closed = true
      },
    }
  }
  return { threads, start }
}
const turn = () => new Promise(setImmediate)

test('the first search starts a thread, which sequential ones use; simultaneous ones use up to the most', async () => {
  const { threads, start } = createThreads()
  const pool = new SearchPool(start, 2)
  assert.equal(threads.length, 0)
  for (let n = 0; n < 3; n++) {
    const answer = pool.ask(QUERY)
    await turn()
    threads[0]?.answer()
    await answer
  }
  assert.equal(threads.length, 1)
  const answers = [pool.ask(QUERY), pool.ask(QUERY)]
  await turn()
  assert.equal(threads.length, 2)
  answers.push(pool.ask(QUERY), pool.ask(QUERY))
  await turn()
  assert.equal(threads.length, 2)
  assert.equal(pool.pending(), 4)
  for (const thread of [...threads, ...threads]) thread.answer()
  await Promise.all(answers)
})

test('a thread that starts during close is closed too, and none starts after it', async () => {
  const { threads, start } = createThreads()
  const pool = new SearchPool(start, 3)
  void pool.ask(QUERY)
  await turn()
  void pool.ask(QUERY)
  const closed = pool.close()
  void pool.ask(QUERY)
  await closed
  assert.deepEqual(
    threads.map(thread => thread.closed),
    [true, true],
  )
})

test('a thread that cannot be started leaves the others running', async () => {
  const { threads, start } = createThreads()
  let starts = 0
  const pool = new SearchPool(() => (starts++ === 0 ? start() : Promise.reject(new Error('no'))), 2)
  const answers = [pool.ask(QUERY)]
  await turn()
  answers.push(pool.ask(QUERY))
  await turn()
  threads[0]?.answer()
  threads[0]?.answer()
  await Promise.all(answers)
  assert.equal(starts, 2)
  await pool.close()
})

test('a first thread that cannot be started fails the searches that wait for it', async () => {
  const pool = new SearchPool(() => Promise.reject(new Error('no')), 2)
  const answers = [pool.ask(QUERY), pool.ask(QUERY)]
  assert.equal(pool.pending(), 2)
  for (const answer of answers) await assert.rejects(answer, /no/)
  assert.equal(pool.pending(), 0)
  await pool.close()
})

test('after close no search starts a first thread', async () => {
  const { threads, start } = createThreads()
  const pool = new SearchPool(start, 2)
  await pool.close()
  await assert.rejects(pool.ask(QUERY), /closed/)
  assert.equal(threads.length, 0)
})
