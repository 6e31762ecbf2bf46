import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../contract/problem.ts'
import type { Reader } from '../engine/database.ts'
import { MinSequence } from './check.ts'

/** A store of which only the sequence is read. */
function fakeStore() {
  const listeners = new Set<() => void>()
  const state = { sequence: 5, reads: 0, listeners }
  const reader = {
    one: async () => {
      state.reads += 1
      return { sequence: state.sequence }
    },
  } as unknown as Reader
  const onCommit = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const commit = (sequence: number): void => {
    state.sequence = sequence
    for (const listener of listeners) listener()
  }
  return { state, store: { reader, onCommit }, commit }
}

test('all that wait are answered by one read of the store for each commit, and nothing listens when none waits', async () => {
  const { state, store, commit } = fakeStore()
  const sequences = new MinSequence(store, { seconds: 60, waiters: 1_000 })
  await sequences.reached({ 'min-sequence': '5' })
  assert.equal(sequences.reached({ 'min-sequence': '5' }), undefined, 'a known sequence is not waited for')
  assert.equal(state.listeners.size, 0)
  const before = state.reads
  const waiting = Array.from({ length: 900 }, () => sequences.reached({ 'min-sequence': '6' }))
  await new Promise(setImmediate)
  assert.equal(state.listeners.size, 1)
  commit(6)
  await Promise.all(waiting)
  assert.ok(state.reads - before <= 4, `${state.reads - before} reads`)
  assert.equal(state.listeners.size, 0)
})

test('more requests than may wait are refused at once', async () => {
  const { store, commit } = fakeStore()
  const sequences = new MinSequence(store, { seconds: 60, waiters: 2 })
  const waiting = [1, 2].map(() => sequences.reached({ 'min-sequence': '6' }))
  await assert.rejects(
    async () => sequences.reached({ 'min-sequence': '6' }),
    new Problem('NOT_READY', { retryAfter: 1, reason: 'the store has not reached Min-Sequence' }),
  )
  commit(6)
  await Promise.all(waiting)
  await sequences.reached({ 'min-sequence': '6' })
})
