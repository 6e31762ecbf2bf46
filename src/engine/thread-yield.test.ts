import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCpuYield, createSharedCounters, READS, type SharedCounters } from './thread.ts'

/** A thread with a clock that only the test advances, and the duration of each rest. */
function thread(cores = 1) {
  const counters: SharedCounters = createSharedCounters()
  const rests: number[] = []
  let time = 0
  const yieldCpu = createCpuYield(counters, {
    now: () => time,
    rest: milliseconds => {
      rests.push(milliseconds)
      time += milliseconds
    },
    cores,
  })
  const work = (milliseconds: number): void => {
    time += milliseconds
    yieldCpu?.()
  }
  const read = (times: number): void => {
    for (let count = 0; count < times; count++) Atomics.add(counters, READS, 1n)
  }
  return { work, read, rests }
}

test('without reads a thread never pauses, for any duration of work', () => {
  const { work, rests } = thread()
  for (let pieces = 0; pieces < 100; pieces++) work(3)
  assert.deepEqual(rests, [])
})

test('a thread with its own core never pauses', () => {
  const { work, read, rests } = thread(2)
  read(1_000)
  work(3)
  assert.deepEqual(rests, [])
})

test('a thread rests as long as the reads since its last rest take, and at most three milliseconds', () => {
  const { work, read, rests } = thread()
  read(10)
  work(1)
  read(1_000)
  work(1)
  assert.deepEqual(rests, [0.5, 3])
})

test('a short piece of work is not followed by a rest, and its reads count for the next piece', () => {
  const { work, read, rests } = thread()
  read(4)
  work(0.2)
  assert.deepEqual(rests, [])
  read(4)
  work(0.4)
  work(1)
  assert.deepEqual(rests, [0.4])
})
