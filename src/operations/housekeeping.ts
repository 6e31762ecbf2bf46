import { IDEMPOTENCY_HOURS } from '../contract/limits.ts'
import type { Transaction } from '../database/database.ts'
import type { Admission } from '../domain/rate-limit.ts'
import { deleteObservations } from '../store/activity.ts'
import { forgetAsked } from '../store/asked.ts'
import { addServed, rewriteHead } from '../store/head.ts'
import { forgetStoredAnswers } from '../store/idempotency.ts'
import { forgetAdmissions, forgetCooldowns, saveAdmission } from '../store/limit.ts'
import { ensureSalt, forgetNetworkKeys, forgetSalts } from '../store/origin.ts'
import { forgetReaders } from '../store/work.ts'
import type { Context } from './operation.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** How long the answer to a write is kept for retries, in milliseconds of service: with what is counted late, never less than promised. */
const IDEMPOTENCY_KEPT = IDEMPOTENCY_HOURS * HOUR + 10 * 60_000
const SALT_BYTES = 32
/** Days for which a public topic without an answer is kept. */
const ASKED_DAYS = 30
/** Rows of expired observations, and of expired answers, deleted in one transaction. */
const RETENTION_BATCH = 2_000
/** Answers kept for retries: of more the oldest go before their time. Of about 1 kB each. */
const STORED_ANSWERS_MAX = 1_000_000

/** Gives the salt of a day (as `2026-11-21`), made now if there is none. */
export async function openDay(tx: Transaction, context: Context, day: string): Promise<string> {
  return ensureSalt(tx, day, Buffer.from(context.randomBytes(SALT_BYTES)).toString('base64url'))
}

/** Keeps what a limiter admitted, so that no restart refills it; bins before `beforeBin` no longer count. */
export async function saveAdmissions(
  tx: Transaction,
  _context: Context,
  { admissions, beforeBin }: { admissions: readonly Admission[]; beforeBin: number },
): Promise<void> {
  for (const admission of admissions) await saveAdmission(tx, admission)
  await forgetAdmissions(tx, beforeBin)
}

/**
 * Deletes what is due: salts of days gone by, network keys of days before yesterday, cooldowns and admissions that are over, observations past their retention,
 * answers that no retry is given any more. Counts that the service ran for `served` milliseconds since the last time.
 * Resolves true when there is more to delete.
 */
export async function sweep(
  tx: Transaction,
  context: Context,
  { today, retentionDays, served }: { today: string; retentionDays: number; served: number },
): Promise<boolean> {
  await forgetSalts(tx, today)
  await forgetNetworkKeys(tx, dayBefore(today, 1))
  await forgetCooldowns(tx, context.at - HOUR)
  // They name networks too, and nothing else deletes the last of them once nobody comes any more.
  await forgetAdmissions(tx, context.at - HOUR)
  const deleted = await deleteObservations(tx, Math.floor(context.at / HOUR) - retentionDays * 24, RETENTION_BATCH)
  const forgotten = await forgetStoredAnswers(
    tx,
    (await addServed(tx, context.now, served)) - IDEMPOTENCY_KEPT,
    STORED_ANSWERS_MAX,
    RETENTION_BATCH,
  )
  const readers = await forgetReaders(tx, today, RETENTION_BATCH)
  const asked = await forgetAsked(tx, today, dayBefore(today, ASKED_DAYS), RETENTION_BATCH)
  return [deleted, forgotten, readers].includes(RETENTION_BATCH) || asked >= RETENTION_BATCH
}

const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * DAY).toISOString().slice(0, 10)

/** Writes without changing anything: shows whether the store takes writes again. */
export async function proveWritable(tx: Transaction, _context: Context, _input: null): Promise<void> {
  await rewriteHead(tx)
}
