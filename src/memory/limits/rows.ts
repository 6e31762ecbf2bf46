import type { CooldownAction } from '../../contract/vocabulary.ts'
import { type Reader, sql, type Transaction } from '../../engine/database.ts'
import type { Admission } from './rules.ts'

/** When the last write of an action by a subject began its cooldown, in milliseconds. */
export const findCooldown = async (
  reader: Reader,
  subject: string,
  action: CooldownAction,
): Promise<number | undefined> =>
  (
    await reader.one<{ began_at: number }>(
      sql`SELECT began_at FROM cooldown WHERE subject = ${subject} AND action = ${action}`,
    )
  )?.began_at

export async function beginCooldown(
  tx: Transaction,
  subject: string,
  action: CooldownAction,
  at: number,
): Promise<void> {
  await tx.run(sql`
    INSERT INTO cooldown (subject, action, began_at) VALUES (${subject}, ${action}, ${at})
    ON CONFLICT (subject, action) DO UPDATE SET began_at = excluded.began_at`)
}

export async function forgetCooldowns(tx: Transaction, before: number): Promise<void> {
  await tx.run(sql`DELETE FROM cooldown WHERE began_at < ${before}`)
}

/** Stores the admissions of a limiter, so that a restart does not reset it. Deletes bins before `beforeBin`, which no longer count. */
export async function saveAdmissions(
  tx: Transaction,
  _context: unknown,
  { admissions, beforeBin }: { admissions: readonly Admission[]; beforeBin: number },
): Promise<void> {
  for (const { bin, key, count } of admissions) {
    if (count === 0) continue
    await tx.run(sql`
      INSERT INTO admission (bin, key, count) VALUES (${bin}, ${key}, ${count})
      ON CONFLICT (bin, key) DO UPDATE SET count = admission.count + excluded.count`)
  }
  await tx.run(sql`DELETE FROM admission WHERE bin < ${beforeBin}`)
}

export const listAdmissions = (reader: Reader, sinceBin: number) =>
  reader.all<Admission>(sql`SELECT bin, key, count FROM admission WHERE bin >= ${sinceBin} AND count > 0 ORDER BY bin`)
