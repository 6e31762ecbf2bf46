import { type Loadable, type Reader, sql, type Transaction } from '../../engine/database.ts'
import { tagsOf } from './rows.ts'
import { tagKey } from './rules.ts'

/** A topic: its public EXTERNAL entries, and the oldest of them by number, which spells it; 0 if it is not known yet. */
type Topic = { key: string; spelling: string; entries: number; entry: number }

/** The additions of new entries to topics, in order. */
const ADDITIONS: Loadable<Topic[]> = {
  load: () => [],
  async save(tx, additions) {
    for (const { key, spelling, entries, entry } of together(additions)) {
      await tx.run(sql`
        INSERT INTO topic (key, spelling, entries, entry) VALUES (${key}, ${spelling}, ${entries}, ${entry})
        ON CONFLICT (key) DO UPDATE SET entries = topic.entries + excluded.entries,
          spelling = CASE WHEN topic.entries > 0 THEN topic.spelling ELSE excluded.spelling END,
          entry = CASE WHEN topic.entries > 0 THEN topic.entry ELSE excluded.entry END`)
    }
  },
}

/** One addition for each topic, spelled as by its first entry. */
function together(additions: readonly Topic[]): Topic[] {
  const sums = new Map<string, Topic>()
  for (const one of additions) {
    const known = sums.get(one.key)
    if (known === undefined) sums.set(one.key, { ...one })
    else known.entries += one.entries
  }
  return [...sums.values()]
}

/** Counts a new EXTERNAL entry into the topics of its tags. A topic is spelled as its oldest public entry spells it. */
export async function addToTopics(tx: Transaction, tags: readonly string[], entry: number): Promise<void> {
  const additions = await tx.load(ADDITIONS)
  for (const tag of tags) additions.push({ key: tagKey(tag), spelling: tag, entries: 1, entry })
}

/** An EXTERNAL entry that was withdrawn or restored. */
export type Moved = { number: number; tags: readonly string[]; shown: boolean }

/** The change of a topic by moved entries: the difference in its count, the withdrawn entries, and the oldest restored one. */
type TopicChange = { by: number; left: Set<number>; back: { entry: number; spelling: string } | undefined }

function changesOf(moved: readonly Moved[]): Map<string, TopicChange> {
  const changes = new Map<string, TopicChange>()
  for (const { number, tags, shown } of moved) {
    for (const tag of tags) {
      const key = tagKey(tag)
      const change = changes.get(key) ?? { by: 0, left: new Set(), back: undefined }
      changes.set(key, change)
      change.by += shown ? 1 : -1
      if (!shown) change.left.add(number)
      else if (change.back === undefined || number < change.back.entry) change.back = { entry: number, spelling: tag }
    }
  }
  return changes
}

/**
 * Updates the topics of withdrawn and restored entries. If the oldest entry of a topic changes, the new one spells it. Call it after the
 * entries are settled.
 */
export async function moveTopics(tx: Transaction, moved: readonly Moved[]): Promise<void> {
  const additions = await tx.load(ADDITIONS)
  await ADDITIONS.save(tx, additions.splice(0))
  const changes = [...changesOf(moved)]
  const topics = await Promise.all(changes.map(([key, change]) => changed(tx, key, change)))
  const unknown = topics.filter(({ entries, spelling }) => entries > 0 && spelling === '')
  const oldest = await findOldest(tx, unknown)
  for (const topic of unknown) Object.assign(topic, oldest.get(topic.key))
  await Promise.all(
    topics.map(({ key, spelling, entries, entry }) =>
      tx.run(sql`
        INSERT INTO topic (key, spelling, entries, entry) VALUES (${key}, ${spelling}, ${entries}, ${entry})
        ON CONFLICT (key) DO UPDATE SET spelling = excluded.spelling, entries = excluded.entries, entry = excluded.entry`),
    ),
  )
}

/** A topic after a change. Its spelling is empty if its oldest entry is not known yet; that entry has a number above `entry`. */
async function changed(reader: Reader, key: string, { by, left, back }: TopicChange): Promise<Topic> {
  const known = await reader.one<Topic>(sql`SELECT key, spelling, entries, entry FROM topic WHERE key = ${key}`)
  const before = known ?? { key, spelling: '', entries: 0, entry: 0 }
  const topic = { ...before, entries: before.entries + by }
  if (back !== undefined && (before.entries === 0 || back.entry < before.entry)) return { ...topic, ...back }
  return left.has(before.entry) || before.entry === 0 ? { ...topic, spelling: '' } : topic
}

/** The number of entries that one statement reads. */
const WALK = 5_000

/**
 * The oldest public entry of each topic above its `entry`, and the spelling of the tag there. One scan of the entries finds all of them.
 */
async function findOldest(
  reader: Reader,
  topics: readonly Topic[],
): Promise<Map<string, Pick<Topic, 'entry' | 'spelling'>>> {
  const sought = new Set(topics.map(({ key }) => key))
  const found = new Map<string, Pick<Topic, 'entry' | 'spelling'>>()
  let after = Math.min(...topics.map(({ entry }) => entry))
  while (sought.size > 0) {
    const entries = await reader.all<{ number: number; tags: string }>(sql`
      SELECT number, tags FROM entry WHERE number > ${after} AND withdrawn = 0 AND data_class = 'EXTERNAL' AND tags <> '[]'
      ORDER BY number LIMIT ${WALK}`)
    for (const { number, tags } of entries) {
      for (const tag of tagsOf({ tags })) {
        if (sought.delete(tagKey(tag))) found.set(tagKey(tag), { entry: number, spelling: tag })
      }
    }
    const last = entries.at(-1)
    if (last === undefined || entries.length < WALK) break
    after = last.number
  }
  return found
}

/** The tags with the most public entries. */
export const listTopics = (reader: Reader, limit: number) =>
  reader.all<{ tag: string; count: number }>(
    sql`SELECT spelling AS tag, entries AS count FROM topic WHERE entries > 0 ORDER BY entries DESC, key LIMIT ${limit}`,
  )
