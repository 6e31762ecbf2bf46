import { hash } from 'node:crypto'
import { Problem } from '../contract/problems.ts'
import { StoreFault } from '../database/database.ts'
import { createHalves } from '../operations/halves.ts'
import type { Observation } from '../operations/observe.ts'
import type { Observed } from '../operations/operation.ts'
import type { Store, Terms } from '../operations/store.ts'
import type { OriginKeys } from '../store/origin.ts'

const FLUSH_INTERVAL = 200
/** Distinct observations kept in memory while the store cannot take them; past it the newest are dropped and counted in the log. */
const PENDING_MAX = 50_000
/** Observations whose rows are known to be kept already, so that only their counters are left to be written. */
const KEPT_MAX = 50_000
const USER_AGENTS_MAX = 10_000
/** Observations kept by one transaction, so that writes get in between. */
const BATCH = 500
const HOUR = 3_600_000
/** 132 bits of a digest are kept. */
const DIGEST_CHARACTERS = 22

export type Visitor = { actor: number | null; origin: OriginKeys; userAgent: string; requestId: string; at: number }

export type Observer = ReturnType<typeof createObserver>

/**
 * Keeps what was observed off the path of requests: it is gathered and written together a few times a second.
 * `flush` resolves when everything noted so far is kept, or could not be: reads go on when the store takes no writes.
 */
export function createObserver(store: Store, terms: () => Terms, onLoss: (lost: number, error: unknown) => void) {
  let pending = new Map<string, Observation>()
  const kept = createHalves<string, true>(KEPT_MAX)
  const digests = createHalves<string, string>(USER_AGENTS_MAX)
  let flushing: Promise<void> | undefined
  let following: Promise<void> | undefined

  const write = async (): Promise<void> => {
    const observations = [...pending.values()]
    pending = new Map()
    for (let from = 0; from < observations.length; from += BATCH) {
      const batch = observations.slice(from, from + BATCH)
      try {
        await store.keep('recordObservations', batch, terms())
        for (const observation of batch) if (!observation.counted) kept.set(nameOf(observation), true)
      } catch (error) {
        const again = error instanceof StoreFault || error instanceof Problem
        const lost = batch.reduce((count, one) => count + (again && merge(one) ? 0 : one.times), 0)
        if (lost > 0) onLoss(lost, error)
      }
    }
  }
  const digestOf = (userAgent: string): string => {
    const known = digests.get(userAgent)
    if (known !== undefined) return known
    const digest = hash('sha256', userAgent, 'base64url').slice(0, DIGEST_CHARACTERS)
    digests.set(userAgent, digest)
    return digest
  }
  const merge = (observation: Observation): boolean => {
    // Where the row of this hour is kept, whatever the visitor reads is one count.
    const key = observation.counted ? visitorOf(observation) : nameOf(observation)
    const known = pending.get(key)
    if (known === undefined && pending.size >= PENDING_MAX) return false
    pending.set(key, known === undefined ? observation : together(known, observation))
    return true
  }
  const flush = (): Promise<void> => {
    if (flushing === undefined) {
      flushing = write().finally(() => {
        flushing = undefined
      })
      return flushing
    }
    // What is being written began before the newest note: everybody who comes meanwhile shares the next round.
    following ??= flushing.then(() => {
      following = undefined
      return flush()
    })
    return following
  }
  const timer = setInterval(() => {
    if (flushing === undefined) flush().catch(() => {})
  }, FLUSH_INTERVAL)
  timer.unref()

  return {
    note(visitor: Visitor, observed: Observed): void {
      const { actor, origin, requestId, at } = visitor
      const userAgent = actor === null ? digestOf(visitor.userAgent) : ''
      const { action, entry, revision, metadata } = observed
      const observation: Observation = {
        ...{ actor, origin, userAgent, requestId, at, action, entry, revision, metadata },
        ...{ lastAt: at, times: 1, counted: false },
      }
      observation.counted = kept.get(nameOf(observation)) === true
      if (!merge(observation)) onLoss(1, undefined)
    },
    flush,
    async close(): Promise<void> {
      clearInterval(timer)
      await flush()
    },
  }
}

const visitorOf = ({ actor, origin, userAgent }: Observation): string => `${actor ?? `${origin.id} ${userAgent}`}`
/** What one row stands for. */
const nameOf = (observation: Observation): string =>
  `${visitorOf(observation)} ${observation.action} ${observation.entry} ${Math.floor(observation.at / HOUR)}`

/** Two observations of the same thing as one: the earlier of them gives its request. */
function together(a: Observation, b: Observation): Observation {
  const first = a.at <= b.at ? a : b
  return { ...first, lastAt: Math.max(a.lastAt, b.lastAt), times: a.times + b.times }
}
