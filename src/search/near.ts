import { sql } from '../database/sql.ts'
import type { SqliteConnection } from '../database/sqlite.ts'
import { PAIRS_MAX, pairsOf } from '../domain/pairs.ts'

/** Rows that are read for a draft, at most: of many entries that say the same some are enough. */
const READ_MAX = 48
type Ten = [number, number, number, number, number, number, number, number, number, number]

/** Notes the pairs of the terms of an entry. Those of its earlier texts stay. */
export function notePairs(index: SqliteConnection, entry: number, terms: Iterable<string>): void {
  const pairs = pairsOf(terms)
  const [first] = pairs
  if (first === undefined) return
  const [a, b, c, d, e, f, g, h, i, j] = tenOf(pairs, first)
  index.run(sql`
    INSERT INTO pair (pair, entry)
    VALUES (${a}, ${entry}), (${b}, ${entry}), (${c}, ${entry}), (${d}, ${entry}), (${e}, ${entry}),
      (${f}, ${entry}), (${g}, ${entry}), (${h}, ${entry}), (${i}, ${entry}), (${j}, ${entry})
    ON CONFLICT DO NOTHING`)
}

/** A text has ten pairs or fewer: one statement is for all. The first stands for those that it lacks. */
const tenOf = (pairs: readonly number[], first: number): Ten =>
  Array.from({ length: PAIRS_MAX }, (_, at) => pairs[at] ?? first) as Ten

/** The numbers of entries that have any of the pairs of words, those with most of them first. One look-up by keys. */
export function findNear(index: SqliteConnection, pairs: readonly number[], limit: number): number[] {
  const [first] = pairs
  if (first === undefined) return []
  const [a, b, c, d, e, f, g, h, i, j] = tenOf(pairs, first)
  const rows = index.all<{ entry: number }>(
    sql`SELECT entry FROM pair WHERE pair IN (${a}, ${b}, ${c}, ${d}, ${e}, ${f}, ${g}, ${h}, ${i}, ${j}) LIMIT ${READ_MAX}`,
  )
  if (rows.length === 0) return []
  const common = new Map<number, number>()
  for (const { entry } of rows) common.set(entry, (common.get(entry) ?? 0) + 1)
  const most = [...common].sort(([a, as], [b, bs]) => bs - as || b - a)
  return most.slice(0, limit).map(([entry]) => entry)
}
