import type { Ground, ModerationEvent } from '../../contract/vocabulary.ts'
import type { Reader, Transaction } from '../../engine/database.ts'
import { sql } from '../../engine/sql.ts'

/** The year of a time in milliseconds since 1970, in UTC. */
export const yearOf = (at: number): number => new Date(at).getUTCFullYear()

/** Counts something that happened at a time, in milliseconds since 1970; with -1, counts it no longer. */
export async function countEvent(
  tx: Transaction,
  at: number,
  event: ModerationEvent,
  ground: Ground,
  by: 1 | -1 = 1,
): Promise<void> {
  await tx.run(sql`
    INSERT INTO moderation_count (year, event, ground, count) VALUES (${yearOf(at)}, ${event}, ${ground}, ${by})
    ON CONFLICT (year, event, ground) DO UPDATE SET count = moderation_count.count + excluded.count`)
}

export type CountRow = { event: ModerationEvent; ground: Ground; count: number }

/** The counts of a year, by event and ground. */
export const listCounts = (reader: Reader, year: number) =>
  reader.all<CountRow>(
    sql`SELECT event, ground, count FROM moderation_count WHERE year = ${year} AND count > 0 ORDER BY event, ground`,
  )
