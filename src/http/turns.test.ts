import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Turns, WorkTurns } from './overload.ts'

/** The work of a costly request, in milliseconds: more than one turn has. */
const COSTLY = 25
const REQUESTS = 8
/** The work of one request of a long queue, in milliseconds. */
const SHORT = 5
const LONG_QUEUE = 120
/** This many requests may always wait. */
const ALWAYS_WAIT = 32
/** The maximum number of idle turns in a row. */
const MAX_IDLE_TURNS = 64
/** More turns than `MAX_IDLE_TURNS`. */
const LATER_TURNS = 200
const NEVER = Number.POSITIVE_INFINITY
const refusal = (): Error => new Error('refused')

/** Works until the thread has used so many milliseconds of the processor. */
function work(milliseconds: number): void {
  const from = process.threadCpuUsage()
  const used = (): number => {
    const { user, system } = process.threadCpuUsage(from)
    return (user + system) / 1_000
  }
  while (used() < milliseconds);
}

/** Counts the turns of the event loop until `stop`. */
function countTurns() {
  const counted = { turns: 0, stop: () => clearImmediate(next) }
  const count = (): void => {
    counted.turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  return counted
}

test('costly requests that arrive together continue in order, with turns for new connections between them', async () => {
  const turns = new Turns(NEVER, refusal)
  const counted = countTurns()
  const went: { request: number; at: number }[] = []
  const requests = Array.from({ length: REQUESTS }, async (_, request) => {
    await turns.waitToBegin(performance.now())
    work(COSTLY)
    went.push({ request, at: counted.turns })
  })
  await Promise.all(requests)
  counted.stop()
  assert.deepEqual(
    went.map(({ request }) => request),
    Array.from({ length: REQUESTS }, (_, request) => request),
  )
  // The first ones were accepted before any of them had worked.
  const apart = went.slice(1).map(({ at }, before) => at - Number(went[before]?.at))
  const waited = apart.filter(between => between > 0)
  assert.ok(
    waited.every(between => between >= COSTLY),
    apart.join(),
  )
})

test('requests that continue together wait for turns of their own if they are costly', async () => {
  const turns = new Turns(NEVER, refusal)
  const counted = countTurns()
  const at: number[] = []
  const requests = Array.from({ length: REQUESTS }, async () => {
    await turns.yieldToRequests()
    work(COSTLY)
    at.push(counted.turns)
  })
  await Promise.all(requests)
  counted.stop()
  assert.equal(new Set(at).size, REQUESTS, at.join())
})

test('requests of one moment continue at once, and later ones again after the idle turns', async () => {
  const turns = new Turns(NEVER, refusal)
  const beginAll = (): void => {
    const at = performance.now()
    for (let request = 0; request < REQUESTS; request++) assert.equal(turns.waitToBegin(at), undefined)
  }
  beginAll()
  for (let turn = 0; turn < LATER_TURNS; turn++) await nextTurn()
  beginAll()
})

test('a request that has waited for too much work is refused; one that has begun, and later ones, are not', async () => {
  const turns = new Turns(2 * COSTLY, refusal)
  const begun = Array.from({ length: REQUESTS }, async () => {
    await turns.yieldToRequests()
    work(COSTLY)
  })
  const later = turns.waitToBegin(performance.now())
  await assert.rejects(async () => later, /^Error: refused$/)
  await Promise.all(begun)
  await turns.waitToBegin(performance.now())
})

test('while a queue stands, a new request is refused if it would wait for too long', async () => {
  const turns = new Turns(40 * SHORT, refusal)
  const fullAt: number[] = []
  let left = LONG_QUEUE
  await turns.waitToBegin(performance.now())
  work(COSTLY)
  const requests = Array.from({ length: LONG_QUEUE }, async () => {
    try {
      await turns.waitToBegin(performance.now())
      work(SHORT)
    } catch {}
    left -= 1
    if (turns.isFull) fullAt.push(left)
  })
  assert.equal(turns.isFull, false, 'a burst is not refused before it is a standing queue')
  await Promise.all(requests)
  assert.ok(fullAt.length > 0, 'the queue was never full')
  assert.ok(Math.min(...fullAt) >= ALWAYS_WAIT - 1, fullAt.join())
  assert.equal(turns.isFull, false)
})

test('a request that has begun continues before those that have not', async () => {
  const turns = new Turns(NEVER, refusal)
  const order: string[] = []
  const step = async (name: string, turn: Promise<void> | undefined): Promise<void> => {
    await turn
    work(COSTLY)
    order.push(name)
  }
  const first = step('begun', turns.yieldToRequests()).then(() => step('begun', turns.yieldIfOverBudget()))
  await Promise.all([
    first,
    step('new', turns.waitToBegin(performance.now())),
    step('new', turns.waitToBegin(performance.now())),
  ])
  assert.deepEqual(order, ['begun', 'begun', 'new', 'new'])
})

test('while connections are accepted, requests wait, at most for 64 turns', async () => {
  const turns = new Turns(NEVER, refusal)
  const counted = countTurns()
  let left = 2 * MAX_IDLE_TURNS
  const accept = (): void => {
    if (left-- === 0) return
    turns.noteConnection()
    setImmediate(accept)
  }
  const went: number[] = []
  const goOn = async (): Promise<void> => {
    await turns.yieldToRequests()
    went.push(counted.turns)
  }
  accept()
  await Promise.all([goOn(), goOn().then(goOn)])
  counted.stop()
  const [first = 0, second = 0, third = 0] = went
  for (const turn of [first, second]) assert.ok(turn >= MAX_IDLE_TURNS - 2 && turn <= MAX_IDLE_TURNS + 2, went.join())
  assert.ok(third >= 2 * MAX_IDLE_TURNS - 2, went.join())
})

test('a read does not wait for all writes of a burst, nor a write for all reads', async () => {
  for (const isRead of [true, false]) {
    const turns = new Turns(NEVER, refusal)
    const went: string[] = []
    const step = async (name: string, waiting: Promise<void> | undefined): Promise<void> => {
      await waiting
      went.push(name)
      work(COSTLY)
    }
    await step('first', turns.waitToBegin(performance.now()))
    const burst = Array.from({ length: REQUESTS }, () => step('of many', turns.waitToBegin(performance.now(), !isRead)))
    await Promise.all([...burst, step('the other', turns.waitToBegin(performance.now(), isRead))])
    assert.ok(went.indexOf('the other') <= 2, went.join())
  }
})

test('turns without requests end early if other work runs in them', async () => {
  const turns = new Turns(NEVER, refusal)
  await turns.waitToBegin(performance.now())
  work(COSTLY)
  let ran = 0
  const other = (): void => {
    ran += 1
    work(COSTLY / 2)
    next = setImmediate(other)
  }
  let next = setImmediate(other)
  await turns.waitToBegin(performance.now())
  clearImmediate(next)
  assert.ok(ran <= 5, `${ran} pieces of other work`)
})

const WORKS = 100
const PER_TURN = 8

test('a turn has a maximum number of works, all run in order, and the first runs at once', async () => {
  const turns = new WorkTurns(PER_TURN)
  let now = 0
  const went: { work: number; at: number }[] = []
  const count = (): void => {
    now += 1
    if (went.length < WORKS) setImmediate(count)
  }
  // It was scheduled first, so it runs first in each turn.
  setImmediate(count)
  const works = Array.from({ length: WORKS }, async (_, work) => {
    await turns.waitToBegin()
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
  const turns = new WorkTurns(PER_TURN)
  for (let work = 0; work < WORKS; work++) {
    assert.equal(turns.waitToBegin(), undefined)
    await nextTurn()
  }
})

/** The work of a costly step of a write, in milliseconds: more than the steps of one turn have. */
const COSTLY_STEP = 3

test('a costly step of a write is the last one in its turn', async () => {
  const turns = new WorkTurns(PER_TURN)
  const counted = countTurns()
  const went: number[] = []
  const step = async (): Promise<void> => {
    await turns.waitToBegin()
    went.push(counted.turns)
    const until = performance.now() + COSTLY_STEP
    while (performance.now() < until);
  }
  // Those that come before the first one has worked would begin with it.
  await step()
  await Promise.all(Array.from({ length: PER_TURN }, step))
  counted.stop()
  assert.equal(new Set(went).size, PER_TURN + 1, went.join())
})
