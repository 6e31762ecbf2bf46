import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chance, chanceOf, exponential } from '../../bench/model/chance.ts'
import { Durations } from '../../bench/model/durations.ts'
import { EventQueue } from '../../bench/model/event-queue.ts'
import { hitRatio, NO_EXPIRY, simulatedHitRatio } from '../../bench/model/hit-ratio.ts'
import { openArrivals } from '../../bench/model/load.ts'
import { Processor } from '../../bench/model/processor.ts'
import { Simulation } from '../../bench/model/simulation.ts'
import { groupOf } from '../../bench/model/sizing.ts'
import { type Comparison, isWithin } from '../../bench/model/validate.ts'
import { Writer } from '../../bench/model/writer.ts'
import { harmonic, zipfRanks } from '../../bench/model/zipf.ts'

const SEED = 1

const near = (actual: number, expected: number, share: number, what: string): void =>
  assert.ok(Math.abs(actual / expected - 1) <= share, `${what}: ${actual} instead of ${expected}`)

test('events come in the order of their times, and those of one time in the order in which they were added', () => {
  const chance = chanceOf(SEED, 'events')
  const queue = new EventQueue()
  const expected = Array.from({ length: 5_000 }, (_, added) => ({ at: Math.floor(chance() * 500), added }))
  const taken: { at: number; added: number }[] = []
  for (const one of expected) queue.add(one.at, () => taken.push(one))
  while (queue.size > 0) queue.take()?.run()
  assert.deepEqual(
    taken,
    [...expected].sort((a, b) => a.at - b.at || a.added - b.added),
  )
  assert.equal(queue.next, undefined)
  assert.equal(queue.take(), undefined)
})

test('an event that an event adds comes at its time, and the clock stops where it should', () => {
  const simulation = new Simulation()
  const times: number[] = []
  const again = (): void => {
    times.push(simulation.now)
    simulation.after(10, again)
  }
  simulation.after(5, again)
  simulation.run(30)
  assert.deepEqual(times, [5, 15, 25])
  assert.equal(simulation.now, 30)
})

/** The mean time in a queue with one server, of arrivals at random times. */
function meanTime(load: number, service: (chance: Chance) => number, mean: number): number {
  const simulation = new Simulation()
  const chance = chanceOf(SEED, `queue ${load}`)
  const server = new Processor(simulation).thread('server')
  const times = new Durations()
  openArrivals(simulation, chance, { perSecond: (1e6 * load) / mean, count: 400_000 }, () => {
    const began = simulation.now
    server.run(service(chance), () => times.add(simulation.now - began))
  })
  simulation.run()
  assert.equal(times.count, 400_000)
  return times.mean
}

test('a queue with random service times is as long as that of M/M/1', () => {
  for (const load of [0.3, 0.6, 0.8]) {
    near(
      meanTime(load, chance => exponential(chance, 100), 100),
      100 / (1 - load),
      0.05,
      `load ${load}`,
    )
  }
})

test('a queue with equal service times is as long as that of M/D/1', () => {
  for (const load of [0.3, 0.6, 0.8]) {
    near(
      meanTime(load, () => 100, 100),
      100 * (1 + load / (2 * (1 - load))),
      0.03,
      `load ${load}`,
    )
  }
})

test('threads share a core by their nice values, and two cores run two threads at once', () => {
  for (const [cores, share] of [
    [1, 1.25 ** 5 / (1 + 1.25 ** 5)],
    [2, 1],
  ] as const) {
    const simulation = new Simulation()
    const processor = new Processor(simulation, { cores })
    const [first, second] = [processor.thread('first'), processor.thread('second', 5)]
    for (const thread of [first, second]) for (let job = 0; job < 20_000; job++) thread.run(100)
    simulation.run(1_000_000)
    near(first.busy, share * 1_000_000, 0.01, `${cores} cores`)
    near(second.busy, (cores - share) * 1_000_000, 0.02, `${cores} cores`)
  }
})

/** A writer alone on a core, with the sizes of its groups. Each group takes 100 µs and 500 for the disk, each write 10. */
function simulatedWriter(rest: () => number) {
  const simulation = new Simulation()
  const committed: number[] = []
  const processor = new Processor(simulation)
  const writer = new Writer({
    ...{ simulation, thread: processor.thread('writer'), group: 100, each: 10, rest },
    flush: () => 500,
    mayBegin: begin => begin(),
    onCommit: writes => committed.push(writes.length),
  })
  const send = (count: number): void => writer.send(Array.from({ length: count }, () => ({ done: () => {} })))
  return { simulation, processor, committed, send }
}

