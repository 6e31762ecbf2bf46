import { OPEN_REPORTS } from '../contract/limits.ts'
import type { ReportInput, ResolutionInput } from '../contract/more-inputs.ts'
import { Problem } from '../contract/problem.ts'
import type { Report } from '../contract/resources.ts'
import type { Transaction } from '../database/database.ts'
import { assertCooledDown } from '../domain/cooldown.ts'
import { assertNoSecret } from '../domain/secret.ts'
import { beginCooldown, findCooldown } from '../store/limit.ts'
import * as reports from '../store/report.ts'
import { isoTime } from '../store/time.ts'
import type { Caller, Context, WriteOperation } from './operation.ts'
import { findSender, networkSubject, type Sender, takeOrigin } from './writing.ts'

/** Reports are counted, so they come one after another. */
const LOCK = 'reports'
/** Seconds after which an administrator may have looked at some of too many reports. */
const FULL_RETRY = 3_600

/**
 * Keeps a report for administrators. A second one of the same target from the same origin, while the first is open, takes its place,
 * so that repeating one fills nothing. Throws OVERLOADED where too many are open in all.
 */
export const createReport: WriteOperation<ReportInput> = async (tx, context, { body, caller }) => {
  const { sender, subject } = await beginReport(tx, context, caller)
  const { targetType, targetId, reason, details = null } = body
  const target = await reports.findReported(tx, targetType, targetId)
  if (target === undefined) throw new Problem('TARGET_NOT_FOUND')
  if (target.withdrawn) throw new Problem('ENTRY_WITHDRAWN')
  await tx.lock(LOCK)
  const known = caller.origin === null ? undefined : await reports.findReportBy(tx, target.id, caller.origin.id)
  if (known === undefined) await assertRoom(tx, target.id)
  assertNoSecret(body)
  const origin = await takeOrigin(tx, sender)
  const report: Report = {
    id: known?.id ?? context.newId(),
    ...{ targetType, targetId: target.id, reason, details },
    createdAt: isoTime(context.at),
  }
  const actor = sender.actor?.number ?? null
  const row = { report, entry: target.entry, actor, origin, requestId: caller.requestId, at: context.at }
  if (known === undefined) await reports.insertReport(tx, row)
  else await reports.replaceReport(tx, known.number, row)
  if (subject !== null) await beginCooldown(tx, subject, 'REPORT', context.now)
  return { body: report }
}

/** Anyone may report who may write, with a cooldown of its own by network: `subject` is what cools down, if anything does. */
async function beginReport(
  tx: Transaction,
  context: Context,
  caller: Caller,
): Promise<{ sender: Sender; subject: string | null }> {
  const sender = await findSender(tx, caller)
  const subject = caller.origin !== null && context.cooldown > 0 ? networkSubject(caller.origin.networkKey) : null
  if (subject !== null) {
    await tx.lock(subject)
    assertCooledDown(await findCooldown(tx, subject, 'REPORT'), context.cooldown, context.now)
  }
  return { sender, subject }
}

async function assertRoom(tx: Transaction, targetId: string): Promise<void> {
  if ((await reports.countReportsOf(tx, targetId)) >= OPEN_REPORTS.ofTarget) throw new Problem('ALREADY_REPORTED')
  if ((await reports.countOpenReports(tx)) >= OPEN_REPORTS.inAll) {
    throw new Problem('OVERLOADED', { retryAfter: FULL_RETRY })
  }
}

/** Closes a report with its outcome. A closed one stays as it is. */
export const resolveReport: WriteOperation<ResolutionInput> = async (tx, context, { params, body }) => {
  await tx.lock(LOCK)
  const row = await reports.findReport(tx, params.id ?? '')
  if (row === undefined) throw new Problem('REPORT_NOT_FOUND')
  if (row.resolved_at !== null) return { body: reports.toAdminReport(row) }
  assertNoSecret(body)
  const closed = { resolution: body.resolution, note: body.note ?? null, at: context.at }
  await reports.closeReport(tx, row.number, closed)
  return { body: reports.toAdminReport({ ...row, ...closed, resolved_at: context.at }) }
}
