import type { UnansweredTerm } from '../../domain/find/unanswered.ts'
import { LruCache } from '../../domain/lru-cache.ts'
import { TOPICS_OF_NETWORK, type UnansweredTopic } from '../../operations/observation/record-unanswered.ts'
import type { Store, WriteEnvironment } from '../../operations/store.ts'
import type { TopicCounter, Visitor } from './observer.ts'

/** The maximum number of topics in the queue. When it is full, new ones are dropped. */
const PENDING_MAX = 5_000
/** The maximum number of topics in one transaction, so that other writes can run between. */
const BATCH = 200
/** The maximum number of networks whose topics of the day are remembered. */
const NETWORKS_MAX = 50_000
/** Number of characters of the digest of a voice: 72 bits, which distinguish the voices of one topic. */
const VOICE_CHARACTERS = 12

/** A keyed digest of a text, under a key that is deleted after its day. */
export type Digest = (text: string) => string

/**
 * Collects the topics of searches without a result, and counts them outside the path of requests. Words stay in memory until then. Topics
 * that the store does not accept are dropped.
 */
export class UnansweredTopics implements TopicCounter {
  readonly #store: Pick<Store, 'maintain'>
  readonly #environment: () => WriteEnvironment
  readonly #digestOfDay: (day: string) => Digest | undefined
  /** The digests of the topics that each network was counted for. */
  readonly #counted = new LruCache<string, Set<string>>(NETWORKS_MAX)
  #pending: UnansweredTopic[] = []

  /** `digestOfDay` returns undefined if the key of the day is missing. */
  constructor(
    store: Pick<Store, 'maintain'>,
    environment: () => WriteEnvironment,
    digestOfDay: (day: string) => Digest | undefined,
  ) {
    this.#store = store
    this.#environment = environment
    this.#digestOfDay = digestOfDay
  }

  note(visitor: Visitor, terms: readonly UnansweredTerm[]): void {
    const { id, day } = visitor.origin
    const digest = this.#digestOfDay(day)
    if (digest === undefined) return
    const counted = this.#counted.get(id) ?? new Set()
    this.#counted.set(id, counted)
    for (const term of terms) if (this.#pending.length < PENDING_MAX) this.#noteTerm(visitor, term, digest, counted)
  }

  async flush(): Promise<void> {
    const topics = this.#pending
    this.#pending = []
    for (let from = 0; from < topics.length; from += BATCH) {
      const batch = topics.slice(from, from + BATCH)
      await this.#store.maintain('recordUnansweredTopics', batch, this.#environment()).catch(() => {})
    }
  }

  #noteTerm({ actor, origin }: Visitor, { stem, word }: UnansweredTerm, digestOf: Digest, counted: Set<string>): void {
    const digest = digestOf(`topic ${stem}`)
    if (counted.has(digest) || counted.size >= TOPICS_OF_NETWORK) return
    counted.add(digest)
    // The digest differs for each topic, so that rows of one visitor cannot be linked.
    const voiceOf = (who: string): string => digestOf(`voice ${who} ${stem}`).slice(0, VOICE_CHARACTERS)
    const voices = [voiceOf(origin.id), ...(actor === null ? [] : [voiceOf(`actor ${actor}`)])]
    this.#pending.push({ origin, digest, voices, word })
  }
}
