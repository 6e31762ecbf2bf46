import type { Transaction } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import { HOUR } from '../domain/time.ts'
import type { Target } from './moderation.ts'

const HOURS_OF_A_DAY = 24

/** 1 if a row of `activity s` is withdrawn from the public, because its author, origin, entry or relation is; else 0. */
const DUE: Sql = sql`CASE WHEN (SELECT a.quarantined FROM actor a WHERE a.number = s.actor) = 1
  OR coalesce((SELECT o.quarantined FROM origin o WHERE o.number = s.origin), 0) = 1
  OR coalesce((SELECT e.withdrawn FROM entry e WHERE e.number = s.entry), 0) = 1
  OR coalesce((SELECT l.withdrawn FROM relation l WHERE l.number = s.subject), 0) = 1 THEN 1 ELSE 0 END`

/** The rows about the entries of a target and about its evidence and relations elsewhere, as conditions on `activity s`. */
export function rowsAbout({ type, number }: Target): Sql[] {
  const owner: Sql = type === 'ACTOR' ? sql`actor` : sql`origin`
  const entries =
    type === 'ENTRY'
      ? sql`SELECT e.number FROM entry e WHERE e.number = ${number}`
      : sql`SELECT e.number FROM entry e WHERE e.${owner} = ${number}`
  const conditions = [
    sql`s.entry IN (${entries})`,
    sql`s.hour IS NULL AND s.subject IN (SELECT x.relation FROM relation_end x WHERE x.entry IN (${entries}))`,
  ]
  if (type === 'ENTRY') return conditions
  return [
    ...conditions,
    sql`s.hour IS NULL AND s.subject IN (SELECT v.number FROM evidence v WHERE v.${owner} = ${number})`,
    sql`s.hour IS NULL AND s.subject IN (SELECT v.number FROM relation v WHERE v.${owner} = ${number})`,
    sql`s.${owner} = ${number} AND s.hour IS NULL AND s.entry IN (SELECT r.entry FROM revision r WHERE r.${owner} = ${number} AND r.ordinal > 1)`,
  ]
}

/**
 * The reads and searches of a target, as conditions on `activity s`. They are found by clock hours: for an origin the hours of its day, for
 * an actor every hour with rows.
 */
export function observationsBy({ type, number, day }: Target): Sql[] {
  if (type === 'ENTRY') return []
  if (type === 'ORIGIN') {
    const first = Date.parse(day ?? '') / HOUR
    return [
      sql`s.hour IS NOT NULL AND s.hour >= ${first} AND s.hour < ${first + HOURS_OF_A_DAY} AND s.origin = ${number}`,
    ]
  }
  return [
    sql`s.hour IS NOT NULL AND s.sequence IN (
      WITH RECURSIVE clock(hour) AS (
        SELECT min(hour) FROM activity WHERE hour IS NOT NULL
        UNION ALL SELECT hour + 1 FROM clock WHERE hour < (SELECT max(hour) FROM activity WHERE hour IS NOT NULL))
      SELECT o.sequence FROM clock c JOIN activity o ON o.hour = c.hour AND o.hour IS NOT NULL AND o.actor = ${number})`,
  ]
}

/** Withdraws the rows of a target from the public feed or restores them, by the flags of everything that they depend on. */
export async function settleFeed(tx: Transaction, target: Target): Promise<void> {
  for (const rows of [...rowsAbout(target), ...observationsBy(target)]) {
    await tx.run(sql`UPDATE activity AS s SET withdrawn = ${DUE} WHERE ${rows} AND s.withdrawn <> ${DUE}`)
  }
}
