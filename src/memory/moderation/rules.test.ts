import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../contract/problem.ts'
import type { Flags } from '../../contract/resources.ts'
import { MODERATION_ACTIONS, type ModerationAction, TARGET_TYPES, type TargetType } from '../../contract/vocabulary.ts'
import { isPublic, statusOf } from '../entries/rules.ts'
import { moderated, sameFlags } from './rules.ts'

const BOTH = [false, true]
const STATES: Flags[] = BOTH.flatMap(hidden =>
  BOTH.flatMap(quarantined => BOTH.map(blocked => ({ hidden, quarantined, blocked }))),
)
const isRefused = (action: ModerationAction, type: TargetType): boolean =>
  (type === 'ORIGIN' && action === 'HIDE') ||
  (action === 'ERASE' ? type === 'ACTOR' || type === 'ORIGIN' : type === 'RECORD')
const FLAG = { HIDE: 'hidden', QUARANTINE: 'quarantined', BLOCK: 'blocked' } as const

test('an action that sets a flag sets that flag and no other', () => {
  for (const state of STATES) {
    for (const [action, flag] of Object.entries(FLAG) as [keyof typeof FLAG, keyof Flags][]) {
      assert.deepEqual(moderated(state, action, 'ENTRY'), { ...state, [flag]: true })
    }
  }
})

test('RESTORE clears hidden and quarantined, UNBLOCK clears blocked, and neither touches the other', () => {
  for (const state of STATES) {
    assert.deepEqual(moderated(state, 'RESTORE', 'ACTOR'), { ...state, hidden: false, quarantined: false })
    assert.deepEqual(moderated(state, 'UNBLOCK', 'ACTOR'), { ...state, blocked: false })
  }
})

test('every action is idempotent and does not change its input', () => {
  for (const type of TARGET_TYPES) {
    for (const action of MODERATION_ACTIONS) {
      if (isRefused(action, type)) continue
      for (const state of STATES) {
        const given = Object.freeze({ ...state })
        const once = moderated(given, action, type)
        assert.deepEqual(moderated(once, action, type), once)
      }
    }
  }
})

test('an origin cannot be hidden, an actor or an origin not erased, and a record only erased', () => {
  for (const type of TARGET_TYPES) {
    for (const action of MODERATION_ACTIONS.filter(one => isRefused(one, type))) {
      for (const state of STATES) {
        assert.throws(
          () => moderated(state, action, type),
          (error: unknown) => error instanceof Problem && error.code === 'ACTION_NOT_APPLICABLE',
        )
      }
    }
  }
})

test('states are the same when all flags are', () => {
  for (const [i, one] of STATES.entries()) {
    for (const [j, other] of STATES.entries()) assert.equal(sameFlags(one, { ...other }), i === j)
  }
})

test('a status is the gravest that applies, and only ACTIVE and LOCKED are public', () => {
  for (let bits = 0; bits < 32; bits++) {
    const has = (place: number): number => (bits >> place) & 1
    const standing = {
      hidden: has(0),
      quarantined: has(1),
      blocked: has(2),
      author_quarantined: has(3),
      origin_quarantined: has(4),
    }
    const withdrawnBy = has(1) || has(3) || has(4)
    const expected = withdrawnBy ? 'QUARANTINED' : has(0) ? 'HIDDEN' : has(2) ? 'LOCKED' : 'ACTIVE'
    assert.equal(statusOf(standing), expected)
    assert.equal(isPublic(statusOf(standing)), !withdrawnBy && !has(0))
  }
})
