import { hash } from 'node:crypto'
import type { AdminReport, Report, ReportReceipt } from '../../contract/resources.ts'
import type { ReportReason, ReportState, ReportTarget, Resolution } from '../../contract/vocabulary.ts'
import { type Reader, type Sql, sql, type Transaction } from '../../engine/database.ts'
import { type EntryFlags, statusOf } from '../entries/rules.ts'
import { isoTime } from '../values.ts'
import { count } from './rows.ts'

type ReportRow = EntryFlags & {
  number: number
  id: string
  target_type: ReportTarget
  target_id: string
  secret_hash: string
  entry_id: string
  slug: string
  title: string
  reason: ReportReason
  details: string | null
  actor_id: string | null
  origin_id: string | null
  created_at: number
  resolution: Resolution | null
  note: string | null
  resolved_at: number | null
}

const REPORT: Sql = sql`
  SELECT p.number, p.id, p.target_type, p.target_id, p.secret_hash, e.id AS entry_id, e.slug, r.title, p.reason, p.details, b.id AS actor_id, f.id AS origin_id,
    p.created_at, p.resolution, p.note, p.resolved_at, e.hidden, e.quarantined, e.blocked, a.quarantined AS author_quarantined,
    coalesce(o.quarantined, 0) AS origin_quarantined
  FROM report p JOIN entry e ON e.number = p.entry JOIN revision r ON r.number = e.revision JOIN actor a ON a.number = e.actor
    LEFT JOIN origin o ON o.number = e.origin LEFT JOIN actor b ON b.number = p.actor LEFT JOIN origin f ON f.number = p.origin`

export const findReport = (reader: Reader, id: string) =>
  reader.one<ReportRow>(sql`${REPORT} WHERE p.id = ${id.toLowerCase()}`)

/** The record number of a reported revision or judgement; undefined for an entry. */
export const findReportedRecord = (reader: Reader, id: string) =>
  reader.one<{ number: number }>(sql`
    SELECT number FROM revision WHERE id = ${id} UNION ALL SELECT number FROM evidence WHERE id = ${id}`)

/** The conditions that select reports. */
const SELECTED: Record<ReportState, Sql> = { open: sql`p.resolved_at IS NULL AND`, all: sql`` }

/** Reports with numbers below `before`, newest first. */
export const listReports = (reader: Reader, state: ReportState, before: number, limit: number) =>
  reader.all<ReportRow>(
    sql`${REPORT} WHERE ${SELECTED[state]} p.number < ${before} ORDER BY p.number DESC LIMIT ${limit}`,
  )

/** How many reports are open. */
export const countOpenReports = (reader: Reader) => count(reader, sql`FROM report WHERE resolved_at IS NULL`)

/** When the oldest open report was made, in milliseconds since 1970; undefined if none is open. */
export const findOldestOpen = async (reader: Reader): Promise<number | undefined> =>
  (
    await reader.one<{ created_at: number }>(
      sql`SELECT created_at FROM report WHERE resolved_at IS NULL ORDER BY number LIMIT ${1}`,
    )
  )?.created_at

/** How many reports of a target are open. */
export const countReportsOf = (reader: Reader, targetId: string) =>
  count(reader, sql`FROM report WHERE target_id = ${targetId} AND resolved_at IS NULL`)

/** The open report of a target by an origin, named by its fingerprint, if there is one. */
export const findReportBy = (reader: Reader, targetId: string, originId: string) =>
  reader.one<{ number: number; id: string; reason: ReportReason; created_at: number }>(sql`
    SELECT p.number, p.id, p.reason, p.created_at FROM origin o JOIN report p ON p.origin = o.number
    WHERE o.id = ${originId} AND p.target_id = ${targetId} AND p.resolved_at IS NULL`)

type NewReport = {
  report: ReportReceipt
  entry: number
  actor: number | null
  origin: number | null
  requestId: string
  at: number
}

export async function insertReport(tx: Transaction, row: NewReport): Promise<void> {
  const { id, targetType, targetId, reason, details, secret } = row.report
  await tx.run(sql`
    INSERT INTO report (id, target_type, target_id, entry, secret_hash, reason, details, actor, origin, request_id, created_at)
    VALUES (${id}, ${targetType}, ${targetId}, ${row.entry}, ${hash('sha256', secret, 'hex')}, ${reason}, ${details}, ${row.actor}, ${row.origin}, ${row.requestId}, ${row.at})`)
}

/** Replaces the content of an open report. */
export async function replaceReport(
  tx: Transaction,
  number: number,
  { report, actor, requestId, at }: NewReport,
): Promise<void> {
  await tx.run(sql`
    UPDATE report SET secret_hash = ${hash('sha256', report.secret, 'hex')}, reason = ${report.reason}, details = ${report.details}, actor = ${actor}, request_id = ${requestId}, created_at = ${at}
    WHERE number = ${number}`)
}

/** Closes an open report. */
export async function closeReport(
  tx: Transaction,
  number: number,
  { resolution, note, at }: { resolution: Resolution; note: string | null; at: number },
): Promise<void> {
  await tx.run(sql`
    UPDATE report SET resolution = ${resolution}, note = ${note}, resolved_at = ${at} WHERE number = ${number} AND resolved_at IS NULL`)
}

export type Reported = { id: string; entry: number; withdrawn: number }

/** The target of a report, by its id in either case, withdrawn or not. */
export function findReported(reader: Reader, type: ReportTarget, id: string) {
  const named = id.toLowerCase()
  if (type === 'ENTRY') {
    return reader.one<Reported>(sql`SELECT id, number AS entry, withdrawn FROM entry WHERE id = ${named}`)
  }
  return type === 'REVISION'
    ? reader.one<Reported>(sql`
        SELECT r.id, r.entry, e.withdrawn FROM revision r JOIN entry e ON e.number = r.entry WHERE r.id = ${named}`)
    : reader.one<Reported>(sql`
        SELECT v.id, v.entry, CASE WHEN v.withdrawn = 1 THEN 1 ELSE e.withdrawn END AS withdrawn
        FROM evidence v JOIN entry e ON e.number = v.entry WHERE v.id = ${named}`)
}

export const toReport = (row: ReportRow): Report => ({
  id: row.id,
  targetType: row.target_type,
  targetId: row.target_id,
  reason: row.reason,
  details: row.details,
  createdAt: isoTime(row.created_at),
})

export const toClosing = ({ resolution, resolved_at }: Pick<ReportRow, 'resolution' | 'resolved_at'>) => ({
  resolution,
  resolvedAt: resolved_at === null ? null : isoTime(resolved_at),
})

export const toAdminReport = (row: ReportRow): AdminReport => ({
  ...toReport(row),
  ...toClosing(row),
  entryId: row.entry_id,
  slug: row.slug,
  title: row.title,
  status: statusOf(row),
  actorId: row.actor_id,
  originId: row.origin_id,
  note: row.note,
})
