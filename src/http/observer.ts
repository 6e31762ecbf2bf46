import { Problem } from '../contract/problem.ts'
import { StoreFault } from '../engine/database.ts'
import type { WordPair } from '../find/rules/question.ts'
import type { Observation } from '../memory/activity/observe.ts'
import { TOPICS_OF_NETWORK, type UnansweredTopic } from '../memory/activity/unanswered.ts'
import { LruCache } from '../memory/lru-cache.ts'
import type { Observed, RemoteCaller } from '../memory/operation.ts'
import type { Store, WriteEnvironment } from '../memory/store.ts'
import { HOUR, shortDigest } from '../memory/values.ts'

/** The maximum number of topics in the queue. When it is full, new ones are dropped. */
const TOPICS_MAX = 5_000
/** The maximum number of topics in one transaction, so that other writes can run between. */
const TOPICS_BATCH = 200
/** The maximum number of networks whose topics of the day are remembered. */
const NETWORKS_MAX = 50_000
/** Number of characters of the digest of a voice: 72 bits, which distinguish the voices of one topic. */
const VOICE_CHARACTERS = 12

/** The store, the clock and the environment in which observations are recorded. */
type Recording = { store: Pick<Store, 'maintain'>; now: () => number; writing: Omit<WriteEnvironment, 'at'> }

/** A keyed digest of a text, under a key that is deleted after its day. */
export type Digest = (text: string) => string

/**
 * Collects the topics of searches without a result, and counts them outside the path of requests. Words stay in memory until then. Topics
 * that the store does not accept are dropped.
 */
export class UnansweredTopics implements TopicCounter {
  readonly #recording: Recording
  readonly #digestOfDay: (day: string) => Digest | undefined
  /** The digests of the topics that each network was counted for. */
  readonly #counted = new LruCache<string, Set<string>>(NETWORKS_MAX)
  #pending: UnansweredTopic[] = []

  /** `digestOfDay` returns undefined if the key of the day is missing. */
  constructor(recording: Recording, digestOfDay: (day: string) => Digest | undefined) {
    this.#recording = recording
    this.#digestOfDay = digestOfDay
  }

  note(caller: RemoteCaller, pairs: readonly WordPair[]): void {
    const { id, day } = caller.origin
    const digest = this.#digestOfDay(day)
    if (digest === undefined) return
    const counted = this.#counted.get(id) ?? new Set()
    this.#counted.set(id, counted)
    for (const pair of pairs) if (this.#pending.length < TOPICS_MAX) this.#notePair(caller, pair, digest, counted)
  }

  async flush(): Promise<void> {
    const { store, now, writing } = this.#recording
    const topics = this.#pending
    this.#pending = []
    for (let from = 0; from < topics.length; from += TOPICS_BATCH) {
      const batch = topics.slice(from, from + TOPICS_BATCH)
      await store.maintain('recordUnansweredTopics', batch, { ...writing, at: now() }).catch(() => {})
    }
  }

  #notePair({ actor, origin }: RemoteCaller, { stems, words }: WordPair, digestOf: Digest, counted: Set<string>): void {
    const digest = digestOf(`topic ${stems}`)
    if (counted.has(digest) || counted.size >= TOPICS_OF_NETWORK) return
    counted.add(digest)
    // The digest differs for each topic, so that rows of one visitor cannot be linked.
    const voiceOf = (who: string): string => digestOf(`voice ${who} ${stems}`).slice(0, VOICE_CHARACTERS)
    const voices = [voiceOf(origin.voice), ...(actor === null ? [] : [voiceOf(`actor ${actor}`)])]
    this.#pending.push({ origin, digest, voices, words })
  }
}

/** Milliseconds after which an observation is written at the latest, unless the store is slow. */
const FLUSH_AFTER = 200
/** The maximum number of distinct observations in memory while the store accepts none. Further ones are dropped and counted. */
const OBSERVATIONS_MAX = 50_000
/** If more observations are waiting, further reads wait. The store writes about this many in half a second. */
const ROOM = 10_000
/** The maximum number of observations whose rows are known to be stored, so that only their counters must be written. */
const KEPT_MAX = 50_000
/** The maximum number of characters of user agents whose digests are remembered. */
const USER_AGENTS_MAX = 1_000_000
/** The maximum number of observations in one transaction, so that other writes can run between. */
const OBSERVATIONS_BATCH = 500

/** Counts the topics of searches without a result. */
type TopicCounter = {
  note(caller: RemoteCaller, pairs: NonNullable<Observed['unanswered']>): void
  flush(): Promise<void>
}
const NO_TOPICS: TopicCounter = { note() {}, async flush() {} }

/**
 * Stores observations outside the path of requests: collects them and writes them together a few times a second. The number of dropped
 * observations is logged once for each flush.
 */
