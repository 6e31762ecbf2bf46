import type { Awaitable, Reader, Transaction } from '../../engine/database.ts'
import { type Sql, sql } from '../../engine/sql.ts'
import { tagsOf } from '../entries/rows.ts'
import type { SignalledText } from './signals.ts'

export type SignalledRow = SignalledText & { number: number; id: string; signals: number }

const SIGNALLED: Sql = sql`
  SELECT r.number, r.id, r.title, r.summary, r.content, r.rationale, r.signals, e.tags FROM revision r JOIN entry e ON e.number = r.entry`

const listed = async (rows: Awaitable<(Omit<SignalledRow, 'tags'> & { tags: string })[]>): Promise<SignalledRow[]> =>
  (await rows).map(row => ({ ...row, tags: tagsOf(row) }))

/** The texts of all revisions of an entry, in any order, with their stored signals. */
export const listSignalledOf = (reader: Reader, entry: number) =>
  listed(reader.all(sql`${SIGNALLED} WHERE r.entry = ${entry}`))

export async function updateSignals(tx: Transaction, revision: number, signals: number): Promise<void> {
  await tx.run(sql`UPDATE revision SET signals = ${signals} WHERE number = ${revision}`)
}
