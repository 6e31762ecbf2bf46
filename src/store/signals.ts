import type { Awaitable, Reader, Transaction } from '../database/database.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { SignalledText } from '../domain/signals/signals.ts'
import { tagsOf } from './entry.ts'
import { NO_PROGRESS, type Progress } from './recount.ts'

export const readSignalsProgress = async (reader: Reader): Promise<Progress> =>
  (await reader.one<Progress>(sql`SELECT version, revision AS reached FROM signals_progress WHERE one = 1`)) ??
  NO_PROGRESS

export async function saveSignalsProgress(tx: Transaction, { version, reached }: Progress): Promise<void> {
  await tx.run(sql`
    INSERT INTO signals_progress (one, version, revision) VALUES (1, ${version}, ${reached})
    ON CONFLICT (one) DO UPDATE SET version = excluded.version, revision = excluded.revision`)
}

export type SignalledRow = SignalledText & { number: number; id: string; signals: number }

const SIGNALLED: Sql = sql`
  SELECT r.number, r.id, r.title, r.summary, r.content, r.rationale, r.signals, e.tags FROM revision r JOIN entry e ON e.number = r.entry`

const listed = async (rows: Awaitable<(Omit<SignalledRow, 'tags'> & { tags: string })[]>): Promise<SignalledRow[]> =>
  (await rows).map(row => ({ ...row, tags: tagsOf(row) }))

/** The texts of the revisions of all entries above a record, in order, with their stored signals. */
export const listSignalled = (reader: Reader, after: number, limit: number) =>
  listed(reader.all(sql`${SIGNALLED} WHERE r.number > ${after} ORDER BY r.number LIMIT ${limit}`))

/** The same of all revisions of an entry, in any order. */
export const listSignalledOf = (reader: Reader, entry: number) =>
  listed(reader.all(sql`${SIGNALLED} WHERE r.entry = ${entry}`))

export async function updateSignals(tx: Transaction, revision: number, signals: number): Promise<void> {
  await tx.run(sql`UPDATE revision SET signals = ${signals} WHERE number = ${revision}`)
}
