import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LruCache } from './lru-cache.ts'

const MOST = 100
const filled = () => {
  const cache = new LruCache<number, string>(MOST)
  for (let key = 0; key < 10; key++) cache.set(key, `value ${key}`, 4)
  return cache
}
const known = (cache: ReturnType<typeof filled>): number[] => {
  const keys: number[] = []
  for (let key = 0; key < 10; key++) if (cache.get(key) !== undefined) keys.push(key)
  return keys
}
const ALL = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

test('setting one key repeatedly evicts no other', () => {
  const cache = filled()
  for (let n = 0; n < 1_000; n++) cache.set(10, `value ${n}`, 4)
  assert.equal(cache.get(10), 'value 999')
  assert.deepEqual(known(cache), ALL)
})

test('deleting and setting one key repeatedly evicts no other', () => {
  const cache = filled()
  for (let n = 0; n < 1_000; n++) {
    cache.set(10, `value ${n}`, 4)
    cache.delete(10)
  }
  assert.equal(cache.get(10), undefined)
  assert.deepEqual(known(cache), ALL)
})

test('an unused key is evicted once the weight is reached, a used one is not', () => {
  const cache = new LruCache<number, string>(MOST)
  cache.set(-1, 'unused', 4)
  cache.set(-2, 'used', 4)
  for (let key = 0; key < 100; key++) {
    cache.set(key, 'new', 4)
    assert.equal(cache.get(-2), 'used')
  }
  assert.equal(cache.get(-1), undefined)
  assert.equal(cache.get(99), 'new')
})

test('values stay cached until their weight reaches the maximum', () => {
  const cache = new LruCache<number, string>(MOST)
  const keys = Array.from({ length: MOST }, (_, key) => key)
  for (const key of keys) cache.set(key, 'value')
  assert.deepEqual(
    keys.filter(key => cache.get(key) === undefined),
    [],
  )
  cache.set(MOST, 'one more')
  assert.equal(keys.filter(key => cache.get(key) === undefined).length, 1)
})

test('the cache weighs no more than the maximum, and values that are too heavy are not cached', () => {
  const cache = new LruCache<number, number>(MOST)
  const weights = Array.from({ length: 500 }, (_, n) => 1 + ((n * 7) % 60))
  for (const [key, weight] of weights.entries()) {
    cache.set(key % 40, key, weight)
    if (key % 3 === 0) cache.delete((key * 5) % 40)
    // Each key is asked for once, so that what is counted was there before.
    if (key % 50 !== 49) continue
    let together = 0
    for (let one = 0; one < 40; one++) {
      const value = cache.get(one)
      if (value !== undefined) together += weights[value] as number
    }
    assert.ok(together <= MOST, `${together}`)
  }
  cache.set(1, 1, 51)
  assert.equal(cache.get(1), undefined)
})
