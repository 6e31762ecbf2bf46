import type { Reader, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { tagKey } from '../domain/tag.ts'

/** Counts an EXTERNAL entry in (1) or out (-1) of the topics of its tags. The first spelling of a tag stays. */
export async function addToTopics(tx: Transaction, tags: readonly string[], by: 1 | -1): Promise<void> {
  for (const tag of tags) {
    await tx.run(sql`
      INSERT INTO topic (key, spelling, entries) VALUES (${tagKey(tag)}, ${tag}, ${by})
      ON CONFLICT (key) DO UPDATE SET entries = topic.entries + excluded.entries`)
  }
}

/** The tags that most public entries have. */
export const listTopics = (reader: Reader, limit: number) =>
  reader.all<{ tag: string; count: number }>(
    sql`SELECT spelling AS tag, entries AS count FROM topic WHERE entries > 0 ORDER BY entries DESC, key LIMIT ${limit}`,
  )
