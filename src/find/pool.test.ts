import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SearchRequest } from '../memory/searching.ts'
import { SearchPool, type SearchThread } from './pool.ts'

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
