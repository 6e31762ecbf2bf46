import { LIMITS } from '../contract/limits.ts'
import type { Author } from '../contract/resources.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import { authorOf, findActorById } from './actor.ts'
import { observationsBy, rowsAbout } from './feed.ts'
import { entriesOf, type Target } from './moderation.ts'

/** The size of a segment. SQLite would bind the number as REAL without the cast. */
const SEGMENT: Sql = sql`CAST(${LIMITS.exportSegment} AS INTEGER)`

/** Marks the segments whose lines depend on a target as changed by a record of moderation. */
export async function markSegments(tx: Transaction, target: Target, record: number): Promise<void> {
  // A mirror withdraws and restores the reads of an entry together with the entry.
  const written = rowsAbout(target).map(rows => sql`s.hour IS NULL AND ${rows}`)
  for (const lines of [...written, ...observationsBy(target)]) {
    const segments = await tx.all<{ segment: number }>(
      sql`SELECT DISTINCT (s.sequence - 1) / ${SEGMENT} AS segment FROM activity s WHERE ${lines}`,
    )
    await mark(tx, segments, record)
  }
}

/** Marks the segments that have the latest withdrawal or return of a target's entries. Call it before a later one replaces it. */
export async function markModerated(tx: Transaction, target: Target, record: number): Promise<void> {
  const segments = await tx.all<{ segment: number }>(sql`
    SELECT DISTINCT (e.moderated - 1) / ${SEGMENT} AS segment FROM entry e WHERE ${entriesOf(target)} AND e.moderated > 0`)
  await mark(tx, segments, record)
}

async function mark(tx: Transaction, segments: readonly { segment: number }[], record: number): Promise<void> {
  for (const { segment } of segments) {
    await tx.run(sql`
      INSERT INTO export_change (segment, record) VALUES (${segment}, ${record})
      ON CONFLICT (segment) DO UPDATE SET record = excluded.record`)
  }
}

/** The segments, from 0, that acts of moderation above a record changed, the earliest change first. */
export const listChangedSegments = (reader: Reader, above: number, limit: number) =>
  reader.all<{ segment: number }>(
    sql`SELECT segment FROM export_change WHERE record > ${above} ORDER BY record, segment LIMIT ${limit}`,
  )

/** The record number of the latest act of moderation; 0 if there is none. */
export const readLatestChange = async (reader: Reader): Promise<number> =>
  (await reader.one<{ number: number }>(sql`SELECT number FROM moderation ORDER BY number DESC LIMIT ${1}`))?.number ??
  0

/**
 * The actors, as they are shown now, that the first `limit` acts of moderation of actors above a record were about. Actors that were never
 * observed are left out. `all`: there are no more such acts.
 */
export async function listChangedActors(
  reader: Reader,
  above: number,
  limit: number,
): Promise<{ actors: Author[]; all: boolean }> {
  const targets = await reader.all<{ id: string }>(sql`
    SELECT target_id AS id FROM moderation WHERE number > ${above} AND target_type = 'ACTOR' ORDER BY number LIMIT ${limit + 1}`)
  const ids = new Set(targets.slice(0, limit).map(({ id }) => id))
  const found = await Promise.all([...ids].map(id => findActorById(reader, id)))
  const observed = found.filter(actor => actor !== undefined).filter(({ observations }) => observations > 0)
  return { actors: observed.map(authorOf), all: targets.length <= limit }
}
