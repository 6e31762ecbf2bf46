import type { Reader, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/**
 * The state of the original's public log in a mirror. Every record up to `record` was seen as a line of the export, and so was every record
 * in `ahead`. The numbers in `ahead` are above `record` and ascend.
 */
export type MirrorLog = {
  /** The verifier key of the original that is trusted. */
  key: string
  /** The newest checkpoint that the key signed and that continues the one before. */
  note: string | null
  record: number
  ahead: number[]
}

/** The state of the original's public log; undefined if the store is not a mirror or does not verify the log. */
export async function findMirrorLog(reader: Reader): Promise<MirrorLog | undefined> {
  const row = await reader.one<Omit<MirrorLog, 'ahead'> & { ahead: string }>(
    sql`SELECT key, note, record, ahead FROM mirror_log WHERE one = 1`,
  )
  return row === undefined ? undefined : { ...row, ahead: JSON.parse(row.ahead) as number[] }
}

/** Stores the verifier key that a mirror trusts, in place of an earlier one. */
export async function saveMirrorKey(tx: Pick<Transaction, 'run'>, key: string): Promise<void> {
  await tx.run(sql`
    INSERT INTO mirror_log (one, key) VALUES (1, ${key}) ON CONFLICT (one) DO UPDATE SET key = excluded.key`)
}

export async function updateMirrorLog(tx: Transaction, { note, record, ahead }: Omit<MirrorLog, 'key'>): Promise<void> {
  await tx.run(sql`
    UPDATE mirror_log SET note = ${note}, record = ${record}, ahead = ${JSON.stringify(ahead)} WHERE one = 1`)
}

/**
 * Stores the salt of a record. With `isRow`, the mirror must have the row of the record; without it, the record has no row in any store.
 */
export async function saveSalt(
  tx: Transaction,
  record: number,
  salt: string,
  { isRow }: { isRow: boolean },
): Promise<void> {
  await tx.run(sql`
    INSERT INTO mirror_salt (record, salt) SELECT CAST(${record} AS BIGINT), ${salt}
    WHERE ${isRow ? 0 : 1} = 1 OR EXISTS (SELECT 1 FROM revision WHERE number = ${record})
      OR EXISTS (SELECT 1 FROM evidence WHERE number = ${record}) OR EXISTS (SELECT 1 FROM relation WHERE number = ${record})
    ON CONFLICT (record) DO UPDATE SET salt = excluded.salt`)
}

/** Erases the salt of a record that was withdrawn. */
export async function eraseSalt(tx: Transaction, record: number): Promise<void> {
  await tx.run(sql`DELETE FROM mirror_salt WHERE record = ${record}`)
}
