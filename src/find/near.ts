import { sql } from '../engine/sql.ts'
import type { SqliteConnection } from '../engine/sqlite.ts'
import { pairsOf } from './rules/pairs.ts'

/** Number of the newest entries that are read for each pair. Of many entries about the same subject, some are enough. */
const READ_MAX = 16

/** A pair as a word of the index. No term and no tag begins with this character. */
const pairWord = (pair: number): string => `:${(pair >>> 0).toString(36)}`

/** The pairs of terms as words of the index. */
export const pairWords = (terms: Iterable<string>): string[] => pairsOf(terms).map(pairWord)

/** The numbers of entries that have any of the pairs. Entries with more of the pairs come first; of equal ones, the newest. */
export function findNear(index: SqliteConnection, pairs: readonly number[], limit: number): number[] {
  const common = new Map<number, number>()
  for (const pair of new Set(pairs)) {
    const rows = index.all<{ number: number }>(
      sql`SELECT rowid AS number FROM ranked WHERE ranked MATCH ${`"${pairWord(pair)}"`} ORDER BY rowid DESC LIMIT ${READ_MAX}`,
    )
    for (const { number } of rows) common.set(number, (common.get(number) ?? 0) + 1)
  }
  const most = [...common].sort(([a, as], [b, bs]) => bs - as || b - a).slice(0, limit)
  return most.flatMap(([number]) => entryOf(index, number) ?? [])
}

const entryOf = (index: SqliteConnection, number: number): number | undefined =>
  index.one<{ entry: number }>(sql`SELECT entry FROM doc WHERE number = ${number}`)?.entry
