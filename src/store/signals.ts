import type { Reader, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { SignalledText } from '../domain/signals.ts'

/** The version of the patterns that computed the signals, and the last computed revision: null if all are computed. */
export type SignalsProgress = { version: number; revision: number | null }

export const readSignalsProgress = async (reader: Reader): Promise<SignalsProgress> =>
  (await reader.one<SignalsProgress>(sql`SELECT version, revision FROM signals_progress WHERE one = 1`)) ?? {
    version: 0,
    revision: 0,
  }

export async function saveSignalsProgress(tx: Transaction, { version, revision }: SignalsProgress): Promise<void> {
  await tx.run(sql`
    INSERT INTO signals_progress (one, version, revision) VALUES (1, ${version}, ${revision})
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
