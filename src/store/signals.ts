import type { Reader, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { SignalledText } from '../domain/signals/signals.ts'
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

/** The texts of the revisions of all entries above a record, in order, with their stored signals. */
export const listSignalled = (reader: Reader, after: number, limit: number) =>
  reader.all<SignalledRow>(sql`
    SELECT number, id, title, summary, content, rationale, signals FROM revision WHERE number > ${after} ORDER BY number LIMIT ${limit}`)

export async function updateSignals(tx: Transaction, revision: number, signals: number): Promise<void> {
  await tx.run(sql`UPDATE revision SET signals = ${signals} WHERE number = ${revision}`)
}
