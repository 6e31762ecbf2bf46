import { IDEMPOTENCY_HOURS } from '../contract/limits.ts'
import type { Transaction } from '../database/database.ts'
import type { Admission } from '../domain/rate-limit.ts'
import { DAY, HOUR, hourNumber } from '../domain/time.ts'
import { deleteObservations } from '../store/activity.ts'
import { addServed, rewriteHead } from '../store/head.ts'
import { forgetStoredAnswers } from '../store/idempotency.ts'
import { forgetAdmissions, forgetCooldowns, saveAdmission } from '../store/limit.ts'
import { ensureSalt, forgetNetworkKeys, forgetSalts } from '../store/origin.ts'
import { type Purged, savePurged } from '../store/purge.ts'
import { forgetUnansweredTopics } from '../store/unanswered.ts'
import { forgetReaders } from '../store/work.ts'
import type { Context } from './operation.ts'

/**
 * Retention of the stored answer to a write, in milliseconds of service time. Service time is counted late; the margin of 10 minutes
 * ensures that no answer is deleted before `IDEMPOTENCY_HOURS`.
 */
const IDEMPOTENCY_KEPT = IDEMPOTENCY_HOURS * HOUR + 10 * 60_000
const SALT_BYTES = 32
/** Retention of a public topic without an answer, in days. */
const ASKED_DAYS = 30
/** The maximum number of expired observations, and of expired answers, that one transaction deletes. */
const RETENTION_BATCH = 2_000
/** The maximum number of stored answers, each of about 1 kB. Beyond it the oldest are deleted early. */
const STORED_ANSWERS_MAX = 1_000_000

/** Returns the salt of a day (as `2026-11-21`), and creates it if there is none. */
export async function openDay(tx: Transaction, context: Context, day: string): Promise<string> {
  return ensureSalt(tx, day, Buffer.from(context.randomBytes(SALT_BYTES)).toString('base64url'))
}

/** Stores the admissions of a limiter, so that a restart does not reset it. Deletes bins before `beforeBin`, which no longer count. */
export async function saveAdmissions(
  tx: Transaction,
  _context: Context,
  { admissions, beforeBin }: { admissions: readonly Admission[]; beforeBin: number },
): Promise<void> {
  for (const admission of admissions) await saveAdmission(tx, admission)
  await forgetAdmissions(tx, beforeBin)
}

/** `served` is in milliseconds. Observations from the clock hour `partsFrom` on are in partitions, which are dropped. */
type Sweep = { today: string; retentionDays: number; served: number; partsFrom?: number }

/**
 * Deletes expired rows: salts of past days, network keys of days before yesterday, past cooldowns and admissions, observations after their
 * retention, and stored answers. Adds `served` milliseconds to the time that the service has run. Returns true if there is more to delete.
 */
export async function sweep(
  tx: Transaction,
  context: Context,
  { today, retentionDays, served, partsFrom = Number.MAX_SAFE_INTEGER }: Sweep,
): Promise<boolean> {
  await forgetSalts(tx, today)
  await forgetNetworkKeys(tx, dayBefore(today, 1))
  await forgetCooldowns(tx, context.at - HOUR)
  // Admissions identify networks. Without further requests, nothing else deletes the last of them.
  await forgetAdmissions(tx, context.at - HOUR)
  const expired = Math.min(hourNumber(context.at) - retentionDays * 24, partsFrom)
  const deleted = await deleteObservations(tx, expired, RETENTION_BATCH)
  const forgotten = await forgetStoredAnswers(
    tx,
    (await addServed(tx, context.now, served)) - IDEMPOTENCY_KEPT,
    STORED_ANSWERS_MAX,
    RETENTION_BATCH,
  )
  const readers = await forgetReaders(tx, today, RETENTION_BATCH)
  const asked = await forgetUnansweredTopics(tx, today, dayBefore(today, ASKED_DAYS), RETENTION_BATCH)
  return [deleted, forgotten, readers].includes(RETENTION_BATCH) || asked >= RETENTION_BATCH
}

const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * DAY).toISOString().slice(0, 10)

/** Rewrites the head unchanged. Succeeds if the store accepts writes again. */
export async function proveWritable(tx: Transaction, _context: Context, _input: null): Promise<void> {
  await rewriteHead(tx)
}

/** Stores the record up to which a cache was purged. */
export const keepPurged = (tx: Transaction, _context: Context, purged: Purged): Promise<void> => savePurged(tx, purged)
