import { only, type Reader, type Transaction } from '../../engine/database.ts'
import { sql } from '../../engine/sql.ts'

/**
 * The sealed answer to a write, with the digests of its caller and key (`id`) and of the request (`request`). `served` is how long the
 * service had run, in milliseconds.
 */
export type StoredAnswerRow = { id: string; request: string; answer: string; created_at: number; served: number }

export const findStoredAnswer = (reader: Reader, id: string) =>
  reader.one<Pick<StoredAnswerRow, 'request' | 'answer'>>(sql`SELECT request, answer FROM retry WHERE id = ${id}`)

export async function insertStoredAnswer(
  tx: Transaction,
  { id, request, answer, created_at, served }: StoredAnswerRow,
): Promise<void> {
  await tx.run(
    sql`INSERT INTO retry (id, request, answer, created_at, served) VALUES (${id}, ${request}, ${answer}, ${created_at}, ${served})`,
  )
}

/**
 * Deletes, of the oldest `limit` rows, those stored before the service had run for `before` milliseconds and those beyond the newest
 * `most`. Returns how many.
 */
export async function forgetStoredAnswers(
  tx: Transaction,
  before: number,
  most: number,
  limit: number,
): Promise<number> {
  const newest = only(await tx.one<{ number: number | null }>(sql`SELECT max(number) AS number FROM retry`)).number ?? 0
  const oldest = await tx.all<{ number: number; served: number }>(
    sql`SELECT number, served FROM retry ORDER BY number LIMIT ${limit}`,
  )
  const due = oldest.findLast(row => row.served < before || row.number <= newest - most)
  return due === undefined ? 0 : tx.run(sql`DELETE FROM retry WHERE number <= ${due.number}`)
}