test('writes that wait while a group is under way share the next commit', () => {
  const { simulation, committed, send } = simulatedWriter(() => 0)
  send(1)
  simulation.after(60, () => send(300))
  simulation.run()
  assert.deepEqual(committed, [1, 256, 44])
  assert.equal(simulation.now, 3 * 600 + 301 * 10)
})

test('writes that arrive before the writer has a core are in its group', () => {
  const { simulation, processor, committed, send } = simulatedWriter(() => 0)
  processor.thread('main').run(1_000)
  send(1)
  simulation.after(900, () => send(2))
  simulation.run()
  assert.deepEqual(committed, [3])
})

test('a thread that gets the core from another one takes longer, one that had it last does not', () => {
  const simulation = new Simulation()
  const processor = new Processor(simulation, { switching: 30 })
  const [first, second] = [processor.thread('first'), processor.thread('second')]
  first.run(100)
  simulation.after(500, () => first.run(100))
  simulation.after(1_000, () => second.run(100))
  simulation.after(1_500, () => first.run(100))
  simulation.run()
  assert.deepEqual([first.busy, second.busy], [3 * 100 + 2 * 30, 100 + 30])
  assert.equal(processor.switches, 3)
})

test('the writes of a commit are those that arrive during the one before', () => {
  // 1,000 a second, and a commit of 3 ms and 0.25 ms for each write: 4 writes in 4 ms.
  near(groupOf(1_000, 3_000, 250), 4, 1e-9, 'group')
  assert.equal(groupOf(10, 3_000, 250), 1)
  assert.equal(groupOf(5_000, 3_000, 250), 256)
})

test("ranks follow Zipf's law, in populations of any size", () => {
  for (const exponent of [0.7, 1, 1.3]) {
    const entries = 1_000_000_000
    const draw = zipfRanks(entries, exponent, chanceOf(SEED, 'ranks'))
    const ranks = Array.from({ length: 200_000 }, draw)
    assert.ok(ranks.every(rank => Number.isInteger(rank) && rank >= 1 && rank <= entries))
    for (const most of [1_000, 1_000_000, 100_000_000]) {
      const share = ranks.filter(rank => rank <= most).length / ranks.length
      const expected = harmonic(most, exponent) / harmonic(entries, exponent)
      assert.ok(Math.abs(share - expected) < 0.005, `${exponent}, ${most}: ${share} instead of ${expected}`)
    }
  }
})

test('a sum over many ranks is the exact one', () => {
  for (const exponent of [0.7, 1, 1.3]) {
    let sum = 0
    for (let rank = 1; rank <= 300_000; rank++) sum += rank ** -exponent
    near(harmonic(300_000, exponent), sum, 1e-6, `exponent ${exponent}`)
  }
})

test("Che's approximation agrees with a simulated LRU cache, with and without changes", () => {
  for (const exponent of [0.7, 0.9, 1.1]) {
    for (const capacity of [100, 2_000, 20_000]) {
      for (const changes of [0, 200]) {
        const readers = { entries: 50_000, exponent, perSecond: 1_000 }
        const chance = chanceOf(SEED, `${exponent} ${capacity}`)
        const simulated = simulatedHitRatio(readers, { capacity, changes }, 200_000, chance)
        const analytic = hitRatio(readers, { ...NO_EXPIRY, capacity, changes })
        const what = `${exponent}, ${capacity}, ${changes}: ${analytic} instead of ${simulated}`
        assert.ok(Math.abs(analytic - simulated) < 0.01, what)
      }
    }
  }
})

test('answers that expire are hit less often, and a cache of everything hits all that does not', () => {
  const readers = { entries: 1_000, exponent: 0, perSecond: 1_000 }
  const cache = { capacity: 1_000, lifetime: Number.POSITIVE_INFINITY, changes: 0 }
  near(hitRatio(readers, cache), 1, 1e-3, 'without expiry')
  // Each entry is read once a second: of the reads of 9 seconds and the one that stores it, nine of ten hit.
  near(hitRatio(readers, { ...cache, lifetime: 9 }), 0.9, 1e-3, 'with expiry')
  near(hitRatio(readers, { ...cache, changes: 250 }), 0.8, 1e-3, 'with changes')
})

test('a throughput that is off by more than a fifth is outside the tolerance', () => {
  const compared = (model: number): Comparison => {
    const figures = (perSecond: number) => ({ perSecond, p50: 1, p99: 2 })
    const names = { name: 'R 1', about: 'reads', use: 'validation', connections: 1, isJudged: true } as const
    return { ...names, measured: figures(100), model: figures(model) }
  }
  assert.deepEqual([79, 81, 119, 121].map(compared).map(isWithin), [false, true, true, false])
})