export class Observer {
  readonly #recording: Recording
  readonly #onLoss: (lost: number, error: unknown) => void
  readonly #topics: TopicCounter
  /** Runs only while observations wait. */
  readonly #timer: NodeJS.Timeout
  readonly #stored = new LruCache<string, true>(KEPT_MAX)
  readonly #digests = new LruCache<string, string>(USER_AGENTS_MAX)
  /** By row: one visitor, action and entry within an hour; or by visitor, if the row is stored. */
  #pending = new Map<string, Observation>()
  #flushing: Promise<void> | undefined
  #following: Promise<void> | undefined
  /** The error of a store that accepts no writes, and the number of dropped observations since the last log line. */
  #refusal: unknown
  #lost = 0

  constructor(recording: Recording, onLoss: (lost: number, error: unknown) => void, topics: TopicCounter = NO_TOPICS) {
    this.#recording = recording
    this.#onLoss = onLoss
    this.#topics = topics
    this.#timer = setTimeout(this.#onTimer, FLUSH_AFTER).unref()
  }

  note(caller: RemoteCaller, observed: Observed): void {
    const { actor, origin, requestId, at } = caller
    if (observed.unanswered !== undefined) this.#topics.note(caller, observed.unanswered)
    let userAgent = actor === null ? this.#digests.get(caller.userAgent) : ''
    if (userAgent === undefined) {
      userAgent = shortDigest(caller.userAgent)
      this.#digests.set(caller.userAgent, userAgent, caller.userAgent.length + userAgent.length)
    }
    const visitor = actor === null ? `${origin.id} ${userAgent}` : String(actor)
    const row = `${visitor} ${observed.action} ${observed.entry} ${Math.floor(at / HOUR)}`
    const counted = this.#stored.get(row) === true
    // If the row is stored already, only the count of the visitor changes.
    const key = counted ? visitor : row
    const known = this.#pending.get(key)
    if (known !== undefined && known.at <= at) {
      known.times += 1
      known.lastAt = Math.max(known.lastAt, at)
      return
    }
    const { action, entry, revision, metadata } = observed
    const [times, lastAt] = [1, at]
    const seen = { actor, origin, userAgent, requestId, at, lastAt, times, counted, action, entry, revision, metadata }
    if (!this.#merge(key, seen)) this.#lost += 1
  }

  /** Resolves when all earlier observations are stored or dropped: reads continue when the store accepts no writes. */
  flush(): Promise<void> {
    if (this.#flushing === undefined) {
      this.#flushing = this.#write()
      return this.#flushing
    }
    // The running write began before the newest observation. All later callers share the next round.
    this.#following ??= this.#flushing.then(() => {
      this.#following = undefined
      return this.flush()
    })
    return this.#following
  }

  /**
   * Returns undefined if further reads may run, because the queue has room or the store accepts no writes. Otherwise returns the promise
   * that they must await, so that all reads are counted.
   */
  room(): Promise<void> | undefined {
    if (this.#pending.size < ROOM || this.#refusal !== undefined) return undefined
    return (this.#flushing ?? Promise.resolve()).then(() => void this.flush())
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.flush()
  }

  readonly #onTimer = (): void => {
    if (this.#flushing === undefined) this.flush().catch(() => {})
    else this.#timer.refresh()
  }

  async #write(): Promise<void> {
    const { store, now, writing } = this.#recording
    const observations = [...this.#pending]
    this.#pending = new Map()
    try {
      for (let from = 0; from < observations.length; from += OBSERVATIONS_BATCH) {
        const batch = observations.slice(from, from + OBSERVATIONS_BATCH)
        const seen: Observation[] = []
        for (const [, observation] of batch) seen.push(observation)
        try {
          await store.maintain('recordObservations', seen, { ...writing, at: now() })
          this.#refusal = undefined
          for (const [key, { counted }] of batch) if (!counted) this.#stored.set(key, true)
        } catch (error) {
          this.#refusal = error
          const again = error instanceof StoreFault || error instanceof Problem
          for (const [key, one] of batch) if (!again || !this.#merge(key, one)) this.#lost += one.times
        }
      }
      await this.#topics.flush()
      if (this.#lost > 0) this.#onLoss(this.#lost, this.#refusal)
      this.#lost = 0
    } finally {
      this.#flushing = undefined
    }
  }

  /** Adds an observation to the pending ones, merged with an equal one; false if the queue is full. */
  #merge(key: string, observation: Observation): boolean {
    const known = this.#pending.get(key)
    if (known !== undefined) {
      addTo(known, observation)
      return true
    }
    if (this.#pending.size >= OBSERVATIONS_MAX && this.#refusal !== undefined) return false
    if (this.#pending.size === 0) this.#timer.refresh()
    this.#pending.set(key, observation)
    return true
  }
}

/** Merges two observations with the same key. The request is that of the earlier one. */
function addTo(known: Observation, { requestId, revision, metadata, at, lastAt, times }: Observation): void {
  if (at < known.at) Object.assign(known, { requestId, revision, metadata, at })
  known.lastAt = Math.max(known.lastAt, lastAt)
  known.times += times
}
