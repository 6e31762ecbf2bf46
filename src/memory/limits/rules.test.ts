import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { seededRandom } from '../../../test/support/random.ts'
import { Problem } from '../../contract/problem.ts'
import { rateLimitFields } from '../../http/limits.ts'
import { assertCooledDown, cooldownLeft, type Limit, RateLimiter } from './rules.ts'

const WINDOW = 60_000
const START = 1_700_000_000_000
const limitOf = (key: string, quota: number): Limit => ({ policy: 'read-origin', key, quota })

/** The reference: a log of every admission, counted again each time. */
function createModel() {
  const admitted = new Map<string, number[]>()
  const timesOf = (key: string): number[] => {
    const times = admitted.get(key) ?? []
    admitted.set(key, times)
    return times
  }
  return {
    timesOf,
    fits: (limits: Limit[], at: number): boolean =>
      limits.every(({ key, quota }) => timesOf(key).filter(time => time > at - WINDOW && time <= at).length < quota),
    charge: (limits: Limit[], at: number): void => {
      for (const { key } of limits) timesOf(key).push(at)
    },
    release: (limits: Limit[], at: number): void => {
      for (const { key } of limits) timesOf(key).splice(timesOf(key).lastIndexOf(at), 1)
    },
  }
}

/** Steps of time between arrivals: rushes, trickles, the edges of the window. */
const gapsOf = (random: ReturnType<typeof seededRandom>): (() => number) => {
  const kind = random.below(4)
  return () =>
    kind === 0
      ? random.below(3)
      : kind === 1
        ? random.below(9_000)
        : kind === 2
          ? random.pick([0, 0, 0, 1, WINDOW - 1, WINDOW, WINDOW + 1, 30_000])
          : random.below(600)
}

test('the limiter admits exactly what a log of every admission admits, for several keys at once, releases included', () => {
  const random = seededRandom('rate limiter against a log')
  for (let round = 0; round < 300; round++) {
    const limiter = new RateLimiter()
    const model = createModel()
    const quota = 1 + random.below(round % 10 === 0 ? 60 : 12)
    const keys = [limitOf('origin-a', quota), limitOf('origin-b', quota), limitOf('token-c', 1 + random.below(quota))]
    const gap = gapsOf(random)
    let at = START + random.below(WINDOW)
    for (let step = 0; step < 150; step++) {
      at += gap()
      const limits = random.pick([[keys[0]], [keys[1]], [keys[0], keys[2]], [keys[1], keys[2]]]) as Limit[]
      const fits = model.fits(limits, at)
      const verdict = limiter.admit(limits, at)
      assert.equal(verdict.admitted, fits, `round ${round}, step ${step}`)
      assert.ok(Number.isInteger(verdict.retryAfter) && verdict.retryAfter >= 1)
      if (!fits) {
        assert.ok(model.fits(limits, at + verdict.retryAfter * 1_000), 'Retry-After does not suffice')
        const sooner = at + (verdict.retryAfter - 1) * 1_000
        assert.ok(verdict.retryAfter === 1 || !model.fits(limits, sooner), 'Retry-After is longer than needed')
        continue
      }
      model.charge(limits, at)
      if (random.below(5) > 0) continue
      const released = limiter.release(verdict, at)
      model.release(limits, at)
      for (const { key, quota: most, remaining } of released) {
        const used = model.timesOf(key).filter(time => time > at - WINDOW).length
        assert.equal(remaining, most - used)
      }
    }
  }
})

test('with a large quota and coarse bins, no 60 seconds admit more than the quota, and a burst of all is allowed', () => {
  const random = seededRandom('coarse rate limiter')
  for (let round = 0; round < 20; round++) {
    const quota = 601 + random.below(400)
    const limiter = new RateLimiter()
    const limits = [limitOf('a', quota)]
    const times: number[] = []
    let at = START + random.below(1_000)
    for (let n = 0; n < quota; n++) {
      assert.ok(limiter.admit(limits, at).admitted, `request ${n} of a burst of ${quota}`)
      times.push(at)
      if (round % 2) at += random.below(20)
    }
    for (let step = 0; step < 3_000; step++) {
      at += random.pick([0, 1, 20, 50, 99, 100, 101, 400])
      const verdict = limiter.admit(limits, at)
      if (verdict.admitted) times.push(at)
      else assert.ok(verdict.retryAfter <= 61)
    }
    for (const [index, time] of times.entries()) {
      const ahead = times[index + quota]
      assert.ok(ahead === undefined || ahead - time >= WINDOW, `${quota + 1} within ${(ahead ?? 0) - time} ms`)
    }
    assert.ok(times.length > quota, 'what was charged comes back')
  }
})

test('waiting Retry-After suffices with a large quota too', () => {
  const limiter = new RateLimiter()
  const limits = [limitOf('a', 1_000)]
  for (let n = 0; n < 1_000; n++) limiter.admit(limits, START + 7)
  const { admitted, retryAfter } = limiter.admit(limits, START + 30_000)
  assert.equal(admitted, false)
  assert.equal(limiter.admit(limits, START + 30_000 + retryAfter * 1_000).admitted, true)
})

test('a request that one key refuses is charged to none', () => {
  const limiter = new RateLimiter()
  const [origin, token] = [limitOf('origin', 5), limitOf('token', 1)]
  assert.ok(limiter.admit([origin, token], START).admitted)
  for (let n = 0; n < 20; n++) assert.equal(limiter.admit([origin, token], START + n).admitted, false)
  const { limits } = limiter.admit([origin], START + 20)
  assert.equal(limits[0]?.remaining, 3)
})

