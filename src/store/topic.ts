import type { Carried, Reader, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { tagKey } from '../domain/tag.ts'

type Change = { key: string; spelling: string; by: number }

/** What a transaction changes of the topics, in order. */
const CHANGES: Carried<Change[]> = {
  load: () => [],
  mark(changes) {
    const { length } = changes
    return () => {
      changes.length = length
    }
  },
  async save(tx, changes) {
    for (const { key, spelling, by } of together(changes)) {
      await tx.run(sql`
        INSERT INTO topic (key, spelling, entries) VALUES (${key}, ${spelling}, ${by})
        ON CONFLICT (key) DO UPDATE SET entries = topic.entries + excluded.entries,
          spelling = CASE WHEN topic.entries > 0 THEN topic.spelling ELSE excluded.spelling END`)
    }
  },
}

/** Changes of one topic that follow each other in one direction are one change. */
function together(changes: readonly Change[]): Change[] {
  const last = new Map<string, Change>()
  const made: Change[] = []
  for (const change of changes) {
    const known = last.get(change.key)
    if (known !== undefined && known.by > 0 === change.by > 0) known.by += change.by
    else {
      const fresh = { ...change }
      last.set(change.key, fresh)
      made.push(fresh)
    }
  }
  return made
}

/**
 * Counts EXTERNAL entries into (or, below 0, out of) the topics of tags. The first spelling of a tag stays for as long as
 * a public entry has it, so that nobody is shown the spelling of a withdrawn one.
 */
export async function addToTopics(tx: Transaction, tags: readonly string[], by: number): Promise<void> {
  const changes = await tx.carry(CHANGES)
  for (const tag of tags) changes.push({ key: tagKey(tag), spelling: tag, by })
}

/** The tags that most public entries have. */
export const listTopics = (reader: Reader, limit: number) =>
  reader.all<{ tag: string; count: number }>(
    sql`SELECT spelling AS tag, entries AS count FROM topic WHERE entries > 0 ORDER BY entries DESC, key LIMIT ${limit}`,
  )
