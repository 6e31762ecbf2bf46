import { hash } from 'node:crypto'
import { LIMITS, OPEN_REPORTS } from '../../contract/limits.ts'
import { Problem } from '../../contract/problem.ts'
import type { ReportReceipt } from '../../contract/resources.ts'
import type { Transaction } from '../../engine/database.ts'
import { assertNoSecret } from '../actors/rules.ts'
import type { ReadOperation, WriteOperation } from '../operation.ts'
import { isoTime } from '../values.ts'
import { beginAnonymousWrite, takeOrigin } from '../write.ts'
import { listActsSince, toAct } from './appeal-rows.ts'
import * as reports from './report-rows.ts'
import { countEvent } from './rows.ts'

/** Serialises the transactions that store reports, because they count the open reports. */
const LOCK = 'reports'
/** Random bytes of the secret with which who reported reads the outcome. */
const SECRET_BYTES = 16
/** Retry-After in seconds if too many reports are open: the time in which an administrator may close some. */
const FULL_RETRY = 3_600

/**
 * Stores a report for administrators. A second report of the same target from the same origin replaces the first while that is open, so
 * that repetition takes no space. Throws OVERLOADED if too many reports are open.
 */
export const createReport: WriteOperation<'createReport'> = async (tx, context, { body, caller }) => {
  const { sender, cool } = await beginAnonymousWrite(tx, context, caller, 'REPORT')
  const { targetType, targetId, reason, details = null } = body
  const target = await reports.findReported(tx, targetType, targetId)
  if (target === undefined) throw new Problem('TARGET_NOT_FOUND')
  if (target.withdrawn) throw new Problem('ENTRY_WITHDRAWN')
  await tx.lock(LOCK)
  const known = caller.origin === null ? undefined : await reports.findReportBy(tx, target.id, caller.origin.id)
  if (known === undefined) await assertRoom(tx, target.id)
  assertNoSecret(body)
  const origin = await takeOrigin(tx, sender)
  const secret = Buffer.from(context.randomBytes(SECRET_BYTES)).toString('base64url')
  const report: ReportReceipt = {
    id: known?.id ?? context.newId(),
    ...{ targetType, targetId: target.id, reason, details },
    createdAt: isoTime(context.at),
    secret,
  }
  const actor = sender.actor?.number ?? null
  const row = { report, entry: target.entry, actor, origin, requestId: caller.requestId, at: context.at }
  if (known === undefined) await reports.insertReport(tx, row)
  else {
    await reports.replaceReport(tx, known.number, row)
    await countEvent(tx, known.created_at, 'REPORTED', known.reason, -1)
  }
  await countEvent(tx, context.at, 'REPORTED', reason)
  await cool()
  return { body: report }
}

/** The outcome of a report, for who has its secret. Throws REPORT_NOT_FOUND for another secret too, so that ids cannot be tried. */
export const readReport: ReadOperation<'readReport'> = async ({ reader }, { params, body }) => {
  const row = await reports.findReport(reader, params.id)
  if (row === undefined || row.secret_hash !== hash('sha256', body.secret, 'hex')) throw new Problem('REPORT_NOT_FOUND')
  const record = await reports.findReportedRecord(reader, row.target_id)
  const targets = [row.entry_id, ...(record === undefined ? [] : [String(record.number)])]
  const found = await Promise.all(targets.map(id => listActsSince(reader, id, row.created_at)))
  const acts = found.flat().sort((a, b) => b.number - a.number)
  const decisions = acts.slice(0, LIMITS.reportDecisions).map(toAct)
  return { body: { ...reports.toReport(row), ...reports.toClosing(row), decisions } }
}

async function assertRoom(tx: Transaction, targetId: string): Promise<void> {
  if ((await reports.countReportsOf(tx, targetId)) >= OPEN_REPORTS.ofTarget) throw new Problem('ALREADY_REPORTED')
  if ((await reports.countOpenReports(tx)) >= OPEN_REPORTS.inAll) {
    throw new Problem('OVERLOADED', { retryAfter: FULL_RETRY })
  }
}

/** Closes a report with its outcome. A closed report is not changed. */
export const resolveReport: WriteOperation<'resolveReport'> = async (tx, context, { params, body }) => {
  await tx.lock(LOCK)
  const row = await reports.findReport(tx, params.id)
  if (row === undefined) throw new Problem('REPORT_NOT_FOUND')
  if (row.resolved_at !== null) return { body: reports.toAdminReport(row) }
  assertNoSecret(body)
  const closed = { resolution: body.resolution, note: body.note ?? null, at: context.at }
  await reports.closeReport(tx, row.number, closed)
  await countEvent(tx, context.at, body.resolution === 'ACTED' ? 'REPORT_ACTED' : 'REPORT_DISMISSED', row.reason)
  return { body: reports.toAdminReport({ ...row, ...closed, resolved_at: context.at }) }
}
