import type { Reader, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { tagKey } from '../domain/tag.ts'

/**
 * Counts EXTERNAL entries into (or, below 0, out of) the topics of tags. The first spelling of a tag stays for as long as
 * a public entry has it, so that nobody is shown the spelling of a withdrawn one.
 */
export async function addToTopics(tx: Transaction, tags: readonly string[], by: number): Promise<void> {
  for (const tag of tags) {
    await tx.run(sql`
      INSERT INTO topic (key, spelling, entries) VALUES (${tagKey(tag)}, ${tag}, ${by})
      ON CONFLICT (key) DO UPDATE SET entries = topic.entries + excluded.entries,
        spelling = CASE WHEN topic.entries > 0 THEN topic.spelling ELSE excluded.spelling END`)
  }
}

/** The tags that most public entries have. */
export const listTopics = (reader: Reader, limit: number) =>
  reader.all<{ tag: string; count: number }>(
    sql`SELECT spelling AS tag, entries AS count FROM topic WHERE entries > 0 ORDER BY entries DESC, key LIMIT ${limit}`,
  )
