import { getOrThrow, type Transaction } from '../../engine/database.ts'
import { countNetwork, type TopicCount } from '../../find/rules/question.ts'
import {
  addUnansweredTopics,
  insertOrigin,
  type OriginKeys,
  readRequestOrigin,
  readUnansweredTopicCount,
} from '../actors/rows.ts'
import type { Context } from '../operation.ts'
import * as store from './rows.ts'

/** The maximum number of topics per day that one network is counted for, and of topics per day in total. Further ones are not counted. */
export const TOPICS_OF_NETWORK = 30
const TOPICS_OF_DAY = 20_000
/** Batches of topics are counted one after another. */
const LOCK = 'unanswered topics'

/**
 * A topic of a search without a result: words that came together. `digest` and `voices` use a key that is deleted after the day. `words` are
 * stored only after enough networks searched for them.
 */
export type UnansweredTopic = { origin: OriginKeys; digest: string; voices: readonly string[]; words: string }

type KnownTopic = {
  day: string
  digest: string
  row: store.UnansweredTopicRow | undefined
  count: TopicCount
  changed: boolean
}

/**
 * Counts the networks that searched for a topic without a result. Below the number that makes the topic public, only digests are stored.
 */
export async function recordUnansweredTopics(
  tx: Transaction,
  _context: Context,
  topics: readonly UnansweredTopic[],
): Promise<void> {
  await tx.lock(LOCK)
  const rooms = await roomsOf(tx, topics)
  const known = await rowsOf(tx, topics)
  const counted = new Map<OriginKeys['id'], number>()
  for (const { origin, digest, voices, words } of topics) {
    const topic = getOrThrow(known, nameOf(origin.day, digest))
    const times = counted.get(origin.id) ?? 0
    const count = times < getOrThrow(rooms, origin.id).room ? countNetwork(topic.count, voices, words) : undefined
    if (count === undefined) continue
    Object.assign(topic, { count, changed: true })
    counted.set(origin.id, times + 1)
  }
  await save(tx, known)
  await Promise.all([...counted].map(([id, times]) => addUnansweredTopics(tx, getOrThrow(rooms, id).number, times)))
}

const nameOf = (day: string, digest: string): string => `${day} ${digest}`

/** The number of further topics of the day that each network may be counted for; 0 if moderation blocks it. */
async function roomsOf(tx: Transaction, topics: readonly UnansweredTopic[]) {
  const origins = new Map(topics.map(({ origin }) => [origin.id, origin]))
  const rooms = await Promise.all(
    [...origins.values()].map(async keys => {
      const known = await readRequestOrigin(tx, keys)
      if (known.quarantined === 1 || known.blocked === 1) return [keys.id, { number: 0, room: 0 }] as const
      const number = known.number ?? (await insertOrigin(tx, known.keys))
      return [keys.id, { number, room: TOPICS_OF_NETWORK - (await readUnansweredTopicCount(tx, number)) }] as const
    }),
  )
  return new Map(rooms)
}

/** The stored state of each topic, by day and digest. */
async function rowsOf(tx: Transaction, topics: readonly UnansweredTopic[]): Promise<Map<string, KnownTopic>> {
  const named = new Map(topics.map(({ origin: { day }, digest }) => [nameOf(day, digest), { day, digest }]))
  const rows = await Promise.all(
    [...named].map(async ([name, { day, digest }]) => {
      const row = await store.findUnansweredTopic(tx, day, digest)
      const count = row === undefined ? { voices: [], networks: 0, term: null } : store.toTopicCount(row)
      return [name, { day, digest, row, count, changed: false }] as [string, KnownTopic]
    }),
  )
  return new Map(rows)
}

/** Writes the topics that changed, and new ones up to the maximum of the day. */
async function save(tx: Transaction, known: ReadonlyMap<string, KnownTopic>): Promise<void> {
  const changed = [...known.values()].filter(one => one.changed)
  const last = new Map<string, number>()
  for (const { day } of changed) if (!last.has(day)) last.set(day, await store.readLastTopicNumber(tx, day))
  await Promise.all(
    changed.map(({ day, digest, row, count }) => {
      if (row !== undefined) return store.updateUnansweredTopic(tx, row, count)
      const number = getOrThrow(last, day) + 1
      if (number > TOPICS_OF_DAY) return undefined
      last.set(day, number)
      return store.insertUnansweredTopic(tx, { day, digest, number }, count)
    }),
  )
}
