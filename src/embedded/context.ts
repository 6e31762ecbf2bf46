import { randomBytes } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import type { Context } from '../operations/operation.ts'
import type { Terms } from '../operations/store.ts'

/**
 * Makes the contexts of the one writing process: its time never runs backwards, and ids of one instant count up,
 * so that their order is the order of making.
 */
export function createContexts(): (terms: Terms) => Context {
  let latest = 0
  let made = 0
  return terms => {
    if (terms.at > latest) {
      latest = terms.at
      made = 0
    }
    return { ...terms, now: terms.at, at: latest, newId: () => uuid({ msecs: latest, seq: made++ }), randomBytes }
  }
}
