import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGivingWay } from './giving-way.ts'
import { countRead, createSignals, type Signals } from './signals.ts'

/** A thread whose clock goes on only as it is told, and how long it rested, each time. */
function thread(cores = 1) {
  const signals: Signals = createSignals()
  const rests: number[] = []
  let time = 0
  const giveWay = createGivingWay(signals, {
    now: () => time,
    rest: milliseconds => {
      rests.push(milliseconds)
      time += milliseconds
    },
    cores,
  })
  const work = (milliseconds: number): void => {
    time += milliseconds
    giveWay()
  }
  const read = (times: number): void => {
    for (let count = 0; count < times; count++) countRead(signals)
  }
  return { work, read, rests }
}

test('where nobody reads no thread rests, however long it works', () => {
  const { work, rests } = thread()
  for (let pieces = 0; pieces < 100; pieces++) work(3)
  assert.deepEqual(rests, [])
})

test('a thread that has a core of its own never rests', () => {
  const { work, read, rests } = thread(2)
  read(1_000)
  work(3)
  assert.deepEqual(rests, [])
})

test('a thread rests as long as the reads take that came meanwhile, and never longer than three milliseconds', () => {
  const { work, read, rests } = thread()
  read(10)
  work(1)
  read(1_000)
  work(1)
  assert.deepEqual(rests, [0.5, 3])
})

test('a short piece of work is not followed by a rest, and the reads that came with it count for the next', () => {
  const { work, read, rests } = thread()
  read(4)
  work(0.2)
  assert.deepEqual(rests, [])
  read(4)
  work(0.4)
  work(1)
  assert.deepEqual(rests, [0.4])
})
