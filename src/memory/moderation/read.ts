import { setImmediate } from 'node:timers/promises'
import { SNAPSHOT_ROWS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import { TRUST } from '../../contract/vocabulary.ts'
import type { Reader } from '../../engine/database.ts'
import { type ActivityRow, listAllActivity, listAllTimeline, toActivity } from '../activity/rows.ts'
import { listActors, listRefusedOrigins, toActor } from '../actors/rows.ts'
import { findEntry, listRevisions, reviserOf, toEntry, toRevision } from '../entries/rows.ts'
import { statusOf } from '../entries/rules.ts'
import { listAllEvidence, toContradiction, toVerification } from '../evidence/rows.ts'
import { inTurns, pageBelow, type ReadOperation, type Reads } from '../operation.ts'
import { listAllRelations, toRelation } from '../relations/rows.ts'
import * as reports from './report-rows.ts'
import {
  countAfter,
  countRefusedOrigins,
  findModeratedEntry,
  LONG_LISTS,
  type LongList,
  listCounts,
  listModeratedEntries,
  listModerations,
  type ModeratedEntryRow,
  yearOf,
} from './rows.ts'
import { flagsOf } from './rules.ts'

const moderatedEntry = (row: ModeratedEntryRow) => ({
  ...toEntry(row, reviserOf(row)),
  status: statusOf(row),
  moderation: flagsOf(row),
  originId: row.origin_id,
})
const moderatedActivity = (row: ActivityRow) => ({ ...toActivity(row), originId: row.origin_id })

/** Number of rows that are counted per step. The event loop is yielded in between. */
const COUNTED = 5_000

/** The total number of rows of each list. */
async function countLists(reader: Reader): Promise<Record<string, number>> {
  const long = Object.entries(LONG_LISTS).map(async ([name, list]) => [name, await countRows(reader, list)] as const)
  return {
    ...Object.fromEntries(await Promise.all(long)),
    blockedOrigins: await countRefusedOrigins(reader),
    reports: await reports.countOpenReports(reader),
  }
}

async function countRows(reader: Reader, list: LongList): Promise<number> {
  let counted = 0
  let after = 0
  for (;;) {
    const { rows, last } = await countAfter(reader, list, after, COUNTED)
    counted += rows
    if (rows < COUNTED) return counted
    after = last
    await setImmediate()
  }
}

/**
 * The newest rows of each list, withdrawn ones included, with the members that only administrators see. The lists are read one after another,
 * so that other requests run in between.
 */
export const readAdminSnapshot: ReadOperation<'readAdminSnapshot'> = async reads => {
  const { reader, flushObservations } = reads
  await flushObservations()
  const numbers = await listModeratedEntries(reader, SNAPSHOT_ROWS)
  const entries = await inTurns(reads, numbers, ({ number }) => findModeratedEntry(reader, number))
  const open = await reports.listReports(reader, 'open', Number.MAX_SAFE_INTEGER, SNAPSHOT_ROWS)
  const lists = {
    entries: await inTurns(
      reads,
      entries.filter(row => row !== undefined),
      moderatedEntry,
    ),
    actors: await inTurns(reads, await listActors(reader, SNAPSHOT_ROWS), row => ({
      ...toActor(row),
      dataClass: row.data_class,
      anonymous: row.issued === 0,
      observations: row.observations,
      moderation: flagsOf(row),
      originId: row.origin_id,
    })),
    activity: await inTurns(reads, await listAllActivity(reader, SNAPSHOT_ROWS), moderatedActivity),
    audit: await listModerations(reader, SNAPSHOT_ROWS),
    blockedOrigins: await inTurns(reads, await listRefusedOrigins(reader, SNAPSHOT_ROWS), row => ({
      originId: row.id,
      day: row.day,
      moderation: flagsOf(row),
      alive: row.network_key !== null,
    })),
    reports: open.map(reports.toAdminReport),
  }
  await reads.yieldIfOverBudget()
  const totals = await countLists(reader)
  const truncated = Object.fromEntries(
    Object.entries(lists).map(([name, rows]) => [name, Math.max(0, (totals[name] ?? 0) - rows.length)]),
  )
  return { body: { ...lists, truncated, dataClass: 'EXTERNAL' } }
}

/** Number of revisions per read: twenty of the longest texts take a millisecond. */
const REVISIONS_AT_ONCE = 20

/** The newest revisions of an entry. Other requests run between the reads. */
async function newestRevisions(reads: Reads, { number, revisions }: ModeratedEntryRow) {
  const found: Awaited<ReturnType<typeof listRevisions>> = []
  for (let newest = revisions; newest > Math.max(0, revisions - SNAPSHOT_ROWS); newest -= REVISIONS_AT_ONCE) {
    found.push(...(await listRevisions(reads.reader, number, newest, REVISIONS_AT_ONCE)))
    await reads.yieldIfOverBudget()
  }
  return found
}

/** One entry with its revisions and everything added to it, withdrawn records included, newest first. */
export const readAdminEvidence: ReadOperation<'readAdminEvidence'> = async (reads, { params }) => {
  const { reader, flushObservations } = reads
  await flushObservations()
  const found = await findEntry(reader, params.id)
  const entry = found === undefined ? undefined : await findModeratedEntry(reader, found.number)
  if (entry === undefined) throw new Problem('ENTRY_NOT_FOUND')
  const revisions = await newestRevisions(reads, entry)
  const evidence = await listAllEvidence(reader, entry.number, SNAPSHOT_ROWS)
  await reads.yieldIfOverBudget()
  const relations = await listAllRelations(reader, entry.number, SNAPSHOT_ROWS)
  await reads.yieldIfOverBudget()
  const activity = await listAllTimeline(reader, entry.number, SNAPSHOT_ROWS)
  await reads.yieldIfOverBudget()
  const interactions = [
    ...evidence.map(row => ({
      kind: row.kind === 'VERIFY' ? 'verification' : 'contradiction',
      record: String(row.number),
      ...(row.kind === 'VERIFY' ? toVerification(row) : toContradiction(row)),
      withdrawn: row.withdrawn === 1,
      originId: row.origin_id,
      at: row.created_at,
    })),
    ...relations.map(row => ({
      kind: 'relation',
      record: String(row.number),
      ...toRelation(row),
      withdrawn: row.withdrawn === 1,
      originId: row.origin_id,
      at: row.created_at,
    })),
    ...activity.map(row => ({ kind: 'activity', ...moderatedActivity(row), at: row.created_at })),
  ]
  return {
    body: {
      entry: moderatedEntry(entry),
      revisions: revisions.map(row => ({ ...toRevision(row), record: String(row.number), originId: row.origin_id })),
      interactions: interactions.sort((a, b) => b.at - a.at).map(({ at: _, ...interaction }) => interaction),
      ...TRUST,
    },
  }
}

/** The counts of a year of moderation, by default of this one. */
export const readModerationCounts: ReadOperation<'readModerationCounts'> = async ({ reader, at }, { query }) => {
  const { year = yearOf(at) } = query
  return { body: { year, items: await listCounts(reader, year) } }
}

/** One page of the reports, newest first: those that are open, or all. */
export const listReports: ReadOperation<'listReports'> = ({ reader }, request) => {
  const { state = 'open' } = request.query
  const list = (before: number, limit: number) => reports.listReports(reader, state, before, limit)
  return pageBelow(request, list, ({ number }) => number, reports.toAdminReport)
}
