import type { Reader, Transaction } from '../../engine/database.ts'
import { type Sql, sql } from '../../engine/sql.ts'
import { findMirror } from '../../mirror/rows.ts'
import type { Touched } from '../cache-tag.ts'
import type { RecordRange } from '../head-rows.ts'

/** The record up to whose changes a cache was purged; 0 if it was never purged. */
export const readPurged = async (reader: Reader, cache: string): Promise<number> =>
  (await reader.one<{ record: number }>(sql`SELECT record FROM purge_progress WHERE cache = ${cache}`))?.record ?? 0

export type Purged = { cache: string; record: number }

/** Stores the record up to which a cache was purged. */
export async function savePurged(tx: Transaction, { cache, record }: Purged): Promise<void> {
  await tx.run(sql`
    INSERT INTO purge_progress (cache, record) VALUES (${cache}, ${record})
    ON CONFLICT (cache) DO UPDATE SET record = excluded.record`)
}

type AuthoredEntry = { entry: number; actor: string }

/**
 * What the records of a range changed: the entries and authors of revisions, evidence and relations; the entries that an act of moderation
 * or the original of a mirror withdrew, restored or locked; and the entries related to those. `all`: a kind has more than `limit` rows, or
 * an act is on an actor or an origin.
 */
export async function listTouched(reader: Reader, { above, upTo }: RecordRange, limit: number): Promise<Touched> {
  const within = (column: Sql): Sql => sql`${column} > ${above} AND ${column} <= ${upTo}`
  const most = limit + 1
  const madeIn = (table: Sql, entry: Sql) =>
    reader.all<AuthoredEntry>(sql`
      SELECT ${entry} AS entry, a.id AS actor FROM ${table} v JOIN actor a ON a.number = v.actor
      WHERE ${within(sql`v.number`)} ORDER BY v.number LIMIT ${most}`)
  const [acts, mirror, ...lists] = await Promise.all([
    reader.all<{ type: string; entry: number | null }>(sql`
      SELECT m.target_type AS type, e.number AS entry FROM moderation m LEFT JOIN entry e ON e.id = m.target_id
      WHERE ${within(sql`m.number`)} AND m.changed = 1 ORDER BY m.number LIMIT ${most}`),
    findMirror(reader),
    madeIn(sql`revision`, sql`v.entry`),
    madeIn(sql`evidence`, sql`v.entry`),
    madeIn(sql`relation`, sql`v.source_entry`),
    madeIn(sql`relation`, sql`v.target_entry`),
  ])
  // A mirror has no acts of moderation. It erases the records that its original withdrew.
  const moderated = acts.length > 0 || mirror !== undefined
  const changed = moderated ? await listChanged(reader, within(sql`e.change`), most) : []
  const made = lists.flat()
  const unbounded = acts.some(({ type }) => type !== 'ENTRY')
  return {
    entries: [...acts, ...changed, ...made].flatMap(({ entry }) => entry ?? []),
    actors: made.map(({ actor }) => actor),
    moderated,
    all: unbounded || [acts, changed, ...lists].some(list => list.length > limit),
  }
}

/** Entries that were withdrawn, restored or revised, and the other ends of their relations. */
async function listChanged(reader: Reader, condition: Sql, limit: number): Promise<{ entry: number }[]> {
  const [entries, related] = await Promise.all([
    reader.all<{ entry: number }>(
      sql`SELECT e.number AS entry FROM entry e WHERE ${condition} ORDER BY e.change, e.number LIMIT ${limit}`,
    ),
    reader.all<{ source: number; target: number }>(sql`
      SELECT l.source_entry AS source, l.target_entry AS target
      FROM entry e JOIN relation_end x ON x.entry = e.number JOIN relation l ON l.number = x.relation
      WHERE ${condition} ORDER BY e.change, e.number LIMIT ${limit}`),
  ])
  return [...entries, ...related.flatMap(({ source, target }) => [{ entry: source }, { entry: target }])]
}
