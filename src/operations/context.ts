import { randomBytes, randomFillSync } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import { notBefore } from '../domain/clock.ts'
import type { Context } from './operation.ts'
import type { WriteEnvironment } from './store.ts'

/** The size of the random bytes of one id, and the number of ids drawn at once: drawing takes most of the time of an id. */
const ID_BYTES = 16
const IDS_AT_ONCE = 256

/** Returns a function that returns random bytes for one id after another, none twice. */
function createRandom(): () => Uint8Array {
  const drawn = new Uint8Array(ID_BYTES * IDS_AT_ONCE)
  let at = drawn.length
  return () => {
    if (at === drawn.length) {
      randomFillSync(drawn)
      at = 0
    }
    at += ID_BYTES
    return drawn.subarray(at - ID_BYTES, at)
  }
}

/**
 * Makes the contexts of one writing process. Its time follows the clock, but is not before the time of an earlier context or before
 * `floor`, the time of the newest commit of any process, unless the clock was set back by more than a minute. Ids of one instant are in
 * the order of their creation.
 */
export function createContexts(): (environment: WriteEnvironment, floor?: number) => Context {
  let latest = 0
  let made = 0
  const random = createRandom()
  return (environment, floor = 0) => {
    const at = notBefore(latest, notBefore(floor, environment.at))
    if (at !== latest) {
      latest = at
      made = 0
    }
    return {
      ...environment,
      now: environment.at,
      at: latest,
      newId: () => uuid({ msecs: latest, seq: made++, random: random() }),
      randomBytes,
    }
  }
}
