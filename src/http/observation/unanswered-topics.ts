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
/** 72 bits of a digest distinguish the voices of one topic. */
const VOICE_CHARACTERS = 12

/** A keyed digest of a text, under a key that is deleted after its day; undefined if the key of the day is missing. */
export type DayDigest = (day: string, text: string) => string | undefined

/**
 * Collects the topics of searches without a result, and counts them outside the path of requests. Words stay in memory until then. Topics
 * that the store does not accept are dropped.
 */
export function createUnansweredTopics(
  store: Store,
  environment: () => WriteEnvironment,
  digestOf: DayDigest,
): TopicCounter {
  const known = new LruCache<string, Set<string>>(NETWORKS_MAX)
  let pending: UnansweredTopic[] = []

  const noteOne = ({ actor, origin }: Visitor, { stem, word }: UnansweredTerm, counted: Set<string>): void => {
    const { day, id } = origin
    const digest = digestOf(day, `topic ${stem}`)
    if (digest === undefined || counted.has(digest) || counted.size >= TOPICS_OF_NETWORK) return
    counted.add(digest)
    // The digest differs for each topic, so that rows of one visitor cannot be linked.
    const voiceOf = (who: string): string => (digestOf(day, `voice ${who} ${stem}`) ?? '').slice(0, VOICE_CHARACTERS)
    const voices = [voiceOf(id), ...(actor === null ? [] : [voiceOf(`actor ${actor}`)])]
    pending.push({ origin, digest, voices, word })
  }
  return {
    note(visitor: Visitor, terms: readonly UnansweredTerm[]): void {
      const { id } = visitor.origin
      const counted = known.get(id) ?? new Set()
      known.set(id, counted)
      for (const one of terms) if (pending.length < PENDING_MAX) noteOne(visitor, one, counted)
    },
    async flush(): Promise<void> {
      const topics = pending
      pending = []
      for (let from = 0; from < topics.length; from += BATCH) {
        await store.maintain('recordUnansweredTopics', topics.slice(from, from + BATCH), environment()).catch(() => {})
      }
    },
  }
}
