import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContexts } from './commands.ts'

const ENVIRONMENT = { at: 1_700_000_000_000, cooldown: 0, dataClass: 'EXTERNAL' } as const
const IDS = 2_000
/** Number of hexadecimal digits of an id that contain neither its time nor its counter: 40 bits. */
const RANDOM_DIGITS = 10

test('ids of one instant ascend, and their random parts are independent', () => {
  const { newId } = createContexts()(ENVIRONMENT)
  const ids = Array.from({ length: IDS }, newId)
  for (const id of ids) assert.match(id, /^018bcfe5-6800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual([...ids].sort(), ids)
  // Two of 2,000 random 40-bit values are equal in about one of half a million runs.
  assert.equal(new Set(ids.map(id => id.slice(-RANDOM_DIGITS))).size, IDS)
})

test('time ignores a clock set back by a little, follows one set back by far, and ignores one far ahead', () => {
  const contextOf = createContexts()
  assert.equal(contextOf(ENVIRONMENT).at, ENVIRONMENT.at)
  assert.equal(contextOf({ ...ENVIRONMENT, at: ENVIRONMENT.at - 5_000 }).at, ENVIRONMENT.at)
  assert.equal(contextOf(ENVIRONMENT, ENVIRONMENT.at + 5_000).at, ENVIRONMENT.at + 5_000)
  assert.equal(contextOf(ENVIRONMENT, ENVIRONMENT.at + 600_000).at, ENVIRONMENT.at + 5_000)
  assert.equal(contextOf({ ...ENVIRONMENT, at: ENVIRONMENT.at + 600_000 }).at, ENVIRONMENT.at + 600_000)
  assert.equal(contextOf(ENVIRONMENT).at, ENVIRONMENT.at)
})