test('admissions are handed out once, and restoring them into a new limiter refills nothing', () => {
  const random = seededRandom('restored rate limiter')
  for (let round = 0; round < 50; round++) {
    const quota = 1 + random.below(8)
    const limits = [limitOf('a', quota)]
    const first = new RateLimiter()
    const model = createModel()
    const saved = new Map<number, number>()
    let at = START
    const save = (): void => {
      for (const { bin, count } of first.takeUnsaved()) saved.set(bin, (saved.get(bin) ?? 0) + count)
    }
    for (let step = 0; step < 20; step++) {
      at += random.below(6_000)
      const verdict = first.admit(limits, at)
      if (verdict.admitted) model.charge(limits, at)
      if (random.below(3) === 0) save()
      if (verdict.admitted && random.below(4) === 0) {
        first.release(verdict, at)
        model.release(limits, at)
      }
    }
    save()
    assert.deepEqual(first.takeUnsaved(), [])
    const second = new RateLimiter()
    const kept = [...saved].filter(([, count]) => count > 0).sort(([a], [b]) => a - b)
    second.restore(kept.map(([bin, count]) => ({ bin, key: 'a', count })))
    for (let step = 0; step < 30; step++) {
      at += random.below(4_000)
      const fits = model.fits(limits, at)
      assert.equal(second.admit(limits, at).admitted, fits)
      if (fits) model.charge(limits, at)
    }
  }
})

test('the release of an expired admission admits nothing more', () => {
  const limiter = new RateLimiter()
  const limits = [limitOf('a', 2)]
  const late = limiter.admit(limits, START)
  const now = START + WINDOW + 1
  limiter.admit(limits, now)
  limiter.release(late, now)
  assert.equal(limiter.admit(limits, now).admitted, true)
  assert.equal(limiter.admit(limits, now).admitted, false)
})

test('the fields have an item per limit', () => {
  const fields = rateLimitFields([
    { policy: 'write-origin', key: 'x', quota: 10, remaining: 9, reset: 60 },
    { policy: 'write-token', key: 'y', quota: 10, remaining: 0, reset: 7 },
  ])
  assert.deepEqual(fields, {
    'ratelimit-policy': '"write-origin";q=10;w=60, "write-token";q=10;w=60',
    ratelimit: '"write-origin";r=9;t=60, "write-token";r=0;t=7',
  })
})

test('200,000 distinct keys stay within 51 MB, and are forgotten a minute later', () => {
  const script = `
    import { RateLimiter } from ${JSON.stringify(new URL('./rules.ts', import.meta.url).href)}
    const measure = () => { gc(); return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers }
    const limiter = new RateLimiter()
    const before = measure()
    for (let n = 0; n < 200_000; n++) {
      const key = 'read-origin:' + Buffer.from('network ' + n).toString('base64url').padEnd(22, 'x')
      limiter.admit([{ policy: 'read-origin', key, quota: 120 }], ${START} + Math.floor(n / 50))
      if (n % 5_000 === 0) limiter.takeUnsaved()
    }
    limiter.takeUnsaved()
    const full = measure() - before
    limiter.admit([{ policy: 'read-origin', key: 'late', quota: 120 }], ${START} + 200_000)
    limiter.takeUnsaved()
    process.stdout.write(JSON.stringify({ full, empty: measure() - before }))`
  const child = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    encoding: 'utf8',
    timeout: 280_000,
  })
  assert.equal(child.status, 0, child.stderr)
  const { full, empty } = JSON.parse(child.stdout) as { full: number; empty: number }
  const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20)
  assert.ok(megabytes(full) <= 51, `${megabytes(full)} MB`)
  assert.ok(full > 2 ** 24, 'the keys were remembered while they counted')
  assert.ok(megabytes(empty) <= 16, `${megabytes(empty)} MB remain`)
})

test('after the clock was set back no wait is longer than a minute', () => {
  const limiter = new RateLimiter()
  const charge = { policy: 'write-origin', key: 'one', quota: 2 }
  const ahead = START + 3_600_000
  for (let n = 0; n < 2; n++) assert.ok(limiter.admit([charge], ahead).admitted)
  const refused = limiter.admit([charge], START)
  assert.equal(refused.admitted, false)
  assert.equal(refused.retryAfter, 60)
  assert.ok(limiter.admit([charge], START + 60_000).admitted)
})

test('admissions that could not be stored are handed out again', () => {
  const limiter = new RateLimiter()
  limiter.admit([{ policy: 'write-origin', key: 'one', quota: 2 }], START)
  const admissions = limiter.takeUnsaved()
  limiter.returnUnsaved(admissions)
  limiter.admit([{ policy: 'write-origin', key: 'one', quota: 2 }], START)
  assert.deepEqual(limiter.takeUnsaved(), [{ bin: START, key: 'one', count: 2 }])
})

test('a write after the stated wait is admitted', () => {
  fc.assert(
    fc.property(fc.nat(1e9), fc.integer({ min: 1, max: 3_600 }), fc.nat(4_000_000), (began, seconds, later) => {
      try {
        assertCooledDown(began, seconds * 1_000, began + later)
        assert.ok(later >= seconds * 1_000)
      } catch (error) {
        assert.ok(error instanceof Problem && later < seconds * 1_000)
        const wait = error.detail.retryAfter ?? 0
        assert.ok(Number.isInteger(wait) && wait >= 1)
        assertCooledDown(began, seconds * 1_000, began + later + wait * 1_000)
      }
    }),
  )
})

test('a cooldown that begins a little in the future counts: clocks differ, and the later of two requests may be first', () => {
  assert.equal(cooldownLeft(10_001, 3_000, 10_000), 3_000)
  assert.throws(() => assertCooledDown(12_900, 3_000, 10_000), new Problem('COOLDOWN', { retryAfter: 3 }))
})
