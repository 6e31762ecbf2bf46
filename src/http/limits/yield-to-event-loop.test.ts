import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createEventLoopYield } from './yield-to-event-loop.ts'

const WORKS = 100
const PER_TURN = 8

test('a turn has a maximum number of works, all run in order, and the first runs at once', async () => {
  const turn = createEventLoopYield(PER_TURN)
  let now = 0
  const went: { work: number; at: number }[] = []
  const count = (): void => {
    now += 1
    if (went.length < WORKS) setImmediate(count)
  }
  // It was scheduled first, so it runs first in each turn.
  setImmediate(count)
  const works = Array.from({ length: WORKS }, async (_, work) => {
    await turn()
    went.push({ work, at: now })
  })
  await Promise.all(works)
  assert.deepEqual(
    went.map(({ work }) => work),
    Array.from({ length: WORKS }, (_, work) => work),
  )
  for (let at = 0; at <= now; at++) assert.ok(went.filter(one => one.at === at).length <= PER_TURN, `turn ${at}`)
  assert.equal(went[PER_TURN - 1]?.at, 0)
  assert.ok(now < WORKS / PER_TURN + 5, `${now} turns`)
})

test('works that come one by one do not wait', async () => {
  const turn = createEventLoopYield(PER_TURN)
  for (let work = 0; work < WORKS; work++) {
    assert.equal(turn(), undefined)
    await nextTurn()
  }
})
