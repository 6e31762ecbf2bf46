import { getOrThrow, type Transaction } from '../../database/database.ts'
import { type Asked, askedBy } from '../../domain/find/unanswered.ts'
import { addAsked, ensureOrigin, type OriginKeys, readAsked, readRequestOrigin } from '../../store/origin.ts'
import * as store from '../../store/unanswered.ts'
import type { Context } from '../operation.ts'

/** The maximum number of topics per day that one network is counted for, and of topics per day in total. Further ones are not counted. */
export const TOPICS_OF_NETWORK = 20
const TOPICS_OF_DAY = 20_000
/** Batches of topics are counted one after another. */
const LOCK = 'asked'

/**
 * A topic of a search without a result. `digest` and `voices` use a key that is deleted after the day. `word` is stored only after enough
 * networks searched for it.
 */
export type AskedTopic = { origin: OriginKeys; digest: string; voices: readonly string[]; word: string }

type Known = { day: string; digest: string; row: store.AskedRow | undefined; asked: Asked; changed: boolean }

/**
 * Counts the networks that searched for a topic without a result. Below the number that makes the topic public, only digests are stored.
 */
export async function recordAsked(tx: Transaction, _context: Context, topics: readonly AskedTopic[]): Promise<void> {
  await tx.lock(LOCK)
  const rooms = await roomsOf(tx, topics)
  const known = await rowsOf(tx, topics)
  const counted = new Map<OriginKeys['id'], number>()
  for (const { origin, digest, voices, word } of topics) {
    const one = getOrThrow(known, nameOf(origin.day, digest))
    const times = counted.get(origin.id) ?? 0
    const asked = times < getOrThrow(rooms, origin.id).room ? askedBy(one.asked, voices, word) : undefined
    if (asked === undefined) continue
    Object.assign(one, { asked, changed: true })
    counted.set(origin.id, times + 1)
  }
  await save(tx, known)
  await Promise.all([...counted].map(([id, times]) => addAsked(tx, getOrThrow(rooms, id).number, times)))
}

const nameOf = (day: string, digest: string): string => `${day} ${digest}`

/** The number of further topics of the day that each network may be counted for; 0 if moderation blocks it. */
async function roomsOf(tx: Transaction, topics: readonly AskedTopic[]) {
  const origins = new Map(topics.map(({ origin }) => [origin.id, origin]))
  const rooms = await Promise.all(
    [...origins.values()].map(async keys => {
      const known = await readRequestOrigin(tx, keys)
      if (known.quarantined === 1 || known.blocked === 1) return [keys.id, { number: 0, room: 0 }] as const
      const number = await ensureOrigin(tx, known)
      return [keys.id, { number, room: TOPICS_OF_NETWORK - (await readAsked(tx, number)) }] as const
    }),
  )
  return new Map(rooms)
}

/** The stored state of each topic, by day and digest. */
async function rowsOf(tx: Transaction, topics: readonly AskedTopic[]): Promise<Map<string, Known>> {
  const named = new Map(topics.map(({ origin: { day }, digest }) => [nameOf(day, digest), { day, digest }]))
  const rows = await Promise.all(
    [...named].map(async ([name, { day, digest }]) => {
      const row = await store.findAsked(tx, day, digest)
      const asked = row === undefined ? { voices: [], networks: 0, term: null } : store.toAsked(row)
      return [name, { day, digest, row, asked, changed: false }] as [string, Known]
    }),
  )
  return new Map(rows)
}

/** Writes the topics that changed, and new ones up to the maximum of the day. */
async function save(tx: Transaction, known: ReadonlyMap<string, Known>): Promise<void> {
  const changed = [...known.values()].filter(one => one.changed)
  const last = new Map<string, number>()
  for (const { day } of changed) if (!last.has(day)) last.set(day, await store.readLastAsked(tx, day))
  await Promise.all(
    changed.map(({ day, digest, row, asked }) => {
      if (row !== undefined) return store.updateAsked(tx, row, asked)
      const number = getOrThrow(last, day) + 1
      if (number > TOPICS_OF_DAY) return undefined
      last.set(day, number)
      return store.insertAsked(tx, { day, digest, number }, asked)
    }),
  )
}
