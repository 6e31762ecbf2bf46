import type { Reader } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** The record of the last write up to a sequence; 0 if there is none. */
export const findRecordAt = async (reader: Reader, sequence: number): Promise<number> =>
  (
    await reader.one<{ record: number }>(sql`
      SELECT coalesce(subject, revision) AS record FROM activity
      WHERE hour IS NULL AND action NOT IN ('READ', 'SEARCH') AND sequence <= ${sequence} ORDER BY sequence DESC LIMIT ${1}`)
  )?.record ?? 0

/** The sequence of the first row above a sequence. */
export const findRowAbove = async (reader: Reader, sequence: number): Promise<number | undefined> =>
  (
    await reader.one<{ sequence: number }>(
      sql`SELECT sequence FROM activity WHERE sequence > ${sequence} ORDER BY sequence LIMIT ${1}`,
    )
  )?.sequence
