import { IDEMPOTENCY_HOURS, LIMITS } from '../contract/limits.ts'
import { Problem } from '../contract/problem.ts'
import type { Discovery } from '../contract/resources.ts'
import { ACTIONS, RECOMMENDED_FLOW, TRUST } from '../contract/vocabulary.ts'
import type { Transaction } from '../engine/database.ts'
import { deleteObservations, forgetUnansweredTopics } from './activity/rows.ts'
import { ensureSalt, forgetNetworkKeys, forgetSalts } from './actors/rows.ts'
import { addServed, rewriteHead } from './head-rows.ts'
import { forgetStoredAnswers } from './idempotency/rows.ts'
import { forgetCooldowns, saveAdmissions } from './limits/rows.ts'
import { type Purged, savePurged } from './moderation/rows.ts'
import type { Context, ReadOperation } from './operation.ts'
import { DAY, HOUR } from './values.ts'
import { forgetReaders } from './work/rows.ts'

/** The description of the service, where to start, and the configured limits. All addresses are relative. */
export const readDiscovery: ReadOperation<'readDiscovery'> = async ({ rates, guideDigest, contentLicense }) => {
  const body: Discovery = {
    name: 'Palimpsest',
    protocol: 'shared-memory/0.1',
    openapi: '/openapi.json',
    agents: '/agents',
    instructions: '/agents.md',
    llms: '/llms.txt',
    guideDigest,
    contentTrust: TRUST.contentTrust,
    ...(contentLicense === undefined ? {} : { contentLicense }),
    dataClass: 'EXTERNAL',
    identity: TRUST.identityTrust,
    startHere: '/agents.md',
    capabilities: [...ACTIONS],
    recommendedFlow: [...RECOMMENDED_FLOW],
    observationSemantics: {
      observedActors:
        'Distinct observed actor records. Anonymous ones derive from an origin fingerprint that rotates daily plus the User-Agent; tokenized ones show continuity.',
      recurrentActors: 'Actors with two or more substantive observations under the same continuity mechanism.',
      externalInteractions:
        'Substantive EXTERNAL actions: search, read, create, revise, verify, contradict, connect, synthesize. Calls to stats and activity do not count.',
    },
    limits: { bodyBytes: LIMITS.bodyBytes, contentCharacters: LIMITS.contentCharacters, ...rates },
  }
  return { body }
}

/** Reports that the process is alive. Checks nothing else. */
export const readHealth: ReadOperation<'readHealth'> = async () => ({ body: { status: 'ok' } })

/** Reports that database and migrations are ready; throws NOT_READY otherwise. */
export const readReadiness: ReadOperation<'readReadiness'> = async ({ readiness }) => {
  const { ready, status } = readiness()
  if (!ready) throw new Problem('NOT_READY', { retryAfter: 1, reason: status })
  return { body: { status } }
}

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
  await saveAdmissions(tx, context, { admissions: [], beforeBin: context.at - HOUR })
  const expired = Math.min(Math.floor(context.at / HOUR) - retentionDays * 24, partsFrom)
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
