import { randomBytes } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import type { Context } from './operation.ts'
import type { Terms } from './store.ts'

/** A clock that is ahead of this process by more than this is wrong, and not followed; in milliseconds. */
const AHEAD_MAX = 60_000

/**
 * Makes the contexts of one writing process: its time never runs backwards, not behind `floor` (the time of the newest commit
 * of any process) either, and ids of one instant count up, so that their order is the order of making.
 */
export function createContexts(): (terms: Terms, floor?: number) => Context {
  let latest = 0
  let made = 0
  return (terms, floor = 0) => {
    const at = floor - terms.at > AHEAD_MAX ? terms.at : Math.max(terms.at, floor)
    if (at > latest) {
      latest = at
      made = 0
    }
    return { ...terms, now: terms.at, at: latest, newId: () => uuid({ msecs: latest, seq: made++ }), randomBytes }
  }
}
